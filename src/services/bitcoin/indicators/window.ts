// The average over a window of UTC days, and the rule for when a window has enough values.
import type { Day, DaySpan } from "../day.ts";
import { type DaySeries, valueAt } from "../day-series.ts";

/** The average of a window, over the days that have a value. */
export interface WindowAverage {
  /** NaN if no day has a value. */
  readonly average: number;
  readonly daysPresent: number;
}

/** The `days` days that end with `lastDay`, inclusive. */
export const windowEnding = (lastDay: Day, days: number): DaySpan => ({ first: lastDay - days + 1, last: lastDay });

/** How many days of a window must have a value: 95 %, rounded up. */
export const daysNeeded = (windowDays: number): number => Math.ceil((windowDays * 95) / 100);

/** The average of the `days` days that end with `lastDay`. `daysNeeded` says how many of them must have a value. */
export function windowAverage(series: DaySeries, lastDay: Day, days: number): WindowAverage {
  let sum = 0;
  let present = 0;
  const { first, last } = windowEnding(lastDay, days);
  for (let day = first; day <= last; day += 1) {
    const value = valueAt(series, day);
    if (value !== undefined) {
      sum += value;
      present += 1;
    }
  }
  return { average: sum / present, daysPresent: present };
}
