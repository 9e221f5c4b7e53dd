// The monthly quota of a subscription or of a key's cap, as the guard uses it. The thread that owns the store implements it with an
// Allowance. Other threads implement it with the same shared memory, and ask the owning thread for what is not in it.
import type { Day } from "../../runtime/calendar.ts";
import type { LeaseSubject, PlanTerms } from "../../store/records.ts";

/** A call that has been charged: the day on which it counts, how many calls are left in the lease, and which lease it was charged to. */
export interface Spent {
  readonly day: Day;
  readonly left: number;
  readonly slot: number;
  readonly leaseId: number;
}

/** The result for a caller who waited for a lease. */
export type LaterSpent = Spent | "exhausted" | "unavailable";

/** The monthly quota of one subscription. */
export interface MonthLease {
  /** Identifies the account and the service that the limits belong to; the same on every node. */
  readonly name: string;
  /** Its slot in the shared memory. */
  readonly slot: number;
  /** Charges a call if the lease in memory has one left; otherwise undefined. */
  spend(day: Day): Spent | undefined;
  /**
   * Charges a call once the store has been queried. Resolves to "unavailable" at once while the store is known to be down. Never rejects.
   */
  spendLater(): Promise<LaterSpent>;
  /** Whether the store has reported that the quota is used up. */
  isExhausted(day: Day): boolean;
  /** Records that a charged call has started. */
  begin(spent: Spent): void;
  /** Records that the call has ended, and refunds its charge if `refunded`. A charge in a past month is not refunded. */
  end(spent: Spent, refunded: boolean): void;
  /** How many calls are left this month, not counting those that other processes hold; undefined until the store has been queried. */
  monthRemaining(day: Day): number | undefined;
  /** Waits until `monthRemaining` is known, or cannot become known. Never rejects. */
  awaitStatus(): Promise<unknown>;
}

/** The monthly quotas of all subscriptions. */
export interface MonthLeases {
  /**
   * The monthly quota that `key` names: that of an account and service, or of a cap. `subject` and `terms` are the current ones, as read
   * when the account's count of changes was `epoch`. Undefined if there is no room, or if the owner of the leases cannot be reached. Never
   * rejects.
   */
  of(key: string, subject: LeaseSubject, terms: PlanTerms, epoch: number): MonthLease | undefined | Promise<MonthLease | undefined>;
}
