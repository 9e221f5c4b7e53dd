// Which accounts are watched, in memory that all threads share. The main thread writes it. Workers read one number for each call, and check
// the bits only if it is not 0. Accounts share a limited number of bits, so a worker may mistake an account for a watched one: the main
// thread drops calls by accounts that are not watched.
const BIT_COUNT = 4096;
const BITS_PER_CELL = 32;

/** The memory: how many accounts are watched, and then the bits. */
const createWatchedMemory = (): Int32Array =>
  new Int32Array(new SharedArrayBuffer((1 + BIT_COUNT / BITS_PER_CELL) * Int32Array.BYTES_PER_ELEMENT));

export class WatchedAccounts {
  readonly memory: Int32Array;

  constructor(memory = createWatchedMemory()) {
    this.memory = memory;
  }

  get hasAny(): boolean {
    return Atomics.load(this.memory, 0) !== 0;
  }

  /** Whether this account may be watched. True may be a mistake, false never is. */
  mayHave(accountId: string): boolean {
    const bit = bitOf(accountId);
    return (Atomics.load(this.memory, cellOf(bit)) & maskOf(bit)) !== 0;
  }

  /** Replaces the set of watched accounts. Only for the main thread. */
  set(accountIds: readonly string[]): void {
    const cells = new Int32Array(this.memory.length);
    for (const bit of accountIds.map(bitOf)) {
      cells[cellOf(bit)] = (cells[cellOf(bit)] as number) | maskOf(bit);
    }
    for (let cell = 1; cell < cells.length; cell++) {
      Atomics.store(this.memory, cell, cells[cell] as number);
    }
    Atomics.store(this.memory, 0, accountIds.length);
  }
}

// The ids are random, except in tests.
function bitOf(accountId: string): number {
  let hash = 0;
  for (let index = 0; index < accountId.length; index++) {
    hash = (Math.imul(hash, 31) + accountId.charCodeAt(index)) >>> 0;
  }
  return hash % BIT_COUNT;
}

const cellOf = (bit: number): number => 1 + Math.floor(bit / BITS_PER_CELL);
const maskOf = (bit: number): number => 1 << (bit % BITS_PER_CELL);
