// Rows of the usage as points in time, without gaps.
import type { Span } from "./filters.ts";

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const POINTS: Readonly<Record<Span, number>> = { "24h": 24, "30d": 30, "12m": 12 };

/** One row: when its calls came, how they ended, and how many there were. */
export interface TimedCalls {
  /** When its hour, day or month began, in milliseconds since the epoch. */
  readonly atMs: number;
  readonly outcome: string;
  readonly calls: number;
}

/** The calls of an hour, a day or a month, which begins at `atMs`. */
export interface Point {
  readonly atMs: number;
  readonly ok: number;
  readonly failed: number;
}

/** The first day, UTC, that a span needs: `2026-11-21`. */
export const firstDayOf = (span: Span, nowMs: number): string => new Date(beginOf(span, nowMs)).toISOString().slice(0, 10);

/** The points of a span that ends now. What lies outside is left out. */
export function pointsOf(span: Span, rows: readonly TimedCalls[], nowMs: number): readonly Point[] {
  const begins = Array.from({ length: POINTS[span] }, (_, index) => stepOf(span, beginOf(span, nowMs), index));
  const byTime = Map.groupBy(rows, ({ atMs }) => atMs);
  return begins.map((atMs) => {
    const own = byTime.get(atMs) ?? [];
    const sum = (isCounted: (row: TimedCalls) => boolean): number =>
      own.reduce((total, row) => total + (isCounted(row) ? row.calls : 0), 0);
    return { atMs, ok: sum(({ outcome }) => outcome === "OK"), failed: sum(({ outcome }) => outcome !== "OK") };
  });
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
