// The port to a store: what the guard asks of it. Any database can implement it; sqlite-store.ts does.
import type { KeyRecord, Plan } from "./access.ts";

/** A call to be charged to a subscription. */
export interface Charge {
  /** The id that `findKey` returned. */
  readonly subscriptionId: string;
  readonly plan: Plan;
  /** A month in UTC, such as `2026-11`. */
  readonly month: string;
  /** How many calls it counts as; at least 1. */
  readonly cost: number;
  /** The wall clock, in milliseconds since the epoch. */
  readonly nowMs: number;
}

/** What was decided about a charge. */
export interface Charged {
  /** Undefined if the call was charged to both limits; otherwise the limit that refuses it, and nothing was charged. */
  readonly refusedBy?: "second" | "month";
  /** Requests left this second. */
  readonly secondRemaining: number;
  /** Milliseconds until at least one more request is allowed. */
  readonly nextMs: number;
  /** Calls left this month. */
  readonly monthRemaining: number;
}

type Later<Value> = Value | Promise<Value>;

/** If a method throws or rejects, the call is refused. */
export interface GuardStore {
  /** The key with this SHA-256, lower-case hex; undefined if nobody has it. */
  findKey(hash: string): Later<KeyRecord | undefined>;
  /**
   * Charges a call to the rate and to the month, or to neither. Must be atomic among all processes that use the store: of the calls of a
   * month, no more than the plan's may ever be charged and not refunded.
   */
  charge(charge: Charge): Later<Charged>;
  /** Takes `cost` calls off a month's count. The rate stays charged. */
  refund(charge: Pick<Charge, "subscriptionId" | "month" | "cost">): Later<void>;
}
