// What an account has used: how each of its subscriptions stands in this month, and the history of a span of days.
import type { Clock } from "../clock.ts";
import { dayAt } from "../guard/month.ts";
import type { Plans } from "../guard/plans.ts";
import { Failure, invalidArgument } from "../problem/problem.ts";
import { REASONS } from "../problem/reason.ts";
import { SERVICE_NAMES, type ServiceName } from "../services/service.ts";
import type { AdminStore, Month, MonthStanding, Subscription, UsageCount } from "../store/store.ts";

const dayMs = 86_400_000;
const daysMax = 366;

/** How a subscription stands in the month that runs. */
interface Standing {
  readonly plan: string;
  /** Undefined when the plan is not on offer any more. */
  readonly callsPerMonth: number | undefined;
  /** Calls of this month that counted, as far as the servers have written them down, which they do every few seconds. */
  readonly counted: number;
  /** Calls that servers have taken out of this month, spent or not. */
  readonly leased: number;
  /** `callsPerMonth` without `counted`. */
  readonly remaining: number | undefined;
}

/** One service in the span. */
export interface ServiceUsage {
  readonly service: ServiceName;
  /** Undefined without an active subscription. */
  readonly standing: Standing | undefined;
  /** All calls that were let in, however they ended. */
  readonly calls: number;
  /** Those of them that count in the month's quota: what failed on our side does not. */
  readonly counted: number;
  readonly byMethod: readonly { readonly method: string; readonly outcome: string; readonly calls: number }[];
}

/** The whole report. */
export interface UsageReport {
  readonly month: Month;
  readonly fromDay: string;
  readonly toDay: string;
  /** In the services' usual order: those that have a subscription or were called in the span. */
  readonly services: readonly ServiceUsage[];
}

/** Days are UTC, `2026-11-21`, both inclusive; by default from the month's first to today. */
export interface UsageSpan {
  readonly service: ServiceName | undefined;
  readonly fromDay: string | undefined;
  readonly toDay: string | undefined;
}

/** Makes the report. Rejects with a Failure when a day is none, or the span is empty or longer than 366 days. */
export async function usageReport(
  { store, plans, clock }: { readonly store: AdminStore; readonly plans: Plans; readonly clock: Clock },
  accountId: string,
  { service, ...span }: UsageSpan,
): Promise<UsageReport> {
  const { day: today, month } = dayAt(clock.nowMs());
  const toDay = span.toDay ?? today;
  const fromDay = span.fromDay ?? `${toDay.slice(0, 7)}-01`;
  checkSpan(fromDay, toDay);
  const ofService = service === undefined ? {} : { service };
  const subscriptions = (await store.listSubscriptions(accountId)).filter(({ state }) => state === "active");
  const standings = await store.monthStanding(
    subscriptions.map(({ id }) => id),
    month,
  );
  const thisMonth = await store.usage({ accountId, fromDay: `${month}-01`, toDay: `${month}-31`, ...ofService });
  const history = await store.usage({ accountId, fromDay, toDay, ...ofService });
  const services = SERVICE_NAMES.filter((name) => service === undefined || name === service).flatMap((name): ServiceUsage[] => {
    const subscription = subscriptions.find((each) => each.service === name);
    const counts = history.filter((each) => each.service === name);
    if (subscription === undefined && counts.length === 0) {
      return [];
    }
    const month = thisMonth.filter((each) => each.service === name);
    const standing = subscription && standingOf(subscription, standings, plans, countedOf(month));
    return [{ service: name, standing, calls: sum(counts), counted: countedOf(counts), byMethod: byMethod(counts) }];
  });
  return { month, fromDay, toDay, services };
}

function standingOf(subscription: Subscription, standings: readonly MonthStanding[], plans: Plans, counted: number): Standing {
  const callsPerMonth = plans.find(subscription.service, subscription.plan)?.callsPerMonth;
  return {
    plan: subscription.plan,
    callsPerMonth,
    counted,
    leased: standings.find(({ subscriptionId }) => subscriptionId === subscription.id)?.leased ?? 0,
    remaining: callsPerMonth === undefined ? undefined : Math.max(0, callsPerMonth - counted),
  };
}

function byMethod(counts: readonly UsageCount[]): ServiceUsage["byMethod"] {
  const groups = Map.groupBy(counts, ({ method, outcome }) => `${method} ${outcome}`);
  return [...groups.values()]
    .map((group) => ({ method: group[0]?.method ?? "", outcome: group[0]?.outcome ?? "", calls: sum(group) }))
    .sort((a, b) => a.method.localeCompare(b.method, "en") || b.calls - a.calls || a.outcome.localeCompare(b.outcome, "en"));
}

const sum = (counts: readonly UsageCount[]): number => counts.reduce((total, { calls }) => total + calls, 0);

const countedOf = (counts: readonly UsageCount[]): number => sum(counts.filter(({ outcome }) => isCounted(outcome)));

// A reason that this version does not know was written by another; what is not known to be refunded was counted.
const isCounted = (outcome: string): boolean =>
  !Object.hasOwn(REASONS, outcome) || REASONS[outcome as keyof typeof REASONS].charged;

function checkSpan(fromDay: string, toDay: string): void {
  const fault = (field: string, description: string): never => {
    throw new Failure(invalidArgument([{ field, description }]));
  };
  const toMs = dayStartMs(toDay) ?? fault("to", `must be a day such as 2026-11-21, not "${toDay}"`);
  const fromMs = dayStartMs(fromDay) ?? fault("from", `must be a day such as 2026-11-21, not "${fromDay}"`);
  if (fromMs > toMs) {
    fault("from", `must not be after ${toDay}`);
  }
  if ((toMs - fromMs) / dayMs >= daysMax) {
    fault("from", `must be at most ${daysMax} days before ${toDay}`);
  }
}

function dayStartMs(day: string): number | undefined {
  const startMs = /^\d{4}-\d{2}-\d{2}$/.test(day) ? Date.parse(day) : Number.NaN;
  // Date.parse takes the 30th of February for the 2nd of March; the way back tells.
  return Number.isNaN(startMs) || new Date(startMs).toISOString().slice(0, 10) !== day ? undefined : startMs;
}
