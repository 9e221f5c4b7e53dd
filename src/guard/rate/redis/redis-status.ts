// Whether Redis responds to each thread of this process, in memory that they share.

export class RedisStatus {
  /** The shared memory, for other threads. */
  readonly cells: Int32Array;

  /** Shares the cells with the RedisStatus of another thread. */
  constructor(cells: Int32Array) {
    this.cells = cells;
  }

  /** The status of a process with that many threads. At first, Redis is assumed to respond to all of them. */
  static of(threads: number): RedisStatus {
    return new RedisStatus(new Int32Array(new SharedArrayBuffer(threads * Int32Array.BYTES_PER_ELEMENT)).fill(1));
  }

  /** For each thread, whether Redis responds to it. */
  get threadsUp(): readonly boolean[] {
    return Array.from(this.cells, (_, thread) => Atomics.load(this.cells, thread) === 1);
  }

  setUp(thread: number, isUp: boolean): void {
    Atomics.store(this.cells, thread, isUp ? 1 : 0);
  }
}
