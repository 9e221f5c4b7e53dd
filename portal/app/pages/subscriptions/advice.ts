// Recommends a larger plan, from the calls that were refused this month. A plan would certainly have admitted them all if it includes every
// call that was counted or refused, and allows the requests per second that the server found sufficient. That rate assumes the worst case:
// that all calls refused within two seconds arrived at once. A plan with half of the additional requests per second would have admitted at
// least half of the calls, or all of them if they were spread evenly, so it is recommended too, as admitting "most or all". If the rate
// limit refused nothing, the rate does not matter: the cheapest plan with enough calls is recommended. Once a quota is used up, calls come
// faster than usual, because each is refused immediately and clients may retry.
import type { Plan } from "../../../../gen/quintet/account/v1/status_pb.js";
import { faultOf } from "../../../api/reason.ts";
import { formatMoney, formatNumber, planTitle } from "../../formats.ts";
import type { MonthStanding, UsageRow } from "../../usage/usage-report.ts";

type Standing = Pick<MonthStanding, "plan" | "counted" | "refusedForRate" | "refusedForQuota" | "sufficientRequestsPerSecond">;

/** The data that advice is made from, all for one service. */
export interface AdviceInput {
  /** The plans on offer, in any order. */
  readonly plans: readonly Plan[];
  /** The month of the active subscription; undefined if there is none. */
  readonly standing: Standing | undefined;
  /** This month's refusals by reason, for a service without a subscription. */
  readonly refusals: readonly Pick<UsageRow, "outcome" | "calls">[];
}

/** What a customer is advised. */
export interface Advice {
  readonly message: string;
  /** The plan that would help; undefined if there is none, or if any active plan would help. */
  readonly plan: Plan | undefined;
}

/** The advice for a customer: the cheapest plan that would have helped. Undefined if nothing was refused because of a plan. */
export function adviceOf({ plans, standing, refusals }: AdviceInput): Advice | undefined {
  if (standing === undefined) {
    const refused = refusals.reduce((sum, { outcome, calls }) => sum + (faultOf(outcome) === "subscription" ? calls : 0), 0);
    const message = `${callsPhrase(refused)} refused this month because you had no active subscription.`;
    return refused === 0 ? undefined : { message, plan: undefined };
  }
  const current = plans.find(({ name }) => name === standing.plan);
  const { refusedForRate: bySecond, refusedForQuota: byMonth, sufficientRequestsPerSecond: sufficient } = standing;
  if (current === undefined || bySecond + byMonth === 0) {
    return undefined;
  }
  const total = bySecond + byMonth;
  const larger = plans.filter((plan) => isLarger(plan, current)).toSorted((a, b) => a.priceMinor - b.priceMinor);
  const wanted = standing.counted + total;
  const hasEnoughCalls = (plan: Plan): boolean => wanted <= plan.callsPerMonth;
  const evenly = sufficient === undefined ? undefined : (current.requestsPerSecond + sufficient) / 2;
  const hasEnoughPerSecond = (plan: Plan): boolean => evenly !== undefined && evenly <= plan.requestsPerSecond;
  const enough = larger.find((plan) => hasEnoughCalls(plan) && (bySecond === 0 || hasEnoughPerSecond(plan)));
  if (enough !== undefined && sufficient !== undefined && hasEnoughPerSecond(enough)) {
    const isSure = sufficient <= enough.requestsPerSecond;
    const calls =
      total === 1
        ? "this month's refused call"
        : `${isSure ? "all" : "most or all"} of this month's ${formatNumber(total)} refused calls`;
    return { message: `${priced(enough)} would have admitted ${calls}.`, plan: enough };
  }
  const limits = [
    ["the rate limit", bySecond],
    ["the monthly quota", byMonth],
  ] as const;
  const [first, second] = limits.filter(([, calls]) => calls > 0);
  const counts =
    second === undefined
      ? `${callsPhrase(total)} refused this month by ${first?.[0]}.`
      : `${callsPhrase(total)} refused this month: ${limits.map(([limit, calls]) => `${formatNumber(calls)} by ${limit}`).join(", ")}.`;
  const next = larger.find(hasEnoughCalls) ?? larger.at(-1);
  const rest = next === undefined ? "There is no larger plan." : comparison(next, current, hasEnoughCalls(next));
  return { message: `${counts} ${rest}`, plan: next };
}

function comparison(next: Plan, current: Plan, hasEnoughCalls: boolean): string {
  const second = `${formatNumber(next.requestsPerSecond)} requests per second instead of ${formatNumber(current.requestsPerSecond)}`;
  const month = hasEnoughCalls ? "enough calls per month" : `${formatNumber(next.callsPerMonth)} calls per month`;
  return `${priced(next)} allows ${second}, and ${month}.`;
}

// Whether a plan has at least one higher limit than the current plan, and no lower one.
const isLarger = (plan: Plan, current: Plan): boolean =>
  plan.name !== current.name && plan.callsPerMonth >= current.callsPerMonth && plan.requestsPerSecond >= current.requestsPerSecond;

const priced = ({ name, priceMinor, currency }: Plan): string =>
  `${planTitle(name)} (${formatMoney(priceMinor, currency)} a month)`;

const callsPhrase = (count: number): string => (count === 1 ? "1 call was" : `${formatNumber(count)} calls were`);
