// A subscription's lease in its slot of the shared memory, as one generation of the slot's holders and plans sees it: what is leased, and
// where the month stands. Every thread that works on the slot has one of these.

import { generationOf, nextGeneration, type SlotWords } from "../memory/slots.ts";
import { addGrant, callsLeft, refundCalls, replaceLease, spendCall, takeExcess } from "./lease.ts";
import { leaseIdOf } from "./lease-id.ts";
import type { Day } from "./month.ts";
import type { Spent } from "./month-lease.ts";
import { SharedQuotaStatus } from "./shared-quota-status.ts";

/** The lease in a slot. */
export class SlotLease {
  readonly slot: number;
  readonly standing: SharedQuotaStatus;
  readonly #words: SlotWords;
  #generation: number;

  constructor(words: SlotWords, slot: number, generation: number) {
    this.slot = slot;
    this.standing = new SharedQuotaStatus(words, slot);
    this.#words = words;
    this.#generation = generation;
  }

  /** The lease of a slot's new holder: nothing is leased and nothing known. For the one thread that owns the leases. */
  static claim(words: SlotWords, slot: number): SlotLease {
    const lease = new SlotLease(words, slot, generationOf(words, slot));
    lease.standing.clear();
    return lease;
  }

  /** Names the slot's holder and plan. */
  get generation(): number {
    return this.#generation;
  }

  /** Whether the slot has no other holder or plan by now. */
  get isCurrent(): boolean {
    return generationOf(this.#words, this.slot) === this.#generation;
  }

  /** Names the lease of the day's month. */
  termOf(day: Day): number {
    return leaseIdOf(day.monthNumber, this.#generation);
  }

  /** Takes a call where one is there. */
  spend(day: Day): Spent | undefined {
    const term = this.termOf(day);
    const left = spendCall(this.#words, this.slot, term);
    return left < 0 ? undefined : { day, left, slot: this.slot, term };
  }

  /** Whether so few are left that more should be leased, as far as there are more. */
  isLow({ left, term }: Spent): boolean {
    return left < this.standing.lowWater && this.standing.unleased(term) !== 0;
  }

  /** Calls left in memory. */
  left(day: Day): number {
    return callsLeft(this.#words, this.slot, this.termOf(day));
  }

  /** Calls of the month that nobody holds; undefined until the store has been asked. */
  unleased(day: Day): number | undefined {
    return this.standing.unleased(this.termOf(day));
  }

  /** The epoch in which the store said that the month is used up; undefined when it did not say so. */
  exhaustedIn(day: Day): number | undefined {
    return this.standing.exhaustedIn(this.termOf(day));
  }

  /** Calls left of the month, what other processes hold not counted; undefined until the store has been asked. */
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
    return left < this.standing.lowWater && (unleased > 0 || left === 0) && this.exhaustedIn(day) === undefined;
  }

  /** The store granted this many calls, and has this many left. */
  grant(day: Day, calls: number, unleased: number, lowWater: number): void {
    this.standing.setUnleased(this.termOf(day), unleased);
    this.standing.lowWater = lowWater;
    addGrant(this.#words, this.slot, this.termOf(day), calls);
    this.standing.clearExhausted();
  }

  /** The store said that the month is used up. */
  exhausted(day: Day, epoch: number, recheckAtMs: number): void {
    this.standing.setExhausted(this.termOf(day), epoch, recheckAtMs);
  }

  /** The store took this many calls back. */
  returned(day: Day, calls: number): void {
    const unleased = this.unleased(day);
    this.standing.clearExhausted();
    if (unleased !== undefined) {
      this.standing.setUnleased(this.termOf(day), unleased + calls);
    }
  }

  /** Puts calls back that were spent under this term. Answers how many are there then, or 0 when the lease is of another term. */
  refund(term: number, calls: number): number {
    return refundCalls(this.#words, this.slot, term, calls);
  }

  /** Takes out what is over `keep`, and answers how many calls that are. */
  takeExcess(day: Day, keep: number): number {
    return takeExcess(this.#words, this.slot, this.termOf(day), keep);
  }

  /** Begins again for another plan, with nothing leased and nothing known. Answers how many calls were left. */
  renew(day: Day): number {
    const before = this.termOf(day);
    this.#generation = nextGeneration(this.#words, this.slot);
    this.standing.clear();
    return replaceLease(this.#words, this.slot, before, this.termOf(day));
  }
}
