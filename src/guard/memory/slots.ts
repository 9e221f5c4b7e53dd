// The memory that all threads of a process share: one slot for each subscription in use, with everything that a call reads and changes. A
// slot is two cache lines of 64-bit words, so that two busy subscriptions do not slow each other down. Admitted calls touch only the first.
// One thread allocates the slots; every thread works on the words.
import { numberOf } from "./words.ts";

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
