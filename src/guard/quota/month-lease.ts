// What the guard sees of a subscription's month. The thread that owns the store implements it with an Allowance; other threads implement it over
// the same shared memory, and ask that thread.

import type { Plan } from "../../catalogue/plan.ts";
import type { Day } from "./month.ts";

/** A call that has been charged: the day that it counts in, the calls left in the lease, and which lease it was taken from. */
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
  /** Names the account and the service that the limits belong to; the same on every node. */
  readonly name: string;
  /** Its slot in the shared memory. */
  readonly slot: number;
  /** Takes a call where one is in memory. */
  spend(day: Day): Spent | undefined;
  /** Takes a call once the store has been asked. Answers "unavailable" at once while the store is known to be down. Never rejects. */
  spendLater(): Promise<LaterSpent>;
  /** Whether the store has said that the month is used up. */
  isExhausted(day: Day): boolean;
  /** Notes that a charged call is under way. */
  begin(spent: Spent): void;
  /** Notes that it has ended, and takes its charge back where it is `refunded`. A charge of a month that is over stays. */
  end(spent: Spent, refunded: boolean): void;
  /** Calls left of the month; undefined until the store has been asked. Calls that other processes hold are not in it. */
  monthRemaining(day: Day): number | undefined;
  /** Waits until `monthRemaining` is known, or cannot be. Never rejects. */
  awaitStatus(): Promise<unknown>;
}

/** The month's limits of all subscriptions. */
export interface MonthLeases {
  /**
   * The limit of an account and service, which `key` names, on its present subscription and plan. `epoch` is the account's count of changes
   * at which these were read. Undefined when there is no room, or when the owner of the leases cannot be asked. Never rejects.
   */
  of(key: string, subscriptionId: string, plan: Plan, epoch: number): MonthLease | undefined | Promise<MonthLease | undefined>;
}
