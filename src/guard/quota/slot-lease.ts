// A subscription's lease in its slot of the shared memory, for one generation of the slot: what is leased, and what the store said of the month.
// Every thread that works on the slot has one of these.

import { generationOf, nextGeneration, type SlotWords } from "../memory/slots.ts";
import { addGrant, callsLeft, refundCalls, replaceLease, spendCall, takeExcess } from "./lease.ts";
import { leaseIdOf } from "./lease-id.ts";
import type { Day } from "./month.ts";
import type { Spent } from "./month-lease.ts";
import { SlotStatus } from "./slot-status.ts";

/** The lease in a slot. */
export class SlotLease {
  readonly slot: number;
  readonly status: SlotStatus;
  readonly #words: SlotWords;
  #generation: number;

  constructor(words: SlotWords, slot: number, generation: number) {
    this.slot = slot;
    this.status = new SlotStatus(words, slot);
    this.#words = words;
    this.#generation = generation;
  }

  /** The lease of a subscription that is new in its slot: nothing is leased and nothing is known. For the thread that owns the leases. */
  static claim(words: SlotWords, slot: number): SlotLease {
    const lease = new SlotLease(words, slot, generationOf(words, slot));
    lease.status.clear();
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

  /** The id of the lease of the day's month. */
  leaseIdOf(day: Day): number {
    return leaseIdOf(day.monthNumber, this.#generation);
  }

  /** Takes a call where one is left. */
  spend(day: Day): Spent | undefined {
    const leaseId = this.leaseIdOf(day);
    const left = spendCall(this.#words, this.slot, leaseId);
    return left < 0 ? undefined : { day, left, slot: this.slot, leaseId };
  }

  /** Whether so few are left that more should be leased, unless nothing is left to lease. */
  isLow({ left, leaseId }: Spent): boolean {
    return left < this.status.lowWater && this.status.unleased(leaseId) !== 0;
  }

  /** Calls left in memory. */
  left(day: Day): number {
    return callsLeft(this.#words, this.slot, this.leaseIdOf(day));
  }

  /** Calls of the month that nobody has leased; undefined until the store has been asked. */
  unleased(day: Day): number | undefined {
    return this.status.unleased(this.leaseIdOf(day));
  }

  /** The epoch in which the store said that the month is used up; undefined when it did not say so. */
  exhaustedIn(day: Day): number | undefined {
    return this.status.exhaustedIn(this.leaseIdOf(day));
  }

  /** Calls left of the month, without those that other processes hold; undefined until the store has been asked. */
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
    return left < this.status.lowWater && (unleased > 0 || left === 0) && this.exhaustedIn(day) === undefined;
  }

  /** The store granted `calls`, and has `unleased` left. More are to be leased when fewer than `lowWater` are left. */
  grant(day: Day, calls: number, unleased: number, lowWater: number): void {
    this.status.setUnleased(this.leaseIdOf(day), unleased);
    this.status.lowWater = lowWater;
    addGrant(this.#words, this.slot, this.leaseIdOf(day), calls);
    this.status.clearExhausted();
  }

  /** The store said that the month is used up. */
  exhausted(day: Day, epoch: number, recheckAtMs: number): void {
    this.status.setExhausted(this.leaseIdOf(day), epoch, recheckAtMs);
  }

  /** The store took this many calls back. */
  returned(day: Day, calls: number): void {
    const unleased = this.unleased(day);
    this.status.clearExhausted();
    if (unleased !== undefined) {
      this.status.setUnleased(this.leaseIdOf(day), unleased + calls);
    }
  }

  /** Puts calls back that were spent from this lease. Returns how many it holds then, or 0 when the slot has another lease by now. */
  refund(leaseId: number, calls: number): number {
    return refundCalls(this.#words, this.slot, leaseId, calls);
  }

  /** Takes out what is over `keep`. Returns how many calls that are. */
  takeExcess(day: Day, keep: number): number {
    return takeExcess(this.#words, this.slot, this.leaseIdOf(day), keep);
  }

  /** Begins again for another plan, with nothing leased and nothing known. Returns how many calls were left. */
  renew(day: Day): number {
    const before = this.leaseIdOf(day);
    this.#generation = nextGeneration(this.#words, this.slot);
    this.status.clear();
    return replaceLease(this.#words, this.slot, before, this.leaseIdOf(day));
  }
}
