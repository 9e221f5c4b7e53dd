// An account's calls in a span of days, added up as requested, and how much of this month's quota its subscriptions have used.
import { SERVICE_NAMES, type ServiceName } from "../catalogue/service-names.ts";
import { allowanceKeyOf } from "../guard/keys/access.ts";
import type { Violation } from "../problem/problem.ts";
import { REASONS } from "../problem/reason.ts";
import { type Day, dayAt, type Month } from "../runtime/calendar.ts";
import type { Clock } from "../runtime/clock.ts";
import type { AdminStore } from "../store/store.ts";
import type { UsageDimension, UsageQuery, UsageRow, UsageRows } from "../store/usage-records.ts";
import { NOTHING_REFUSED, type RefusedForLimits, refusedForLimits } from "./refusal-history.ts";
import { COUNTS_MAX, failOnTooMuch, type History, type HistoryQuery } from "./summed-counts.ts";
import { spanOf, spanOfHours } from "./usage-span.ts";

/** The outcomes whose calls are refunded. A call with any other outcome counts, even with one that only another version knows. */
export const refundedOutcomes: readonly string[] = Object.entries(REASONS)
  .filter(([, { charged }]) => !charged)
  .map(([reason]) => reason);

export interface UsageReportOptions {
  readonly store: AdminStore;
  readonly clock: Clock;
  readonly unspent: UnspentCalls;
}

/** How many of a month's calls this process has leased and not spent. `key` is the guard's name for an account and a service. */
export type UnspentCalls = (key: string, day: Day) => number;

/** How much of this month's quota an active subscription has used. */
export interface QuotaStatus {
  readonly subscriptionId: string;
  readonly service: ServiceName;
  readonly plan: string;
  readonly month: Month;
  readonly callsPerMonth: number;
  /** This month's calls that counted. Servers write them every few seconds. */
  readonly counted: number;
  /** This month's calls that servers have leased, spent or not. */
  readonly leased: number;
  /** Calls that an operator has added to `callsPerMonth`. */
  readonly credited: number;
  /** The part of `callsPerMonth` and `credited` that nobody has leased, plus what this process has leased and not spent. */
  readonly remaining: number;
  /** When the next month begins. */
  readonly resetsAtMs: number;
  /** This month's calls to the service that were refused because of a limit. */
  readonly refused: RefusedForLimits;
}

export interface UsageHistory extends History<UsageRow> {
  /** In the services' usual order, for any span. */
  readonly standings: readonly QuotaStatus[];
}

/** The violation for a span that has more counts than may be added up at once. */
export const spanTooLong = (time: "day" | "hour"): Violation => ({
  field: "from_day",
  description: `covers more than ${COUNTS_MAX} counts (one for each ${time}, method, key and outcome); request fewer days, or a single service`,
});

// This month is always added up, whatever span is requested, so fewer days would not help.
const TOO_MANY_SERVICES: Violation = {
  field: "service",
  description: `covers more than ${COUNTS_MAX} counts of this month (one for each day, method, key and outcome); request a single service`,
};

/** Adds up the calls. Rejects with a Failure that has the violation `tooMuch` if there are more counts than may be added up at once. */
export const addUpCalls = (
  store: Pick<AdminStore, "usageRows">,
  query: Omit<UsageQuery, "countsMax" | "refunded">,
  tooMuch: Violation,
): Promise<UsageRows> =>
  failOnTooMuch(tooMuch, () => store.usageRows({ ...query, refunded: refundedOutcomes, countsMax: COUNTS_MAX }));

/**
 * Reads the history. Rejects with a Failure if a day is not a date, the span is empty or longer than 366 days, or the span or this month
 * has more counts than may be added up at once.
 */
export async function usageHistory(
  options: UsageReportOptions,
  accountId: string,
  { service, fromDay, toDay, groupBy, limit, offset }: HistoryQuery<UsageDimension>,
): Promise<UsageHistory> {
  const today = dayAt(options.clock.nowMs());
  const isByHour = groupBy.includes("hour");
  const span = (isByHour ? spanOfHours : spanOf)({ fromDay, toDay }, today.day);
  const standings = await quotaStatusesOf(options, accountId, service, today);
  const tooLong = spanTooLong(isByHour ? "hour" : "day");
  const { total, rows } = await addUpCalls(options.store, { accountId, service, ...span, groupBy, limit, offset }, tooLong);
  return { standings, ...span, total, rows };
}

/**
 * What is left of the active subscriptions' quotas, for one service or all, in the services' usual order. Rejects with a Failure if this
 * month has more counts than may be added up at once.
 */
export async function quotaStatusesOf(
  { store, unspent }: Pick<UsageReportOptions, "store" | "unspent">,
  accountId: string,
  service: ServiceName | undefined,
  today: Day,
): Promise<readonly QuotaStatus[]> {
  const { month, monthEndMs: resetsAtMs } = today;
  const subscriptions = (await store.listCurrentSubscriptions(accountId)).filter(({ state }) => state === "active");
  const days = { fromDay: `${month}-01`, toDay: `${month}-31` };
  const page = { groupBy: ["service"], limit: SERVICE_NAMES.length, offset: 0 } as const;
  const { rows } = await addUpCalls(store, { accountId, service, ...days, ...page }, TOO_MANY_SERVICES);
  const unspentCalls = new Map(SERVICE_NAMES.map((name) => [name, unspent(allowanceKeyOf(accountId, name), today)]));
  const leases = await store.leasedCalls(
    subscriptions.map(({ id }) => id),
    month,
  );
  const refused = await refusedForLimits(store, accountId, service, days, TOO_MANY_SERVICES);
  return SERVICE_NAMES.filter((name) => service === undefined || name === service).flatMap((name) => {
    const subscription = subscriptions.find((each) => each.service === name);
    if (subscription === undefined) {
      return [];
    }
    const {
      id: subscriptionId,
      plan,
      terms: { callsPerMonth },
    } = subscription;
    const { leased = 0, credited = 0, raised = 0 } = leases.find((lease) => lease.subscriptionId === subscriptionId) ?? {};
    const counted = (rows.find((row) => row.service === name)?.counted ?? 0) + raised;
    // After a change to a smaller plan, more may be leased than the plan includes.
    const remaining = Math.min(
      callsPerMonth + credited,
      Math.max(0, callsPerMonth + credited - leased) + (unspentCalls.get(name) ?? 0),
    );
    const counts = { counted, leased, credited, remaining, refused: refused.get(name) ?? NOTHING_REFUSED };
    return [{ subscriptionId, service: name, plan, month, callsPerMonth, ...counts, resetsAtMs }];
  });
}
