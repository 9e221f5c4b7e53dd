// What the guard sees of a subscription's month. The one who owns the store keeps an Allowance; a thread beside it can keep the same
// promises over the same shared memory by asking that one.
import type { Day } from "./month.ts";
import type { Plan } from "./plan.ts";

/** A call that has been charged: the day it counts in, and the calls of the lease that are left. */
export interface Spent {
  readonly day: Day;
  readonly left: number;
}

/** What a caller who waited for a lease gets. */
export type LaterSpent = Spent | "exhausted" | "unavailable";

/** The month's limit of one subscription. */
export interface MonthLease {
  /** Names the account and the service, which limits belong to, on every node. */
  readonly name: string;
  /** Where its words are in the shared memory. */
  readonly slot: number;
  /** Calls admitted and not settled yet. */
  callsUnderWay: number;
  /** Takes a call where one is in memory; answers how many are left, or -1. */
  spend(day: Day): number;
  /** Takes a call once the store has been asked. "unavailable" at once while the store is known to be dead. Never rejects. */
  spendLater(): Promise<LaterSpent>;
  /** Whether the store has said that the month is used up. */
  isExhausted(day: Day): boolean;
  /** Takes back a charge of `day` under `plan`. A charge of another month stays. */
  refund(day: Day, plan: Plan): void;
  /** Calls left of the month, as far as is known; undefined until the store has been asked. What other processes hold is not in it. */
  monthRemaining(day: Day): number | undefined;
  /** Waits until `monthRemaining` is known, or cannot be. Never rejects. */
  learn(): Promise<unknown>;
}
