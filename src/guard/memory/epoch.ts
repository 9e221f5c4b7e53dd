// Counts changes to accounts, keys and subscriptions, in memory that all threads of the process share. The thread that learns of a change
// counts it before the change is confirmed, and every thread compares the count before it uses its cache. A change is counted for its own
// account, so that one customer's changes do not invalidate what is known about the others.

const TOTAL = 0;
const ALL_ACCOUNTS = 1;
const FIRST_ACCOUNT = 2;
// Accounts whose ids hash to the same cell are also looked up again after each other's changes.
const ACCOUNT_CELLS = 65_536;

/** The counts of changes. */
export class Epoch {
  /** What is passed to other threads. */
  readonly cells: Uint32Array;

  /** Uses the cells of another thread's epoch, or new ones. */
  constructor(cells?: Uint32Array) {
    this.cells = cells ?? new Uint32Array(new SharedArrayBuffer((FIRST_ACCOUNT + ACCOUNT_CELLS) * Uint32Array.BYTES_PER_ELEMENT));
  }

  /** The count of all changes. */
  now(): number {
    return Atomics.load(this.cells, TOTAL);
  }

  /** The count of changes that may affect an account. */
  of(accountId: string): number {
    return this.at(this.cellOf(accountId));
  }

  /** The cell in which an account's changes are counted. */
  cellOf(accountId: string): number {
    let hash = 0x811c9dc5;
    for (let index = 0; index < accountId.length; index++) {
      hash = Math.imul(hash ^ accountId.charCodeAt(index), 0x01000193);
    }
    return FIRST_ACCOUNT + ((hash >>> 0) % ACCOUNT_CELLS);
  }

  /** The count of changes that may affect an account, by its cell. */
  at(cell: number): number {
    return (Atomics.load(this.cells, ALL_ACCOUNTS) + Atomics.load(this.cells, cell)) >>> 0;
  }

  /**
   * Counts a change of one account or, without an id, of any account. The total is incremented first. So if a thread reads an account's
   * count, and then finds the total unchanged since before it queried the store, its count is from before the change.
   */
  bump(accountId?: string): void {
    Atomics.add(this.cells, TOTAL, 1);
    Atomics.add(this.cells, accountId === undefined ? ALL_ACCOUNTS : this.cellOf(accountId), 1);
  }
}
