// The memory that all threads of a process share: one slot for each subscription in use, with what a call reads and changes. A slot is a
// cache line of 64-bit words, so that two busy subscriptions do not slow each other down. Slots are handed out by one thread; the words
// may be worked on by any.

const WORDS_PER_SLOT = 8;

/** The words of all slots, over a SharedArrayBuffer. Only to be read and written with `Atomics`. */
export type SlotWords = BigInt64Array;

/** Where the bucket of a slot is: the theoretical arrival time of its next request, in nanoseconds of the monotonic clock. */
export const bucketWord = (slot: number): number => slot * WORDS_PER_SLOT;

/** Where the lease of a slot is: its term in the upper half, the calls left of it in the lower. */
export const leaseWord = (slot: number): number => slot * WORDS_PER_SLOT + 1;

/** Where it is noted what the store said last of a term: the term in the upper half, in the lower the calls that nobody holds. */
export const unleasedWord = (slot: number): number => slot * WORDS_PER_SLOT + 2;

/** Where it is noted that a term's month is used up: the term in the upper half, in the lower the epoch in which that was said. */
export const exhaustedWord = (slot: number): number => slot * WORDS_PER_SLOT + 3;

/** When that is to be asked again, in milliseconds of the monotonic clock. */
export const recheckWord = (slot: number): number => slot * WORDS_PER_SLOT + 4;

/** With fewer calls left than this, more are to be leased. */
export const lowWaterWord = (slot: number): number => slot * WORDS_PER_SLOT + 5;

/** Another number for each holder of the slot, and for each plan of theirs. */
const generationWord = (slot: number): number => slot * WORDS_PER_SLOT + 6;

/** 1 while the thread that owns the leases has been told to look at this one, and has not. */
export const attentionWord = (slot: number): number => slot * WORDS_PER_SLOT + 7;

/** Begins another generation of a slot, and answers its number. */
export const nextGeneration = (words: SlotWords, slot: number): number => Number(Atomics.add(words, generationWord(slot), 1n)) + 1;

/** The number of a slot's generation. */
export const generationOf = (words: SlotWords, slot: number): number => Number(Atomics.load(words, generationWord(slot)));

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

  /** A slot of a new generation with an empty bucket and no lease, or undefined when all are taken. */
  take(): number | undefined {
    const slot = this.#freed.pop() ?? (this.#used < this.#capacity ? this.#used++ : undefined);
    if (slot !== undefined) {
      nextGeneration(this.words, slot);
      Atomics.store(this.words, bucketWord(slot), 0n);
      Atomics.store(this.words, leaseWord(slot), 0n);
    }
    return slot;
  }

  /** Takes a slot back. */
  free(slot: number): void {
    nextGeneration(this.words, slot);
    this.#freed.push(slot);
  }
}
