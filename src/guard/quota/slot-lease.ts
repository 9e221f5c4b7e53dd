// A subscription's lease in its slot of the shared memory, for one generation of the slot: what is leased, and the store's last report on
// the month. The thread that owns the leases writes these reports. Every thread that works on the slot has one of these objects, and
// charges calls with it without asking anybody. A report on one lease does not apply to another.
import type { Day } from "../../runtime/calendar.ts";
import {
  exhaustedWord,
  generationOf,
  lowWaterWord,
  nextGeneration,
  recheckWord,
  refillRequestWord,
  type SlotWords,
  unleasedWord,
} from "../memory/slots.ts";
import { lowerOf, numberOf, upperOf, wordOf, wordOfHalves } from "../memory/words.ts";
import { addGrant, callsLeft, leaseIdOf, refundCalls, replaceLease, shrinkLease, spendCall } from "./lease.ts";
import type { Spent } from "./month-lease.ts";

// A word whose upper half is not the id of any lease.
const NOTHING = -1n;
const REFILL_SOON = 1n;
const REFILL_NOW = 2n;

export class SlotLease {
  readonly slot: number;
  readonly #words: SlotWords;
  #generation: number;

  constructor(words: SlotWords, slot: number, generation: number) {
    this.slot = slot;
    this.#words = words;
    this.#generation = generation;
  }

  /** The lease of a subscription that is new in its slot: nothing is leased and nothing is known. For the thread that owns the leases. */
  static claim(words: SlotWords, slot: number): SlotLease {
    const lease = new SlotLease(words, slot, generationOf(words, slot));
    lease.#forget();
    return lease;
  }

  /** Changes with the slot's subscription and plan. */
  get generation(): number {
    return this.#generation;
  }

