// What a customer's refusals of this month say about the plan. It says only what is certain: a plan would have admitted every call where it
// allows the requests per second that the server found sufficient, and has as many calls as were counted and refused together.
import type { MonthStanding, Plan, RefusalRow } from "../../../../gen/quintet/account/v1/account_pb.js";
import { formatNumber } from "../../formats.ts";

type Standing = Pick<MonthStanding, "plan" | "counted" | "refusedForRate" | "refusedForQuota" | "sufficientRequestsPerSecond">;

/** The data that advice is made from, all for one service. */
export interface AdviceInput {
  /** The plans on offer, from the smallest to the largest. */
  readonly plans: readonly Plan[];
  /** The month of the active subscription; undefined if there is none. */
  readonly standing: Standing | undefined;
  /** This month's refusals by reason, for a service without a subscription. */
  readonly refusals: readonly Pick<RefusalRow, "reason" | "calls">[];
}

/** Sentences for the customer; undefined if no plan would have changed anything. */
export function adviceOf({ plans, standing, refusals }: AdviceInput): string | undefined {
  if (standing === undefined) {
    const refused = refusals.reduce((sum, { reason, calls }) => sum + (reason === "SUBSCRIPTION_REQUIRED" ? calls : 0), 0);
    return refused === 0 ? undefined : `${callsWere(refused)} refused this month because you had no active subscription.`;
  }
  const index = plans.findIndex(({ name }) => name === standing.plan);
  const present = plans[index];
  const { refusedForRate: bySecond, refusedForQuota: byMonth, sufficientRequestsPerSecond: sufficient } = standing;
  if (present === undefined || bySecond + byMonth === 0) {
    return undefined;
  }
  const total = bySecond + byMonth;
  const larger = plans.slice(index + 1);
  const wanted = standing.counted + total;
  const lasts = (plan: Plan): boolean => wanted <= plan.callsPerMonth;
  const enough = larger.find((plan) => lasts(plan) && sufficient !== undefined && sufficient <= plan.requestsPerSecond);
  if (enough !== undefined) {
    return `On ${enough.name}, none of this month's ${formatNumber(total)} refused calls would have been refused.`;
  }
  const counts = `${callsWere(total)} refused this month: ${formatNumber(bySecond)} by the rate limit, ${formatNumber(byMonth)} by the monthly quota.`;
  const next = larger.find(lasts) ?? larger.at(-1);
  return next === undefined ? `${counts} There is no larger plan.` : `${counts} ${comparison(next, present, lasts(next))}`;
}

function comparison(next: Plan, present: Plan, lasts: boolean): string {
  const second = `${formatNumber(next.requestsPerSecond)} calls a second instead of ${formatNumber(present.requestsPerSecond)}`;
  const month = lasts ? "enough calls a month for all of them" : `${formatNumber(next.callsPerMonth)} calls a month`;
  return `${next.name} allows ${second}, and ${month}.`;
}

const callsWere = (count: number): string => (count === 1 ? "1 call was" : `${formatNumber(count)} calls were`);
