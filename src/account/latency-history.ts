// How long an account's calls took in a span of days, estimated from counts in buckets.
import { dayAt } from "../runtime/calendar.ts";
import type { Clock } from "../runtime/clock.ts";
import type { AdminStore } from "../store/store.ts";
import { CALL_LATENCY_BOUNDS_MS, type LatencyDimension, type LatencyRow } from "../store/usage-records.ts";
import { latencyQuantileMs } from "./latency-quantile.ts";
import type { History, HistoryQuery } from "./summed-counts.ts";
import { spanOf, spanOfHours } from "./usage-span.ts";

const MEDIAN = 0.5;
const P95 = 0.95;
const P99 = 0.99;

/** One group of calls. Has only the dimensions that the calls were grouped by. */
export interface Latency extends Omit<LatencyRow, "latency"> {
  readonly medianMs: number;
  readonly p95Ms: number;
  readonly p99Ms: number;
}

/** Reads the response times. Rejects with a Failure if a day is not a date, or the span is empty or longer than 366 days. */
export async function latencyHistory(
  { store, clock }: { readonly store: Pick<AdminStore, "latencyRows">; readonly clock: Pick<Clock, "nowMs"> },
  accountId: string,
  { fromDay, toDay, ...page }: HistoryQuery<LatencyDimension>,
): Promise<History<Latency>> {
  const span = (page.groupBy.includes("hour") ? spanOfHours : spanOf)({ fromDay, toDay }, dayAt(clock.nowMs()).day);
  const { total, rows } = await store.latencyRows({ accountId, ...span, ...page });
  return {
    ...span,
    total,
    rows: rows.map(({ calls, latency, ...row }) => {
      // Every row has at least one call, so there is always a time.
      const quantileMs = (share: number): number => latencyQuantileMs(latency, CALL_LATENCY_BOUNDS_MS, share) ?? 0;
      return { ...row, calls, medianMs: quantileMs(MEDIAN), p95Ms: quantileMs(P95), p99Ms: quantileMs(P99) };
    }),
  };
}
