// Another number after every change of accounts, keys or subscriptions, in memory that all threads of the process share. The thread that
// hears of a change counts it before whoever made the change is told that it is done, and every thread looks at it before it believes
// what it remembers. A change is counted for the account that it is about, so that one customer's changes make nobody forget another's keys.

const TOTAL = 0;
const ALL_ACCOUNTS = 1;
const FIRST_PLACE = 2;
// Accounts that share a place are asked about once more after each other's changes.
const PLACES = 65_536;

/** The counts of changes. */
export class Epoch {
  /** What other threads are handed. */
  readonly cells: Uint32Array;

  /** Over the cells of another thread's epoch, or new ones. */
  constructor(cells?: Uint32Array) {
    this.cells = cells ?? new Uint32Array(new SharedArrayBuffer((FIRST_PLACE + PLACES) * Uint32Array.BYTES_PER_ELEMENT));
  }

  /** The count of all changes. */
  now(): number {
    return Atomics.load(this.cells, TOTAL);
  }

  /** The count of changes that may be about an account. */
  of(accountId: string): number {
    return this.at(this.cellOf(accountId));
  }

  /** Where an account's changes are counted. */
  cellOf(accountId: string): number {
    let hash = 0x811c9dc5;
    for (let index = 0; index < accountId.length; index++) {
      hash = Math.imul(hash ^ accountId.charCodeAt(index), 0x01000193);
    }
    return FIRST_PLACE + ((hash >>> 0) % PLACES);
  }

  /** The count of changes that may be about an account whose place is known. */
  at(place: number): number {
    return (Atomics.load(this.cells, ALL_ACCOUNTS) + Atomics.load(this.cells, place)) >>> 0;
  }

  /**
   * An account has changed, or any may have. The total goes first: who reads an account's count, and finds the total as it was before they
   * asked the store, has read a count from before the change.
   */
  bump(accountId?: string): void {
    Atomics.add(this.cells, TOTAL, 1);
    Atomics.add(this.cells, accountId === undefined ? ALL_ACCOUNTS : this.cellOf(accountId), 1);
  }
}
