// What the guard sees of a subscription's month. The one who owns the store keeps an Allowance; a thread beside it can keep the same
// promises over the same shared memory by asking that one.

import type { Plan } from "../../catalogue/plan.ts";
import type { Day } from "./month.ts";

/** A call that has been charged: the day it counts in, the calls of the lease that are left, and which lease it was taken from. */
export interface Spent {
  readonly day: Day;
  readonly left: number;
  readonly slot: number;
  readonly leaseId: number;
}

/** What a caller who waited for a lease gets. */
export type LaterSpent = Spent | "exhausted" | "unavailable";

/** The month's limit of one subscription. */
export interface MonthLease {
  /** Names the account and the service, which limits belong to, on every node. */
  readonly name: string;
  /** Where its words are in the shared memory. */
  readonly slot: number;
  /** Takes a call where one is in memory. */
  spend(day: Day): Spent | undefined;
  /** Takes a call once the store has been asked. "unavailable" at once while the store is known to be dead. Never rejects. */
  spendLater(): Promise<LaterSpent>;
  /** Whether the store has said that the month is used up. */
  isExhausted(day: Day): boolean;
  /** Notes that a call which was charged is under way. */
  begin(spent: Spent): void;
  /** Notes that it has ended, and takes its charge back where it is `refunded`. A charge of another month stays. */
  end(spent: Spent, refunded: boolean): void;
  /** Calls left of the month, as far as is known; undefined until the store has been asked. What other processes hold is not in it. */
  monthRemaining(day: Day): number | undefined;
  /** Waits until `monthRemaining` is known, or cannot be. Never rejects. */
  awaitStatus(): Promise<unknown>;
}

/** The month's limits of all subscriptions. */
export interface MonthLeases {
  /**
   * The one of an account and service (`key` names both), on its present subscription and plan; undefined when there is no room, or it
   * cannot be had. `epoch` is that of the account in which they held. Never rejects.
   */
  of(key: string, subscriptionId: string, plan: Plan, epoch: number): MonthLease | undefined | Promise<MonthLease | undefined>;
}
