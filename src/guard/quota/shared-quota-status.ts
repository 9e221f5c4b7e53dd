// Where a subscription's month stands, as the store said last, in memory that all threads share. The thread that owns the leases writes it;
// every thread reads it to answer a call without asking anybody. What was said of one term is nothing to another.
import { attentionWord, exhaustedWord, lowWaterWord, recheckWord, type SlotWords, unleasedWord } from "../memory/slots.ts";

const TERM_UNIT = 2 ** 32;
const NOTHING = -1n;

/** One slot's standing. */
export class SharedQuotaStatus {
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
    this.hasAttention();
    this.lowWater = 1;
  }

  /** Calls of the term's month that nobody holds; undefined when that is not known. */
  unleased(term: number): number | undefined {
    return this.#read(unleasedWord(this.#slot), term);
  }

  setUnleased(term: number, calls: number): void {
    this.#write(unleasedWord(this.#slot), term, calls);
  }

  forgetUnleased(): void {
    Atomics.store(this.#words, unleasedWord(this.#slot), NOTHING);
  }

  /** The epoch in which the store said that the term's month is used up; undefined when it did not say so. */
  exhaustedIn(term: number): number | undefined {
    return this.#read(exhaustedWord(this.#slot), term);
  }

  /** Notes that the store said so, and when it is to be asked again, on the monotonic clock. */
  setExhausted(term: number, epoch: number, recheckAtMs: number): void {
    this.recheckAtMs = recheckAtMs;
    this.#write(exhaustedWord(this.#slot), term, epoch);
  }

  clearExhausted(): void {
    Atomics.store(this.#words, exhaustedWord(this.#slot), NOTHING);
  }

  get recheckAtMs(): number {
    return Number(Atomics.load(this.#words, recheckWord(this.#slot)));
  }

  set recheckAtMs(atMs: number) {
    Atomics.store(this.#words, recheckWord(this.#slot), BigInt(Math.ceil(atMs)));
  }

  /** With fewer calls left than this, more are to be leased. */
  get lowWater(): number {
    return Number(Atomics.load(this.#words, lowWaterWord(this.#slot)));
  }

  set lowWater(calls: number) {
    Atomics.store(this.#words, lowWaterWord(this.#slot), BigInt(calls));
  }

  /** Whether the caller is the one to tell the owner of the leases to look at this one: not so when somebody has, and it did not yet. */
  wantsAttention(): boolean {
    return Atomics.exchange(this.#words, attentionWord(this.#slot), 1n) === 0n;
  }

  /** The owner is looking now. */
  hasAttention(): void {
    Atomics.store(this.#words, attentionWord(this.#slot), 0n);
  }

  #read(word: number, term: number): number | undefined {
    const seen = Number(Atomics.load(this.#words, word));
    return Math.floor(seen / TERM_UNIT) === term ? seen % TERM_UNIT : undefined;
  }

  #write(word: number, term: number, value: number): void {
    Atomics.store(this.#words, word, BigInt(term * TERM_UNIT + value));
  }
}
