// What a response tells the caller about its limits.
import type { Plan } from "../catalogue/plan.ts";
import { type Day, monthLeftMs } from "../runtime/calendar.ts";
import type { LimitState } from "./guard.ts";
import type { RateTake } from "./rate/bucket.ts";

/**
 * What is left of a subscription's limits at `nowMs` of the wall clock. `take`: the decision of the rate limit. `monthRemaining`: calls.
 */
export function limitState(plan: Plan, take: RateTake, monthRemaining: number, day: Day, nowMs: number): LimitState {
  return {
    plan,
    secondRemaining: take.remaining,
    secondResetSeconds: Math.ceil(take.nextMs / 1000),
    monthRemaining,
    monthResetSeconds: Math.ceil(monthLeftMs(day, nowMs) / 1000),
    monthSeconds: day.monthSeconds,
  };
}
