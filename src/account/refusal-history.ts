// An account's refused calls in a span of days, added up as asked for, and which of this month's were refused for a limit.
import { SERVICE_NAMES, type ServiceName } from "../catalogue/service-names.ts";
import { dayAt } from "../guard/quota/month.ts";
import type { Violation } from "../problem/problem.ts";
import type { Reason } from "../problem/reason.ts";
import type { Clock } from "../runtime/clock.ts";
import type { RefusalDimension, RefusalRow } from "../store/records.ts";
import type { AdminStore } from "../store/store.ts";
import { COUNTS_MAX, saturated, unlessTooMuch } from "./added-up.ts";
import { type AskedSpan, spanOf, spanOfHours } from "./usage-span.ts";

/** Calls of a month to a service that were refused for a limit. */
export interface RefusedForLimits {
  /** Because a second was used up. */
  readonly forRate: number;
  /** Because the month was used up. */
  readonly forQuota: number;
  /** A plan with so many requests per second would have refused none of them for the second; undefined where there are none. */
  readonly rateNeeded: number | undefined;
}

/** No call was refused for a limit. */
export const NOTHING_REFUSED: RefusedForLimits = { forRate: 0, forQuota: 0, rateNeeded: undefined };

/** A question about refusals. */
export interface RefusalHistoryQuery extends AskedSpan {
  /** All when it is left out. */
  readonly service?: ServiceName | undefined;
  /** What the rows are grouped by, each at most once. */
  readonly groupBy: readonly RefusalDimension[];
  readonly limit: number;
  readonly offset: number;
}

/** The answer. */
export interface RefusalHistory {
  readonly fromDay: string;
  readonly toDay: string;
  /** How many rows the span has without `limit` and `offset`. */
  readonly total: number;
  /** In ascending order of what they are grouped by. */
  readonly rows: readonly Omit<RefusalRow, "rateNeeded">[];
}

const spanTooLong = (time: "day" | "hour"): Violation => ({
  field: "from_day",
  description: `leaves more than ${COUNTS_MAX} counts to add up, one for each ${time}, service, key and reason; ask for fewer days, or for one service`,
});

const RATE: Reason = "RATE_LIMITED";
const QUOTA: Reason = "QUOTA_EXCEEDED";

/**
 * Reads the refusals. A number too large for an int32 is answered as the largest int32. Rejects with a Failure when a day is not a date, or the
 * span is empty, longer than 366 days, or holds more than is added up at once.
 */
export async function refusalHistory(
  { store, clock }: { readonly store: Pick<AdminStore, "refusalRows">; readonly clock: Clock },
  accountId: string,
  { fromDay, toDay, ...page }: RefusalHistoryQuery,
): Promise<RefusalHistory> {
  const isByHour = page.groupBy.includes("hour");
  const span = (isByHour ? spanOfHours : spanOf)({ fromDay, toDay }, dayAt(clock.nowMs()).day);
  const query = { accountId, ...span, ...page, countsMax: COUNTS_MAX };
  const { total, rows } = await unlessTooMuch(spanTooLong(isByHour ? "hour" : "day"), () => store.refusalRows(query));
  return { ...span, total, rows: rows.map(({ rateNeeded: _, ...row }) => ({ ...row, calls: saturated(row.calls) })) };
}

/** What was refused for a limit on these days, by service. Rejects with a Failure of `tooMuch` when there is more than is added up at once. */
export async function refusedForLimits(
  store: Pick<AdminStore, "refusalRows">,
  accountId: string,
  service: ServiceName | undefined,
  days: { readonly fromDay: string; readonly toDay: string },
  tooMuch: Violation,
): Promise<ReadonlyMap<ServiceName, RefusedForLimits>> {
  const page = { groupBy: ["service", "reason"], limit: Number.MAX_SAFE_INTEGER, offset: 0, countsMax: COUNTS_MAX } as const;
  const { rows } = await unlessTooMuch(tooMuch, () => store.refusalRows({ accountId, service, ...days, ...page }));
  const ofLimits = rows.filter(({ reason }) => reason === RATE || reason === QUOTA);
  return new Map(
    SERVICE_NAMES.flatMap((name) => {
      const own = ofLimits.filter((row) => row.service === name);
      const callsOf = (reason: Reason): number => own.find((row) => row.reason === reason)?.calls ?? 0;
      const rateNeeded = Math.max(...own.map((row) => row.rateNeeded));
      return own.length === 0 ? [] : [[name, { forRate: callsOf(RATE), forQuota: callsOf(QUOTA), rateNeeded }] as const];
    }),
  );
}
