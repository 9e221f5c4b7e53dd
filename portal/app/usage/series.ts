// Calls as points in time, without gaps.
import type { Span } from "./filters.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const POINTS: Readonly<Record<Span, number>> = { "24h": 24, "30d": 30, "12m": 12 };

/** The calls of one hour, day or month. */
export interface TimedCalls {
  /** When that hour, day or month started, in milliseconds since the epoch. */
  readonly atMs: number;
  readonly calls: number;
}

/** The first day, UTC, that a span needs: `2026-11-21`. */
export const firstDayOf = (span: Span, nowMs: number): string => new Date(beginOf(span, nowMs)).toISOString().slice(0, 10);

/** The beginning of each hour, day or month of the span that ends now, in milliseconds since the epoch. */
export const timesOf = (span: Span, nowMs: number): readonly number[] =>
  Array.from({ length: POINTS[span] }, (_, index) => stepOf(span, beginOf(span, nowMs), index));

/** How many calls there were at each of the times. Rows with any other time are left out. */
export function sumsAt(timesMs: readonly number[], rows: readonly TimedCalls[]): readonly number[] {
  const byTime = Map.groupBy(rows, ({ atMs }) => atMs);
  return timesMs.map((atMs) => (byTime.get(atMs) ?? []).reduce((sum, { calls }) => sum + calls, 0));
}

function beginOf(span: Span, nowMs: number): number {
  const now = new Date(nowMs);
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate());
  switch (span) {
    case "24h":
      return Math.floor(nowMs / HOUR_MS) * HOUR_MS - (POINTS[span] - 1) * HOUR_MS;
    case "30d":
      return today - (POINTS[span] - 1) * DAY_MS;
    case "12m":
      return Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - POINTS[span] + 1);
  }
}

function stepOf(span: Span, beginMs: number, steps: number): number {
  const begin = new Date(beginMs);
  return span === "12m"
    ? Date.UTC(begin.getUTCFullYear(), begin.getUTCMonth() + steps)
    : beginMs + steps * (span === "24h" ? HOUR_MS : DAY_MS);
}
