// What a customer's refusals of this month say about the plan. It says only what is certain: days are counted, not seconds, so whether a faster plan
// would have let in every call is known only where few were refused.
import type { MonthStanding, Plan, RefusalRow } from "../../../../gen/quintet/account/v1/account_pb.js";
import { formatNumber } from "../../formats.ts";

const DAY_MS = 86_400_000;

/** What an advice is made from, all of one service. */
export interface AdviceInput {
  /** The plans on offer, from the smallest to the largest. */
  readonly plans: readonly Plan[];
  /** The month of the active subscription; undefined where there is none. */
  readonly standing: Pick<MonthStanding, "plan" | "counted"> | undefined;
  /** The refusals of this month, by day and reason. */
  readonly refusals: readonly Pick<RefusalRow, "day" | "reason" | "calls">[];
}

/** Sentences for the customer; undefined where no plan would have changed anything. */
export function adviceOf({ plans, standing, refusals }: AdviceInput): string | undefined {
  const refusedFor = (reason: string): number => sum(refusals.filter((row) => row.reason === reason));
  if (standing === undefined) {
    const refused = refusedFor("SUBSCRIPTION_REQUIRED");
    return refused === 0 ? undefined : `${callsWere(refused)} refused this month because you had no active subscription.`;
  }
  const index = plans.findIndex(({ name }) => name === standing.plan);
  const present = plans[index];
  const bySecond = refusedFor("RATE_LIMITED");
  const byMonth = refusedFor("QUOTA_EXCEEDED");
  if (present === undefined || bySecond + byMonth === 0) {
    return undefined;
  }
  const total = bySecond + byMonth;
  const larger = plans.slice(index + 1);
  const wanted = standing.counted + total;
  const lasts = (plan: Plan): boolean => wanted <= plan.callsPerMonth;
  const burst = largestOfTwoDays(refusals.filter(({ reason }) => reason === "RATE_LIMITED"));
  const enough = larger.find((plan) => lasts(plan) && isFastEnough(plan, present, burst));
  if (enough !== undefined) {
    return `On ${enough.name} none of your ${formatNumber(total)} refusals of this month would have happened.`;
  }
  const counts = `${callsWere(total)} refused this month: ${formatNumber(bySecond)} by the limit of a second, ${formatNumber(byMonth)} by that of the month.`;
  const next = larger.find(lasts) ?? larger.at(-1);
  return next === undefined ? `${counts} No plan on offer is larger.` : `${counts} ${comparison(next, present, lasts(next))}`;
}

// The calls that were let in kept to the present rate, with a burst of one second. So all calls together fit a faster plan, with a burst of its own
// second, where no more were refused than it lets in beside the present one. A burst may go on over midnight, hence two days.
const isFastEnough = (plan: Plan, present: Plan, burst: number): boolean =>
  burst <= plan.requestsPerSecond - present.requestsPerSecond;

function largestOfTwoDays(refusals: AdviceInput["refusals"]): number {
  const days = new Map<number, number>();
  for (const { day, calls } of refusals) {
    const number = Date.parse(day ?? "") / DAY_MS;
    days.set(number, (days.get(number) ?? 0) + calls);
  }
  return Math.max(0, ...[...days].map(([number, calls]) => calls + (days.get(number + 1) ?? 0)));
}

function comparison(next: Plan, present: Plan, lasts: boolean): string {
  const second = `${formatNumber(next.requestsPerSecond)} calls a second in place of ${formatNumber(present.requestsPerSecond)}`;
  const month = lasts ? "a month that is long enough for all of them" : `${formatNumber(next.callsPerMonth)} calls a month`;
  return `${next.name} allows ${second}, and ${month}.`;
}

const callsWere = (count: number): string => (count === 1 ? "1 call was" : `${formatNumber(count)} calls were`);

const sum = (rows: AdviceInput["refusals"]): number => rows.reduce((total, { calls }) => total + calls, 0);
