// What the store said last about a subscription's month, in memory that all threads share. The thread that owns the leases writes it, and every
// thread reads it to answer a call without asking anybody. What was said about one lease does not hold for another.
import { exhaustedWord, lowWaterWord, recheckWord, refillRequestWord, type SlotWords, unleasedWord } from "../memory/slots.ts";
import { lowerOf, numberOf, upperOf, wordOf, wordOfHalves } from "../memory/words.ts";

// Its upper half is no lease's id.
const NOTHING = -1n;

/** One slot's status. */
export class SlotStatus {
  readonly #words: SlotWords;
  readonly #slot: number;

  constructor(words: SlotWords, slot: number) {
    this.#words = words;
    this.#slot = slot;
  }

  /** Forgets all that was said. */
  clear(): void {
    this.forgetUnleased();
    this.clearExhausted();
    this.clearRefillRequest();
    this.lowWater = 1;
  }

  /** Calls of the month that nobody has leased; undefined when that is not known for this lease. */
  unleased(leaseId: number): number | undefined {
    return this.#read(unleasedWord(this.#slot), leaseId);
  }

  setUnleased(leaseId: number, calls: number): void {
    this.#write(unleasedWord(this.#slot), leaseId, calls);
  }

  forgetUnleased(): void {
    Atomics.store(this.#words, unleasedWord(this.#slot), NOTHING);
  }

  /** The epoch in which the store said that the lease's month is used up; undefined when it did not say so. */
  exhaustedIn(leaseId: number): number | undefined {
    return this.#read(exhaustedWord(this.#slot), leaseId);
  }

  /** Notes that the store said so, and when to ask it again, on the monotonic clock. */
  setExhausted(leaseId: number, epoch: number, recheckAtMs: number): void {
    this.recheckAtMs = recheckAtMs;
    this.#write(exhaustedWord(this.#slot), leaseId, epoch);
  }

  clearExhausted(): void {
    Atomics.store(this.#words, exhaustedWord(this.#slot), NOTHING);
  }

  get recheckAtMs(): number {
    return numberOf(Atomics.load(this.#words, recheckWord(this.#slot)));
  }

  set recheckAtMs(atMs: number) {
    Atomics.store(this.#words, recheckWord(this.#slot), wordOf(Math.ceil(atMs)));
  }

  /** More calls are leased when fewer than this are left. */
  get lowWater(): number {
    return numberOf(Atomics.load(this.#words, lowWaterWord(this.#slot)));
  }

  set lowWater(calls: number) {
    Atomics.store(this.#words, lowWaterWord(this.#slot), wordOf(calls));
  }

  /** Marks the lease as to be refilled. True when the lease owner has to be told; false when another thread has told it and it has not looked yet. */
  requestRefill(): boolean {
    return Atomics.exchange(this.#words, refillRequestWord(this.#slot), 1n) === 0n;
  }

  /** The owner looks at the lease now, or has looked: the next request is passed on again. */
  clearRefillRequest(): void {
    Atomics.store(this.#words, refillRequestWord(this.#slot), 0n);
  }

  #read(word: number, leaseId: number): number | undefined {
    const seen = Atomics.load(this.#words, word);
    return upperOf(seen) === leaseId ? lowerOf(seen) : undefined;
  }

  #write(word: number, leaseId: number, value: number): void {
    Atomics.store(this.#words, word, wordOfHalves(leaseId, value));
  }
}
