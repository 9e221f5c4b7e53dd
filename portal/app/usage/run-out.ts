// When a month's calls will be used up at the pace so far, with a range.
//
// The pace is the mean of the full days since the first call, 28 at most; days without calls count. The day of the first call is not full:
// the calls may have started in its last minutes. With fewer than three full days nothing is predicted. The calls of the next n days are
// assumed to spread about n × mean by s × √(n + n²/k), as the sum of n further days does if k days have the standard deviation s. The range
// leaves out a tenth of the outcomes at either end. Days are assumed to be independent of each other: a weekly rhythm widens the range, but
// is not predicted.
import type { UsageRow } from "./usage-report.ts";

const DAY_MS = 86_400_000;
// Scanned hour by hour; a month has at most 744.
const STEP_DAYS = 1 / 24;
/** The maximum number of full days that the pace is computed from. */
export const PACE_DAYS = 28;
const FULL_DAYS_MIN = 3;
// A tenth of a normal distribution lies beyond this on one side.
const TENTH = 1.2816;

/** The usage of a month so far. */
export interface MonthSoFar {
  /** Calls that counted on each full day before today, UTC, oldest first; starting after the first day that had a call. */
  readonly fullDays: readonly number[];
  /** Calls that counted today. */
  readonly today: number;
  readonly remaining: number;
  readonly nowMs: number;
  readonly resetsAtMs: number;
}

/** When the calls are used up. Times are in milliseconds since the epoch. */
export type RunOut =
  /** The calls are already used up. */
  | { readonly kind: "usedUp" }
  /** There are fewer than three full days of calls: a pace of hours says nothing about a month. */
  | { readonly kind: "tooEarly" }
  /** There were no recent calls. */
  | { readonly kind: "unused" }
  /** The calls last until the month ends, almost certainly. */
  | { readonly kind: "lasts" }
  /** The calls last at the mean pace, but not at the early end of the range. */
  | { readonly kind: "mayRunOut"; readonly earliestMs: number }
  /** The calls run out. There is no `latestMs` if they last at the late end of the range. */
  | { readonly kind: "runsOut"; readonly atMs: number; readonly earliestMs: number; readonly latestMs?: number };

/** Predicts when a month's calls will be used up. */
export function runOut({ fullDays, today, remaining, nowMs, resetsAtMs }: MonthSoFar): RunOut {
  if (remaining <= 0) {
    return { kind: "usedUp" };
  }
  const days = fullDays.slice(-PACE_DAYS);
  if (days.length < FULL_DAYS_MIN) {
    return { kind: days.length === 0 && today === 0 ? "unused" : "tooEarly" };
  }
  const mean = meanOf(days);
  if (mean === 0) {
    return { kind: "unused" };
  }
  const deviation = deviationOf(days, mean);
  const spreadOf = (ahead: number): number => TENTH * deviation * Math.sqrt(ahead + ahead ** 2 / days.length);
  const usedUpAt = (callsIn: (ahead: number) => number): number | undefined => {
    for (let ahead = STEP_DAYS; nowMs + ahead * DAY_MS < resetsAtMs; ahead += STEP_DAYS) {
      if (callsIn(ahead) >= remaining) {
        return nowMs + ahead * DAY_MS;
      }
    }
    return undefined;
  };
  const atMs = usedUpAt((ahead) => ahead * mean);
  const earliestMs = usedUpAt((ahead) => ahead * mean + spreadOf(ahead));
  if (atMs === undefined) {
    return earliestMs === undefined ? { kind: "lasts" } : { kind: "mayRunOut", earliestMs };
  }
  const latestMs = usedUpAt((ahead) => ahead * mean - spreadOf(ahead));
  return { kind: "runsOut", atMs, earliestMs: earliestMs ?? atMs, ...(latestMs !== undefined && { latestMs }) };
}

/** The full days and today, from one service's rows by day. */
export function paceOf(rows: readonly Pick<UsageRow, "day" | "counted">[], nowMs: number): Pick<MonthSoFar, "fullDays" | "today"> {
  const counted = new Map(rows.map((row) => [row.day, row.counted]));
  const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
  // One day more than is needed: the day of the first call does not count as a full one.
  const days = Array.from(
    { length: PACE_DAYS + 1 },
    (_, index) => counted.get(dayOf(nowMs - (PACE_DAYS + 1 - index) * DAY_MS)) ?? 0,
  );
  const first = days.findIndex((calls) => calls > 0);
  return { fullDays: first < 0 ? [] : days.slice(first + 1), today: counted.get(dayOf(nowMs)) ?? 0 };
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

const deviationOf = (values: readonly number[], mean: number): number =>
  Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));
