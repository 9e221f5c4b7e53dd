// How far back data is read, and how many days are read again each day.
import type { Day, DaySpan } from "../day.ts";
import { type DaySeries, newestDay } from "../day-series.ts";

// The sum of the longest history, the longest window before its first point, and the days by which as_of and the start of a window may
// shift.
const DAYS_REACHED = 3650 + 365 + 15;

// Sources correct their newest days; older ones are final.
const REREAD_DAYS = 14;

/** All days that anything is computed from. */
export const wholeSpan = (yesterday: Day): DaySpan => ({ first: yesterday - DAYS_REACHED + 1, last: yesterday });

/** The days to read: only the newest if there is data for the others, otherwise all. */
export function spanToRead(held: DaySeries | undefined, yesterday: Day): DaySpan {
  const whole = wholeSpan(yesterday);
  const newest = held === undefined ? undefined : newestDay(held);
  return newest === undefined ? whole : { first: Math.max(whole.first, newest - REREAD_DAYS + 1), last: yesterday };
}
