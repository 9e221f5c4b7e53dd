// What this node knows about the other nodes, in memory that all its threads share: how many there are, whether it still receives changes,
// and whether the database still answers the connections that lease calls.

// A tenth of a second: 32 bits then last for 13 years of the monotonic clock.
const TICK_MS = 100;
const NEVER_STALE = 0xffff_ffff;

export class NodeStatus {
  /** The shared memory, for other threads. */
  readonly cells: Uint32Array;

  /** Uses the cells of another thread's status. Without cells: the status of a node that is alone and never misses a change. */
  constructor(cells?: Uint32Array) {
    this.cells = cells ?? new Uint32Array(new SharedArrayBuffer(3 * Uint32Array.BYTES_PER_ELEMENT)).fill(NEVER_STALE, 1);
  }

  /**
   * How many nodes may be serving, including this one: at least 1. A node that died counts until the time at which it would have stopped
   * serving on its own.
   */
  get aliveNodes(): number {
    return Math.max(1, Atomics.load(this.cells, 0));
  }

  setAliveNodes(count: number): void {
    Atomics.store(this.cells, 0, count);
  }

  /** Whether changes can be missed at all: not on a node that is alone. Checked first, because it needs no clock. */
  get canMissChanges(): boolean {
    return Atomics.load(this.cells, 1) !== NEVER_STALE;
  }

  /** Whether changes may have been missed. If so, cached keys must not be used. */
  isStale(monotonicMs: number): boolean {
    return monotonicMs >= this.staleAtMs;
  }

  /** When the status becomes stale, on the monotonic clock, unless the database responds first; Infinity if no change can be missed. */
  get staleAtMs(): number {
    const ticks = Atomics.load(this.cells, 1);
    return ticks === NEVER_STALE ? Number.POSITIVE_INFINITY : ticks * TICK_MS;
  }

  /** Records that all changes up to now are known, and that caches may be used until `monotonicMs`. */
  setFreshUntil(monotonicMs: number): void {
    Atomics.store(this.cells, 1, Math.floor(monotonicMs / TICK_MS));
  }

  /** Whether calls should come to this node: it receives changes, and the database answers the connections that lease calls. */
  isReady(monotonicMs: number): boolean {
    const ticks = Atomics.load(this.cells, 2);
    return !this.isStale(monotonicMs) && (ticks === NEVER_STALE || monotonicMs < ticks * TICK_MS);
  }

  /** Records that the connections that lease calls may be relied on until `monotonicMs`. */
  setLeasableUntil(monotonicMs: number): void {
    Atomics.store(this.cells, 2, Math.floor(monotonicMs / TICK_MS));
  }
}