  /** Whether the slot still has this subscription and plan. */
  get isCurrent(): boolean {
    return generationOf(this.#words, this.slot) === this.#generation;
  }

  leaseIdOf(day: Day): number {
    return leaseIdOf(day.monthNumber, this.#generation);
  }

  /** Takes a call if one is left. */
  spend(day: Day): Spent | undefined {
    const leaseId = this.leaseIdOf(day);
    const left = spendCall(this.#words, this.slot, leaseId);
    return left < 0 ? undefined : { day, left, slot: this.slot, leaseId };
  }

  /** Refunds calls that were spent from this lease. Returns how many it then holds, or 0 if the slot has another lease by now. */
  refund(leaseId: number, calls: number): number {
    return refundCalls(this.#words, this.slot, leaseId, calls);
  }

  /** Whether so few are left that more should be leased, unless nothing is left to lease. */
  isLow({ left, leaseId }: Spent): boolean {
    return left < this.#lowWater && this.#said(unleasedWord(this.slot), leaseId) !== 0;
  }

  /** Whether a lease that is low, with `left` calls, may run out before the next round of refills. */
  isAlmostSpent(left: number): boolean {
    return left < this.#lowWater / 2;
  }

  /** Calls left in memory. */
  left(day: Day): number {
    return callsLeft(this.#words, this.slot, this.leaseIdOf(day));
  }

  /** Calls of this month that no node has leased; undefined until the store has been queried. */
  unleased(day: Day): number | undefined {
    return this.#said(unleasedWord(this.slot), this.leaseIdOf(day));
  }

  /** The epoch in which the store reported that the month is used up; undefined if it did not. */
  exhaustedIn(day: Day): number | undefined {
    return this.#said(exhaustedWord(this.slot), this.leaseIdOf(day));
  }

  /** Calls left this month, without those that other processes hold; undefined until the store has been queried. */
  monthRemaining(day: Day): number | undefined {
    const unleased = this.exhaustedIn(day) === undefined ? this.unleased(day) : 0;
    return unleased === undefined ? undefined : unleased + this.left(day);
  }

  /** Whether the store should be asked for more. */
  wantsMore(day: Day): boolean {
    const unleased = this.unleased(day);
    if (unleased === undefined) {
      return true;
    }
    const left = this.left(day);
    return left < this.#lowWater && (unleased > 0 || left === 0) && this.exhaustedIn(day) === undefined;
  }

  /** The store granted `calls`, and has `unleased` left. More are to be leased when fewer than `lowWater` are left. */
  noteGranted(day: Day, calls: number, unleased: number, lowWater: number): void {
    this.#note(unleasedWord(this.slot), this.leaseIdOf(day), unleased);
    this.#lowWater = lowWater;
    addGrant(this.#words, this.slot, this.leaseIdOf(day), calls);
    this.forgetExhausted();
  }

  /** The store has taken calls that were returned. */
  noteReturned(day: Day, calls: number): void {
    const unleased = this.unleased(day);
    this.forgetExhausted();
    if (unleased !== undefined) {
      this.#note(unleasedWord(this.slot), this.leaseIdOf(day), unleased + calls);
    }
  }

  /** The store has reported that the month is used up. Query it again at `recheckAtMs` of the monotonic clock. */
  noteExhausted(day: Day, epoch: number, recheckAtMs: number): void {
    this.recheckAtMs = recheckAtMs;
    this.#note(exhaustedWord(this.slot), this.leaseIdOf(day), epoch);
  }

  forgetUnleased(): void {
    Atomics.store(this.#words, unleasedWord(this.slot), NOTHING);
  }

  forgetExhausted(): void {
    Atomics.store(this.#words, exhaustedWord(this.slot), NOTHING);
  }

  /** When to query the store again whether the quota is still used up, on the monotonic clock. */
  get recheckAtMs(): number {
    return numberOf(Atomics.load(this.#words, recheckWord(this.slot)));
  }

  set recheckAtMs(atMs: number) {
    Atomics.store(this.#words, recheckWord(this.slot), wordOf(Math.ceil(atMs)));
  }

  /** Takes out what is beyond `keep`, to give it back. Returns how many calls those are. */
  shrink(day: Day, keep: number): number {
    return shrinkLease(this.#words, this.slot, this.leaseIdOf(day), keep);
  }

  /** Restarts for another plan, with nothing leased and nothing known. Returns how many calls were left, to give them back. */
  renew(day: Day): number {
    const before = this.leaseIdOf(day);
    this.#generation = nextGeneration(this.#words, this.slot);
    this.#forget();
    return replaceLease(this.#words, this.slot, before, this.leaseIdOf(day));
  }

  /**
   * Marks the lease for a refill, in the next round or at once. True if the lease owner has to be told; false if a thread has told it
   * already, or is about to, and it has not looked yet.
   */
  requestRefill(isUrgent: boolean): boolean {
    const asked = isUrgent ? REFILL_NOW : REFILL_SOON;
    for (;;) {
      const seen = Atomics.load(this.#words, refillRequestWord(this.slot));
      if (seen >= asked) {
        return false;
      }
      if (Atomics.compareExchange(this.#words, refillRequestWord(this.slot), seen, asked) === seen) {
        return true;
      }
    }
  }

  /** The owner looks at the lease now: the next request is passed on again. */
  clearRefillRequest(): void {
    Atomics.store(this.#words, refillRequestWord(this.slot), 0n);
  }

  // More calls are leased when fewer than this are left.
  get #lowWater(): number {
    return numberOf(Atomics.load(this.#words, lowWaterWord(this.slot)));
  }

  set #lowWater(calls: number) {
    Atomics.store(this.#words, lowWaterWord(this.slot), wordOf(calls));
  }

  #forget(): void {
    this.forgetUnleased();
    this.forgetExhausted();
    this.clearRefillRequest();
    this.#lowWater = 1;
  }

  #said(word: number, leaseId: number): number | undefined {
    const seen = Atomics.load(this.#words, word);
    return upperOf(seen) === leaseId ? lowerOf(seen) : undefined;
  }

  #note(word: number, leaseId: number, value: number): void {
    Atomics.store(this.#words, word, wordOfHalves(leaseId, value));
  }
}
