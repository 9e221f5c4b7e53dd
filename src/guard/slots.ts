// The memory that all threads of a process share: one slot for each subscription in use, with what a call changes. A slot is a
// cache line of 64-bit words, so that two busy subscriptions do not slow each other down: the bucket of this second in the first word,
// the lease of this month in the second. Slots are handed out by one thread; the words may be worked on by any.

const WORDS_PER_SLOT = 8;

/** The words of all slots, over a SharedArrayBuffer. Only to be read and written with `Atomics`. */
export type SlotWords = BigInt64Array;

/** Where the bucket of a slot is: the theoretical arrival time of its next request, in nanoseconds of the monotonic clock. */
export const bucketWord = (slot: number): number => slot * WORDS_PER_SLOT;

/** Where the lease of a slot is: its month in the upper half, the calls left of it in the lower. */
export const leaseWord = (slot: number): number => slot * WORDS_PER_SLOT + 1;

/** Hands out slots. */
export class SlotTable {
  readonly words: SlotWords;
  readonly #capacity: number;
  readonly #freed: number[] = [];
  #used = 0;

  /** `capacity`: how many slots there are, 64 bytes each. */
  constructor(capacity: number) {
    this.#capacity = capacity;
    this.words = new BigInt64Array(new SharedArrayBuffer(capacity * WORDS_PER_SLOT * BigInt64Array.BYTES_PER_ELEMENT));
  }

  /** A slot with all words 0, or undefined when all are taken. */
  take(): number | undefined {
    const slot = this.#freed.pop() ?? (this.#used < this.#capacity ? this.#used++ : undefined);
    if (slot !== undefined) {
      Atomics.store(this.words, bucketWord(slot), 0n);
      Atomics.store(this.words, leaseWord(slot), 0n);
    }
    return slot;
  }

  /** Takes a slot back. Nobody may work on it any more. */
  free(slot: number): void {
    this.#freed.push(slot);
  }
}
