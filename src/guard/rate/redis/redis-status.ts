// What the threads of this process know about Redis, in memory that they share: whether Redis responds to each thread, and how many nodes
// count together. The first thread to claim a heartbeat that is due sends it for the whole process.

const TOGETHER = 0;
const KNOWN = 1;
const RECENT = 2;
const BEAT_DUE = 3;
const THREADS_FROM = 4;
// A count of these ticks fits in 31 bits for 3 years of the monotonic clock.
const TICK_MS = 50;

export class RedisStatus {
  /** The shared memory, for other threads. */
  readonly cells: Int32Array;

  /** Shares the cells with the RedisStatus of another thread. */
  constructor(cells: Int32Array) {
    this.cells = cells;
  }

  /** The status of a process with that many threads. At first, Redis is assumed to respond to all of them. */
  static of(threads: number): RedisStatus {
    const cells = new Int32Array(new SharedArrayBuffer((THREADS_FROM + threads) * Int32Array.BYTES_PER_ELEMENT));
    return new RedisStatus(cells.fill(1, TOGETHER, BEAT_DUE));
  }

  /** For each thread, whether Redis responds to it. */
  get threadsUp(): readonly boolean[] {
    return Array.from(
      { length: this.cells.length - THREADS_FROM },
      (_, thread) => Atomics.load(this.cells, THREADS_FROM + thread) === 0,
    );
  }

  /** Whether Redis responds to all threads. */
  get isUp(): boolean {
    for (let cell = THREADS_FROM; cell < this.cells.length; cell++) {
      if (Atomics.load(this.cells, cell) !== 0) {
        return false;
      }
    }
    return true;
  }

  setUp(thread: number, isUp: boolean): void {
    Atomics.store(this.cells, THREADS_FROM + thread, isUp ? 0 : 1);
  }

  /** How many nodes count together in Redis, including this one. */
  get together(): number {
    return Atomics.load(this.cells, TOGETHER);
  }

  /** How many nodes counted together when this node last did. */
  get known(): number {
    return Atomics.load(this.cells, KNOWN);
  }

  /** How many nodes counted together at any time in the last few seconds. */
  get recent(): number {
    return Atomics.load(this.cells, RECENT);
  }

  setNodes(together: number, recent: number, isTogether: boolean): void {
    Atomics.store(this.cells, TOGETHER, Math.max(1, together));
    Atomics.store(this.cells, RECENT, Math.max(1, recent));
    if (isTogether) {
      Atomics.store(this.cells, KNOWN, Math.max(1, together));
    }
  }

  /** Whether a heartbeat is due and the calling thread has to send it. The next one is due `everyMs` later. */
  claimHeartbeat(nowMs: number, everyMs: number): boolean {
    const due = Atomics.load(this.cells, BEAT_DUE);
    const now = Math.floor(nowMs / TICK_MS) | 0;
    const next = (now + Math.floor(everyMs / TICK_MS)) | 0;
    return ((now - due) | 0) >= 0 && Atomics.compareExchange(this.cells, BEAT_DUE, due, next) === due;
  }
}
