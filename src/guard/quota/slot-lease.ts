// A subscription's lease in its slot of the shared memory, for one generation of the slot: how many leased calls are unspent, and the
// store's last report on the quota, which the thread that owns the leases writes. Every thread that uses the slot has a SlotLease of its
// own, and charges calls with it without asking another thread.
//
// The lease's id and its count of calls share one 64-bit word, so a thread cannot spend from, or refund to, any lease but the one that it
// means. A thread that does not know yet that the month, the plan or the subscription has changed finds nothing to spend or to refund to.
import type { Day } from "../../runtime/calendar.ts";
import type { LeaseSubject, PlanTerms } from "../../store/records.ts";
import {
  exhaustedWord,
  generationOf,
  leaseWord,
  lowerOf,
  lowWaterWord,
  nextGeneration,
  numberOf,
  recheckWord,
  refillRequestWord,
  type SlotWords,
  unleasedWord,
  upperOf,
  wordOf,
  wordOfHalves,
} from "../memory/slots.ts";
import type { Spent } from "./month-lease.ts";

/** What calls are leased for: a subscription, or the cap of a key. */
export interface LeasedMonth {
  readonly subject: LeaseSubject;
  readonly terms: PlanTerms;
}

const idOf = (subject: LeaseSubject): string => (typeof subject === "string" ? subject : subject.capId);

/** Whether the leased month has this subject and these terms. */
export const isSameMonth = (one: LeasedMonth, subject: LeaseSubject, terms: PlanTerms): boolean =>
  idOf(one.subject) === idOf(subject) &&
  (one.terms === terms ||
    (one.terms.callsPerMonth === terms.callsPerMonth && one.terms.requestsPerSecond === terms.requestsPerSecond));

