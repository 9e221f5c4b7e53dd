// Another number after every change of accounts, keys or subscriptions, in memory that all threads of the process share. The thread that
// hears of a change counts it before whoever made the change is told that it is done, and every thread looks at it before it believes
// what it remembers.

/** The count of changes. */
export class Epoch {
  /** What other threads are handed. */
  readonly cell: Uint32Array;

  /** Over the cell of another thread's epoch, or a new one. */
  constructor(cell: Uint32Array = new Uint32Array(new SharedArrayBuffer(Uint32Array.BYTES_PER_ELEMENT))) {
    this.cell = cell;
  }

  now(): number {
    return Atomics.load(this.cell, 0);
  }

  /** Something has changed. */
  bump(): void {
    Atomics.add(this.cell, 0, 1);
  }
}
