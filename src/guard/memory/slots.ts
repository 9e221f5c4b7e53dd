// The memory that all threads of a process share: one slot for each subscription in use, with everything that a call reads and changes. A
// slot is two cache lines of 64-bit words, so that two busy subscriptions do not slow each other down. Admitted calls touch only the first.
// One thread allocates the slots; every thread works on the words.

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

/** The calls in one slot that a thread has in flight. */
export interface InFlightCalls {
  readonly slot: number;
  readonly leaseId: number;
  readonly calls: number;
}

/** The counts of calls in progress. */
export class CallsInFlight {
  /** What is passed to other threads. */
  readonly words: BigInt64Array;
  readonly #threads: number;
  readonly #slots: number;

  /** Works on another thread's words, or on new ones: `slots` words of 8 bytes for each thread. */
  constructor(
    threads: number,
    slots: number,
    words: BigInt64Array = new BigInt64Array(new SharedArrayBuffer(threads * slots * BigInt64Array.BYTES_PER_ELEMENT)),
  ) {
    this.words = words;
    this.#threads = threads;
    this.#slots = slots;
  }

  /** Counts a call from this lease that has started. */
  begin(thread: number, slot: number, leaseId: number): void {
    const word = thread * this.#slots + slot;
    const seen = Atomics.load(this.words, word);
    const calls = upperOf(seen) === leaseId ? lowerOf(seen) : 0;
    Atomics.store(this.words, word, wordOfHalves(leaseId, calls + 1));
  }

  end(thread: number, slot: number, leaseId: number): void {
    const word = thread * this.#slots + slot;
    const seen = Atomics.load(this.words, word);
    const calls = lowerOf(seen);
    if (upperOf(seen) === leaseId && calls > 0) {
      Atomics.store(this.words, word, wordOfHalves(leaseId, calls - 1));
    }
  }

  /** Whether any thread has a call in progress in the slot. */
  hasAny(slot: number): boolean {
    for (let thread = 0; thread < this.#threads; thread++) {
      if (lowerOf(Atomics.load(this.words, thread * this.#slots + slot)) > 0) {
        return true;
      }
    }
    return false;
  }

  /** Removes and returns the calls that a thread had in flight when it ended. */
  takeAll(thread: number): readonly InFlightCalls[] {
    const held: InFlightCalls[] = [];
    for (let slot = 0; slot < this.#slots; slot++) {
      const seen = Atomics.exchange(this.words, thread * this.#slots + slot, 0n);
      if (lowerOf(seen) > 0) {
        held.push({ slot, leaseId: upperOf(seen), calls: lowerOf(seen) });
      }
    }
    return held;
  }
}

// The numbers in a 64-bit word of shared memory, and words made of numbers. Converting with `Number` or `BigInt` is slow, because compiled
// code calls the runtime for it, and each call of a method needs a dozen conversions. These functions write the word into memory and read
// it as the other type instead.
const halves = new Uint32Array(2);
const signedHalves = new Int32Array(halves.buffer);
const words = new BigInt64Array(halves.buffer);
words[0] = 1n;
const LOWER = halves[0] === 1 ? 0 : 1;
const UPPER = 1 - LOWER;
const UPPER_UNIT = 2 ** 32;

/** The upper 32 bits. */
export function upperOf(word: bigint): number {
  words[0] = word;
  return halves[UPPER] as number;
}

/** The lower 32 bits. */
export function lowerOf(word: bigint): number {
  words[0] = word;
  return halves[LOWER] as number;
}

/** A word of two halves, each from 0 to 2^32 - 1. */
export function wordOfHalves(upper: number, lower: number): bigint {
  halves[UPPER] = upper;
  halves[LOWER] = lower;
  return words[0] as bigint;
}

/** The whole word, which is at most 2^53, as a number. */
export function numberOf(word: bigint): number {
  words[0] = word;
  return (signedHalves[UPPER] as number) * UPPER_UNIT + (halves[LOWER] as number);
}

/** A word of a whole number of at most 2^53. */
export const wordOf = (value: number): bigint => wordOfHalves(Math.floor(value / UPPER_UNIT), value);

const WORDS_PER_SLOT = 16;

/** The words of all slots, over a SharedArrayBuffer. Only to be read and written with `Atomics`. */
export type SlotWords = BigInt64Array;

/** The slot's token bucket: when it will be full again, in nanoseconds of the monotonic clock. */
export const bucketWord = (slot: number): number => slot * WORDS_PER_SLOT;

/** The slot's lease: its id in the upper half, the calls left in it in the lower. */
export const leaseWord = (slot: number): number => slot * WORDS_PER_SLOT + 1;

/** The store's last report: the lease's id in the upper half, and in the lower the calls of its month that nobody has leased. */
export const unleasedWord = (slot: number): number => slot * WORDS_PER_SLOT + 2;

/**
 * Set when the store has reported that the monthly quota is used up: the lease's id in the upper half, and in the lower the epoch at that
 * time.
 */
export const exhaustedWord = (slot: number): number => slot * WORDS_PER_SLOT + 3;

/** When to query the store again whether the quota is still used up, in milliseconds of the monotonic clock. */
export const recheckWord = (slot: number): number => slot * WORDS_PER_SLOT + 4;

/** More calls are leased when fewer than this are left. */
export const lowWaterWord = (slot: number): number => slot * WORDS_PER_SLOT + 5;

/** A number that changes with each subscription in the slot, and whenever its plan changes. */
const generationWord = (slot: number): number => slot * WORDS_PER_SLOT + 6;

/** The refill requested from the thread that owns the leases, until that thread sees it: 0 for none, 1 for soon, 2 for immediately. */
export const refillRequestWord = (slot: number): number => slot * WORDS_PER_SLOT + 7;

/** Calls refused in a second and in the one before: the second, on the monotonic clock, in the upper half, both counts in the lower. */
export const refusedWord = (slot: number): number => slot * WORDS_PER_SLOT + 8;

/** Begins another generation of a slot, and returns its number. */
export const nextGeneration = (words: SlotWords, slot: number): number =>
  numberOf(Atomics.add(words, generationWord(slot), 1n)) + 1;

export const generationOf = (words: SlotWords, slot: number): number => numberOf(Atomics.load(words, generationWord(slot)));

export class SlotTable {
  readonly words: SlotWords;
  /** How many slots there are. */
  readonly capacity: number;
  readonly #freed: number[] = [];
  #used = 0;

  /** `capacity`: how many slots there are, 128 bytes each. */
  constructor(capacity: number) {
    this.capacity = capacity;
    this.words = new BigInt64Array(new SharedArrayBuffer(capacity * WORDS_PER_SLOT * BigInt64Array.BYTES_PER_ELEMENT));
  }

  /** A slot of a new generation with an empty bucket and no lease, or undefined if all are in use. */
  take(): number | undefined {
    const slot = this.#freed.pop() ?? (this.#used < this.capacity ? this.#used++ : undefined);
    if (slot !== undefined) {
      nextGeneration(this.words, slot);
      Atomics.store(this.words, bucketWord(slot), 0n);
      Atomics.store(this.words, leaseWord(slot), 0n);
      Atomics.store(this.words, refusedWord(slot), 0n);
    }
    return slot;
  }

  free(slot: number): void {
    nextGeneration(this.words, slot);
    this.#freed.push(slot);
  }
}