// Both wrap around. That is safe: no lease lives for 341 years, and no thread is 512 generations behind.
const MONTHS = 4096;
const GENERATIONS = 512;

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

  /**
   * The lease of a subscription that is new in its slot: nothing is leased and nothing is known. Called by the thread that owns the leases.
   */
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

  /** The id of this generation's lease for the day's month. From 0 to 2^21 - 1. */
  leaseIdOf(day: Day): number {
    return (day.monthNumber % MONTHS) * GENERATIONS + (this.#generation % GENERATIONS);
  }

  /** Charges a call if one is left; otherwise undefined. */
  spend(day: Day): Spent | undefined {
    const leaseId = this.leaseIdOf(day);
    const before = this.#reduce(leaseId, (calls) => calls - 1);
    return before === 0 ? undefined : { day, left: before - 1, slot: this.slot, leaseId };
  }

  /** Refunds calls that were spent from this lease. Returns how many calls it then holds, or 0 if the slot has another lease by now. */
  refund(leaseId: number, calls: number): number {
    const word = leaseWord(this.slot);
    for (;;) {
      const seen = Atomics.load(this.#words, word);
      if (upperOf(seen) !== leaseId) {
        return 0;
      }
      const after = lowerOf(seen) + calls;
      if (Atomics.compareExchange(this.#words, word, seen, wordOfHalves(leaseId, after)) === seen) {
        return after;
      }
    }
  }

  /** Whether so few calls are left that more should be leased, and the store may have more. */
  isLow({ left, leaseId }: Spent): boolean {
    return left < this.#lowWater && this.#read(unleasedWord(this.slot), leaseId) !== 0;
  }

  /** Whether a lease that is low and has `left` calls may run out before the next round of refills. */
  isAlmostSpent(left: number): boolean {
    return left < this.#lowWater / 2;
  }

  /** Calls left in memory. */
  left(day: Day): number {
    return this.#read(leaseWord(this.slot), this.leaseIdOf(day)) ?? 0;
  }

  /** Calls of this month that no node has leased; undefined until the store has been queried. */
  unleased(day: Day): number | undefined {
    return this.#read(unleasedWord(this.slot), this.leaseIdOf(day));
  }

  /** The epoch in which the store reported that the quota is used up; undefined if it did not. */
  exhaustedEpoch(day: Day): number | undefined {
    return this.#read(exhaustedWord(this.slot), this.leaseIdOf(day));
  }

  /** Calls left this month, not counting those that other processes hold; undefined until the store has been queried. */
  monthRemaining(day: Day): number | undefined {
    const unleased = this.exhaustedEpoch(day) === undefined ? this.unleased(day) : 0;
    return unleased === undefined ? undefined : unleased + this.left(day);
  }

  /** Whether the store should be queried for more calls. */
  needsMore(day: Day): boolean {
    const unleased = this.unleased(day);
    if (unleased === undefined) {
      return true;
    }
    const left = this.left(day);
    return left < this.#lowWater && (unleased > 0 || left === 0) && this.exhaustedEpoch(day) === undefined;
  }

  /** Records that the store granted `calls` and has `unleased` left. More calls will be leased when fewer than `lowWater` are left. */
  noteGranted(day: Day, calls: number, unleased: number, lowWater: number): void {
    this.#note(unleasedWord(this.slot), this.leaseIdOf(day), unleased);
    this.#lowWater = lowWater;
    this.#add(this.leaseIdOf(day), calls);
    this.forgetExhausted();
  }

  /** Records that the store has accepted calls that were returned. */
  noteReturned(day: Day, calls: number): void {
    const unleased = this.unleased(day);
    this.forgetExhausted();
    if (unleased !== undefined) {
      this.#note(unleasedWord(this.slot), this.leaseIdOf(day), unleased + calls);
    }
  }

  /** Records that the store has reported the quota as used up. Query the store again at `recheckAtMs` of the monotonic clock. */
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

  /** When to ask the store again whether the quota is still used up, in milliseconds of the monotonic clock. */
  get recheckAtMs(): number {
    return numberOf(Atomics.load(this.#words, recheckWord(this.slot)));
  }

  set recheckAtMs(atMs: number) {
    Atomics.store(this.#words, recheckWord(this.slot), wordOf(Math.ceil(atMs)));
  }

  /** Takes all calls beyond `keep` out of the lease, to return them to the store. Returns how many those are. */
  shrink(day: Day, keep: number): number {
    const before = this.#reduce(this.leaseIdOf(day), (calls) => Math.min(calls, keep));
    return Math.max(0, before - keep);
  }

  /** Restarts for another plan, with nothing leased and nothing known. Returns how many calls were left, to return them to the store. */
  renew(day: Day): number {
    const before = this.leaseIdOf(day);
    this.#generation = nextGeneration(this.#words, this.slot);
    this.#forget();
    const replaced = Atomics.exchange(this.#words, leaseWord(this.slot), wordOfHalves(this.leaseIdOf(day), 0));
    return upperOf(replaced) === before ? lowerOf(replaced) : 0;
  }

  /**
   * Marks the lease for a refill, in the next round or at once. Returns true if the caller must notify the lease owner; false if another
   * thread already has, or is about to, and the owner has not looked at the lease yet.
   */
  requestRefill(isUrgent: boolean): boolean {
    const requested = isUrgent ? REFILL_NOW : REFILL_SOON;
    for (;;) {
      const seen = Atomics.load(this.#words, refillRequestWord(this.slot));
      if (seen >= requested) {
        return false;
      }
      if (Atomics.compareExchange(this.#words, refillRequestWord(this.slot), seen, requested) === seen) {
        return true;
      }
    }
  }

  /** Clears the request because the owner is looking at the lease: the next request will notify the owner again. */
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

  // Adds the calls that the store has granted. Calls of an earlier lease in the slot are dropped.
  #add(leaseId: number, calls: number): void {
    const word = leaseWord(this.slot);
    for (;;) {
      const seen = Atomics.load(this.#words, word);
      const left = upperOf(seen) === leaseId ? lowerOf(seen) : 0;
      if (Atomics.compareExchange(this.#words, word, seen, wordOfHalves(leaseId, left + calls)) === seen) {
        return;
      }
    }
  }

  // Replaces the lease's count if it is not 0, and returns the old count; 0 if there is nothing to replace.
  #reduce(leaseId: number, next: (calls: number) => number): number {
    const word = leaseWord(this.slot);
    for (;;) {
      const seen = Atomics.load(this.#words, word);
      const left = upperOf(seen) === leaseId ? lowerOf(seen) : 0;
      if (left === 0) {
        return 0;
      }
      if (Atomics.compareExchange(this.#words, word, seen, wordOfHalves(leaseId, next(left))) === seen) {
        return left;
      }
    }
  }

  // The lower half of a word if its upper half names this lease; undefined if it names another.
  #read(word: number, leaseId: number): number | undefined {
    const seen = Atomics.load(this.#words, word);
    return upperOf(seen) === leaseId ? lowerOf(seen) : undefined;
  }

  #note(word: number, leaseId: number, value: number): void {
    Atomics.store(this.#words, word, wordOfHalves(leaseId, value));
  }
}
