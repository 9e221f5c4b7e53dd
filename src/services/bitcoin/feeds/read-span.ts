// How far back data are read, and how many days are read again when there is a new day.
import type { Day, DaySpan } from "../day.ts";
import { type DaySeries, newestDay } from "../day-series.ts";

// The longest history, the longest window before its first point, and the days that as_of and a window's start may shift.
const DAYS_REACHED = 3650 + 365 + 15;

// Sources correct their newest days; what is older is final.
const DAYS_READ_AGAIN = 14;

/** All the days that anything is computed from. */
export const wholeSpan = (yesterday: Day): DaySpan => ({ first: yesterday - DAYS_REACHED + 1, last: yesterday });

/** The days to read: only the newest when the others are held, otherwise all. */
export function spanToRead(held: DaySeries | undefined, yesterday: Day): DaySpan {
  const whole = wholeSpan(yesterday);
  const newest = held === undefined ? undefined : newestDay(held);
  return newest === undefined ? whole : { first: Math.max(whole.first, newest - DAYS_READ_AGAIN + 1), last: yesterday };
}
