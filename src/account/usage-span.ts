// The span of days of a usage report.

import { withoutSecrets } from "@quintet/transcoding";
import { Failure } from "../problem/failure.ts";
import { invalidArgument, type Violation } from "../problem/problem.ts";

const DAY_MS = 86_400_000;
/** The maximum length of a span, in days. */
export const DAYS_MAX = 366;
const HOURS_KEPT_DAYS = 7;

/** The requested span. Days are UTC, `2026-11-21`, both inclusive. */
export interface RequestedSpan {
  /** By default the first day of the last day's month. */
  readonly fromDay?: string | undefined;
  /** By default today. */
  readonly toDay?: string | undefined;
}

/** The span for hourly counts, by default the last two days. Throws as `spanOf` does, and if it begins more than 7 days before today. */
export function spanOfHours(requested: RequestedSpan, today: string): { readonly fromDay: string; readonly toDay: string } {
  const toDay = requested.toDay ?? today;
  const isKnown = isDay(toDay);
  const span = spanOf({ toDay, fromDay: requested.fromDay ?? (isKnown ? daysBefore(toDay, 1) : undefined) }, today);
  const first = daysBefore(today, HOURS_KEPT_DAYS);
  if (span.fromDay < first) {
    const description = `must not be before ${first}: hours are kept for ${HOURS_KEPT_DAYS} days; group by day to see further back`;
    throw new Failure(invalidArgument([{ field: "from_day", description }]));
  }
  return span;
}

/** The span with its defaults. Throws a Failure if a day is not a date, or the span is empty or longer than 366 days. */
export function spanOf(requested: RequestedSpan, today: string): { readonly fromDay: string; readonly toDay: string } {
  const toDay = requested.toDay ?? today;
  const fromDay = requested.fromDay ?? `${toDay.slice(0, 7)}-01`;
  const dayFaults = [...faultOfDay("from_day", requested.fromDay), ...faultOfDay("to_day", requested.toDay)];
  const violations = dayFaults.length > 0 ? dayFaults : faultOfSpan(fromDay, toDay);
  if (violations.length > 0) {
    throw new Failure(invalidArgument(violations));
  }
  return { fromDay, toDay };
}

function faultOfDay(field: string, day: string | undefined): readonly Violation[] {
  return day === undefined || isDay(day)
    ? []
    : [{ field, description: `must be a day such as 2026-11-21, not "${withoutSecrets(day)}"` }];
}

function faultOfSpan(fromDay: string, toDay: string): readonly Violation[] {
  const fault = (description: string): readonly Violation[] => [{ field: "from_day", description }];
  const earliestMs = Date.parse(toDay) - (DAYS_MAX - 1) * DAY_MS;
  if (fromDay > toDay) {
    return fault(`must not be after ${toDay}`);
  }
  return Date.parse(fromDay) < earliestMs
    ? fault(`must not be before ${dayOf(earliestMs)}: at most ${DAYS_MAX} days are reported`)
    : [];
}

function isDay(text: string): boolean {
  const startMs = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN;
  // Date.parse reads the 30th of February as the 2nd of March, so the date is formatted again and compared.
  return !Number.isNaN(startMs) && dayOf(startMs) === text;
}

const daysBefore = (day: string, days: number): string => dayOf(Date.parse(day) - days * DAY_MS);

const dayOf = (startMs: number): string => new Date(startMs).toISOString().slice(0, 10);
