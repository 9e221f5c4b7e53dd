// An account's calls in a span of days, added up as asked for, and how much of this month's quota its subscriptions have used.

import type { Plans } from "../catalogue/plans.ts";
import { SERVICE_NAMES, type ServiceName } from "../catalogue/service-names.ts";
import { allowanceKeyOf } from "../guard/keys/access.ts";
import { type Day, dayAt } from "../guard/quota/month.ts";
import type { Violation } from "../problem/problem.ts";
import { REASONS } from "../problem/reason.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Month, UsageDimension, UsageQuery, UsageRow, UsageRows } from "../store/records.ts";
import type { AdminStore } from "../store/store.ts";
import { COUNTS_MAX, saturated, unlessTooMuch } from "./added-up.ts";
import { NOTHING_REFUSED, type RefusedForLimits, refusedForLimits } from "./refusal-history.ts";
import { type AskedSpan, spanOf, spanOfHours } from "./usage-span.ts";

/** The outcomes whose calls were refunded. Every other one counted, also one that only another version knows. */
export const refundedOutcomes: readonly string[] = Object.entries(REASONS)
  .filter(([, { charged }]) => !charged)
  .map(([reason]) => reason);

/** What the reports need. */
export interface UsageDependencies {
  readonly store: AdminStore;
  readonly plans: Plans;
  readonly clock: Clock;
  readonly unspent: UnspentCalls;
}

/** How many calls of a month this process has leased for an account and service (the guard's name for them) and not spent. */
export type UnspentCalls = (key: string, day: Day) => number;

/** How much of this month's quota an active subscription has used. */
export interface QuotaStatus {
  readonly subscriptionId: string;
  readonly service: ServiceName;
  readonly plan: string;
  readonly month: Month;
  /** Undefined when the plan is no longer on offer. */
  readonly callsPerMonth: number | undefined;
  /** Calls of this month that counted. Servers write them down every few seconds. */
  readonly counted: number;
  /** Calls that servers have leased of this month, spent or not. */
  readonly leased: number;
  /** Calls that an operator has given on top of `callsPerMonth`. */
  readonly credited: number;
  /** What nobody has leased of `callsPerMonth` and `credited`, and what this process has leased and not spent. */
  readonly remaining: number | undefined;
  /** When the next month begins. */
  readonly resetsAtMs: number;
  /** Calls of the month to the service that were refused for a limit. */
  readonly refused: RefusedForLimits;
}

/** A question about the history. */
export interface UsageHistoryQuery extends AskedSpan {
  /** All when it is left out. */
  readonly service?: ServiceName | undefined;
  /** What the rows are grouped by, each at most once. */
  readonly groupBy: readonly UsageDimension[];
  readonly limit: number;
  readonly offset: number;
}

/** The answer. */
export interface UsageHistory {
  /** In the services' usual order, whatever span was asked for. */
  readonly standings: readonly QuotaStatus[];
  readonly fromDay: string;
  readonly toDay: string;
  /** How many rows the span has without `limit` and `offset`. */
  readonly total: number;
  /** In ascending order of what they are grouped by. */
  readonly rows: readonly UsageRow[];
}

/** The refusal for a span that has more counts than are added up at once. */
export const spanTooLong = (time: "day" | "hour"): Violation => ({
  field: "from_day",
  description: `leaves more than ${COUNTS_MAX} counts to add up, one for each ${time}, method, key and outcome; ask for fewer days, or for one service`,
});

// This month is added up whatever span is asked for, so fewer days would not help.
const TOO_MANY_SERVICES: Violation = {
  field: "service",
  description: `leaves more than ${COUNTS_MAX} counts of this month to add up, one for each day, method, key and outcome; ask for one service`,
};

