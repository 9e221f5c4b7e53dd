// How much of a month a process may hold at once. What it holds is lost in a crash and cannot be used by other processes. So it is at most a
// hundredth of the plan, at most what the plan's rate allows in a minute, and it shrinks as the month's calls run out and with the number of
// nodes. Still it is enough that the store is asked rarely, and that nobody notices a short outage of the store.
import type { Plan } from "../../catalogue/plan.ts";

const SHARE_OF_PLAN = 100;
const SECONDS_HELD = 60;
const SHARE_OF_REST = 10;

/** The most calls of a plan's month that a process may hold and not have spent; at least 1. */
export function leaseMax(plan: Pick<Plan, "callsPerMonth" | "requestsPerSecond">): number {
  return Math.max(1, Math.min(Math.floor(plan.callsPerMonth / SHARE_OF_PLAN), plan.requestsPerSecond * SECONDS_HELD));
}

/**
 * How many calls to hold when the store has `unleased` left, as it said last; undefined when nothing is known of the month yet. All `nodes`
 * together hold about a tenth of the rest: else many nodes would have the month among them, and most callers would meet one that has none.
 */
export function leaseSize(plan: Plan, unleased: number | undefined, nodes: number): number {
  const sizeOf = (rest: number): number => Math.min(leaseMax(plan), Math.ceil(rest / (SHARE_OF_REST * nodes)));
  // The first lease of a month is small: until the store has answered, the month's remaining calls are not known.
  return Math.max(1, unleased === undefined ? Math.ceil(sizeOf(plan.callsPerMonth) / SHARE_OF_REST) : sizeOf(unleased));
}

/** How many calls a node leases from the store when its lease has `left` calls and `waiting` callers wait for one call each. At least 1. */
export function leaseWant(plan: Plan, unleased: number | undefined, nodes: number, left: number, waiting: number): number {
  return Math.max(1, Math.min(leaseMax(plan) - left, Math.max(leaseSize(plan, unleased, nodes) - left, waiting)));
}
