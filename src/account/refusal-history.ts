// An account's refused calls in a span of days, added up as requested, and this month's calls that were refused because of a limit.
import { SERVICE_NAMES, type ServiceName } from "../catalogue/service-names.ts";
import type { Violation } from "../problem/problem.ts";
import type { Reason } from "../problem/reason.ts";
import { dayAt } from "../runtime/calendar.ts";
import type { Clock } from "../runtime/clock.ts";
import type { AdminStore } from "../store/store.ts";
import type { RefusalDimension, RefusalRow } from "../store/usage-records.ts";
import { COUNTS_MAX, failOnTooMuch, type History, type HistoryQuery } from "./summed-counts.ts";
import { spanOf, spanOfHours } from "./usage-span.ts";

/** A month's calls to a service that were refused because of a limit. */
export interface RefusedForLimits {
  /** Because of the rate limit. */
  readonly forRate: number;
  /** Because of the monthly quota. */
  readonly forQuota: number;
  /** A plan with this many requests per second would have admitted all of them; undefined if there are none. */
  readonly rateNeeded: number | undefined;
}

/** No call was refused because of a limit. */
export const NOTHING_REFUSED: RefusedForLimits = { forRate: 0, forQuota: 0, rateNeeded: undefined };

const spanTooLong = (time: "day" | "hour"): Violation => ({
  field: "from_day",
  description: `covers more than ${COUNTS_MAX} counts (one for each ${time}, service, key and outcome); request fewer days, or a single service`,
});

const RATE_REASON: Reason = "RATE_LIMITED";
const QUOTA_REASON: Reason = "QUOTA_EXCEEDED";

/**
 * Reads the refusals. Rejects with a Failure if a day is not a date, or the span is empty, longer than 366 days, or has more counts than
 * may be added up at once.
 */
export async function refusalHistory(
  { store, clock }: { readonly store: Pick<AdminStore, "refusalRows">; readonly clock: Clock },
  accountId: string,
  { fromDay, toDay, ...page }: HistoryQuery<RefusalDimension>,
): Promise<History<RefusalRow>> {
  const isByHour = page.groupBy.includes("hour");
  const span = (isByHour ? spanOfHours : spanOf)({ fromDay, toDay }, dayAt(clock.nowMs()).day);
  const query = { accountId, ...span, ...page, countsMax: COUNTS_MAX };
  const { total, rows } = await failOnTooMuch(spanTooLong(isByHour ? "hour" : "day"), () => store.refusalRows(query));
  return { ...span, total, rows };
}

/**
 * The calls that were refused on these days because of a limit, by service. Rejects with a Failure that has the violation `tooMuch` if
 * there are more counts than may be added up at once.
 */
export async function refusedForLimits(
  store: Pick<AdminStore, "refusalRows">,
  accountId: string,
  service: ServiceName | undefined,
  days: { readonly fromDay: string; readonly toDay: string },
  tooMuch: Violation,
): Promise<ReadonlyMap<ServiceName, RefusedForLimits>> {
  const page = { groupBy: ["service", "reason"], limit: Number.MAX_SAFE_INTEGER, offset: 0, countsMax: COUNTS_MAX } as const;
  const { rows } = await failOnTooMuch(tooMuch, () => store.refusalRows({ accountId, service, ...days, ...page }));
  const limitRows = rows.filter(({ reason }) => reason === RATE_REASON || reason === QUOTA_REASON);
  return new Map(
    SERVICE_NAMES.flatMap((name) => {
      const own = limitRows.filter((row) => row.service === name);
      const callsOf = (reason: Reason): number => own.find((row) => row.reason === reason)?.calls ?? 0;
      const rateNeeded = Math.max(...own.map((row) => row.rateNeeded));
      return own.length === 0
        ? []
        : [[name, { forRate: callsOf(RATE_REASON), forQuota: callsOf(QUOTA_REASON), rateNeeded }] as const];
    }),
  );
}