/** The history, added up. Rejects with a Failure of `tooMuch` when there is more than is added up at once. */
export const addedUp = (
  store: Pick<AdminStore, "usageRows">,
  query: Omit<UsageQuery, "countsMax" | "refunded">,
  tooMuch: Violation,
): Promise<UsageRows> =>
  unlessTooMuch(tooMuch, () => store.usageRows({ ...query, refunded: refundedOutcomes, countsMax: COUNTS_MAX }));

/**
 * Reads the history. A number too large for an int32 is answered as the largest int32. Rejects with a Failure when a day
 * is not a date, the span is empty or longer than 366 days, or it or this month holds more than is added up at once.
 */
export async function usageHistory(
  deps: UsageDependencies,
  accountId: string,
  { service, fromDay, toDay, groupBy, limit, offset }: UsageHistoryQuery,
): Promise<UsageHistory> {
  const today = dayAt(deps.clock.nowMs());
  const isByHour = groupBy.includes("hour");
  const span = (isByHour ? spanOfHours : spanOf)({ fromDay, toDay }, today.day);
  const standings = await quotaStatusesOf(deps, accountId, service, today);
  const tooLong = spanTooLong(isByHour ? "hour" : "day");
  const { total, rows } = await addedUp(deps.store, { accountId, service, ...span, groupBy, limit, offset }, tooLong);
  return {
    standings: standings.map(({ counted, remaining, refused, ...standing }) => ({
      ...standing,
      counted: saturated(counted),
      remaining: remaining && saturated(remaining),
      refused: { ...refused, forRate: saturated(refused.forRate), forQuota: saturated(refused.forQuota) },
    })),
    ...span,
    total,
    rows: rows.map((row) => ({ ...row, calls: saturated(row.calls), counted: saturated(row.counted) })),
  };
}

/**
 * How the active subscriptions stand, of one service or of all, in the services' usual order. Rejects with a Failure when this month holds
 * more than is added up at once.
 */
export async function quotaStatusesOf(
  { store, plans, unspent }: Pick<UsageDependencies, "store" | "plans" | "unspent">,
  accountId: string,
  service: ServiceName | undefined,
  today: Day,
): Promise<readonly QuotaStatus[]> {
  const { month, monthEndMs: resetsAtMs } = today;
  const subscriptions = (await store.listSubscriptionsInForce(accountId)).filter(({ state }) => state === "active");
  const days = { fromDay: `${month}-01`, toDay: `${month}-31` };
  const page = { groupBy: ["service"], limit: SERVICE_NAMES.length, offset: 0 } as const;
  const { rows } = await addedUp(store, { accountId, service, ...days, ...page }, TOO_MANY_SERVICES);
  const held = new Map(SERVICE_NAMES.map((name) => [name, unspent(allowanceKeyOf(accountId, name), today)]));
  const taken = await store.leasedCalls(
    subscriptions.map(({ id }) => id),
    month,
  );
  const refused = await refusedForLimits(store, accountId, service, days, TOO_MANY_SERVICES);
  return SERVICE_NAMES.filter((name) => service === undefined || name === service).flatMap((name) => {
    const subscription = subscriptions.find((each) => each.service === name);
    if (subscription === undefined) {
      return [];
    }
    const { id: subscriptionId, plan } = subscription;
    const callsPerMonth = plans.find(name, plan)?.callsPerMonth;
    const counted = rows.find((row) => row.service === name)?.counted ?? 0;
    const { leased = 0, credited = 0 } = taken.find((lease) => lease.subscriptionId === subscriptionId) ?? {};
    // After a change to a smaller plan more may be leased than the plan has.
    const remaining =
      callsPerMonth === undefined
        ? undefined
        : Math.min(callsPerMonth + credited, Math.max(0, callsPerMonth + credited - leased) + (held.get(name) ?? 0));
    const counts = { counted, leased, credited, remaining, refused: refused.get(name) ?? NOTHING_REFUSED };
    return [{ subscriptionId, service: name, plan, month, callsPerMonth, ...counts, resetsAtMs }];
  });
}
