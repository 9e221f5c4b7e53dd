// How many of a month's calls a process may hold at once. A crash loses the calls that the process holds, and other processes cannot use
// them. So it holds at most a hundredth of the plan's monthly quota, and at most as many calls as the plan's rate allows in a minute; fewer
// as the month's calls run out and as nodes are added. Even so, it holds enough to query the store rarely, and to bridge a short outage.
import type { PlanTerms } from "../../store/records.ts";

const SHARE_OF_PLAN = 100;
const SECONDS_HELD = 60;
const SHARE_OF_REST = 10;

/** The most unspent calls of a plan's monthly quota that a process may hold; at least 1. */
export function leaseMax(plan: PlanTerms): number {
  return Math.max(1, Math.min(Math.floor(plan.callsPerMonth / SHARE_OF_PLAN), plan.requestsPerSecond * SECONDS_HELD));
}

/**
 * How many calls to hold. `unleased`: how many calls the store had left at its last report; undefined while nothing is known about the
 * quota. All `nodes` together hold about a tenth of those calls: if they held all, many callers would reach a node that has none left.
 */
export function leaseSize(plan: PlanTerms, unleased: number | undefined, nodes: number): number {
  const sizeOf = (rest: number): number => Math.min(leaseMax(plan), Math.ceil(rest / (SHARE_OF_REST * nodes)));
  // The first lease of a month is small: until the store has responded, the month's remaining calls are not known.
  return Math.max(1, unleased === undefined ? Math.ceil(sizeOf(plan.callsPerMonth) / SHARE_OF_REST) : sizeOf(unleased));
}

/** How many calls a node leases from the store when its lease has `left` calls and `waiting` callers wait for one call each. At least 1. */
export function leaseWant(plan: PlanTerms, unleased: number | undefined, nodes: number, left: number, waiting: number): number {
  return Math.max(1, Math.min(leaseMax(plan) - left, Math.max(leaseSize(plan, unleased, nodes) - left, waiting)));
}

/** The number of calls below which a lease of this size is refilled: half of it, and at least 1. */
export const lowWaterOf = (lease: number): number => Math.max(1, Math.floor(lease / 2));
