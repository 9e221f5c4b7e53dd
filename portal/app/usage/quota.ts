// How much of a month's quota is used.
import type { MonthStanding } from "./usage-report.ts";

/** A quota counts as nearly used up once this share of it is used. */
const NEARLY_USED_SHARE = 0.8;

/** The state of a quota. */
export interface Quota {
  /** From 0 to 1. Less than 1 while a call is left. */
  readonly share: number;
  readonly state: "open" | "nearly" | "usedUp";
}

/**
 * A month's quota; undefined if the plan is no longer on offer. Calls that servers have leased are neither counted yet nor remaining, so
 * every call that is not remaining is shown as used. Calls that the operator has added make the quota larger.
 */
export function quotaOf({
  callsPerMonth,
  counted,
  remaining,
}: Pick<MonthStanding, "callsPerMonth" | "counted"> & Partial<Pick<MonthStanding, "remaining">>): Quota | undefined {
  if (callsPerMonth === undefined || remaining === undefined) {
    return undefined;
  }
  if (remaining === 0) {
    return { share: 1, state: "usedUp" };
  }
  const included = Math.max(callsPerMonth, counted + remaining);
  const share = (included - remaining) / included;
  return { share, state: share >= NEARLY_USED_SHARE ? "nearly" : "open" };
}
