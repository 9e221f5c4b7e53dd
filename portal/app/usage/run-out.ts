// When a month's calls will be used up at the pace so far, with a range.
//
// The pace is the mean of the full days since the first call, 28 at most; days without calls count. The calls of the next n days are
// assumed to spread about n × mean by s × √(n + n²/k), as the sum of n further days does where k days have the standard deviation s. The
// range leaves out a tenth of the outcomes at either end. Days are assumed to be independent of each other: a weekly rhythm widens the
// range and is not foreseen.

const DAY_MS = 86_400_000;
// Scanned hour by hour, which a month has at most 744 of.
const STEP_DAYS = 1 / 24;
const DAYS_MAX = 28;
const RANGE_DAYS_MIN = 3;
// Of a normal distribution, the part beyond on one side is a tenth.
const TENTH = 1.2816;

/** The usage of a month so far. */
export interface MonthSoFar {
  /** Calls that counted on each full day before today, UTC, oldest first; starting with the first day that had a call. */
  readonly fullDays: readonly number[];
  /** Calls that counted today. */
  readonly today: number;
  readonly remaining: number;
  readonly nowMs: number;
  readonly resetsAtMs: number;
}

/** When the calls are used up. Times are in milliseconds since the epoch. */
export type RunOut =
  /** The calls are used up already. */
  | { readonly kind: "usedUp" }
  /** There are no full days of calls yet: a pace of hours says nothing about a month. */
  | { readonly kind: "tooEarly" }
  /** There were no calls lately. */
  | { readonly kind: "unused" }
  /** The calls last until the month ends, almost certainly. */
  | { readonly kind: "lasts" }
  /** The calls last at the mean pace, but not at the early end of the range. */
  | { readonly kind: "mayRunOut"; readonly earliestMs: number }
  /** The calls run out. No range if there are too few days; no `latestMs` if at its late end they last. */
  | { readonly kind: "runsOut"; readonly atMs: number; readonly earliestMs?: number; readonly latestMs?: number };

/** Predicts when a month's calls will be used up. */
export function runOut({ fullDays, today, remaining, nowMs, resetsAtMs }: MonthSoFar): RunOut {
  if (remaining <= 0) {
    return { kind: "usedUp" };
  }
  const days = fullDays.slice(-DAYS_MAX);
  if (days.length === 0) {
    return { kind: today === 0 ? "unused" : "tooEarly" };
  }
  const hasRange = days.length >= RANGE_DAYS_MIN;
  const mean = hasRange ? meanOf(days) : paceOf(days, today, nowMs);
  if (mean === 0) {
    return { kind: "unused" };
  }
  const deviation = hasRange ? deviationOf(days, mean) : 0;
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
  if (!hasRange) {
    return atMs === undefined ? { kind: "lasts" } : { kind: "runsOut", atMs };
  }
  const earliestMs = usedUpAt((ahead) => ahead * mean + spreadOf(ahead));
  if (atMs === undefined) {
    return earliestMs === undefined ? { kind: "lasts" } : { kind: "mayRunOut", earliestMs };
  }
  const latestMs = usedUpAt((ahead) => ahead * mean - spreadOf(ahead));
  return { kind: "runsOut", atMs, earliestMs: earliestMs ?? atMs, ...(latestMs !== undefined && { latestMs }) };
}

const meanOf = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

const deviationOf = (values: readonly number[], mean: number): number =>
  Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / (values.length - 1));

// Calls a day since the beginning of the first day.
const paceOf = (days: readonly number[], today: number, nowMs: number): number =>
  (days.reduce((sum, calls) => sum + calls, 0) + today) / (days.length + (nowMs % DAY_MS) / DAY_MS);
