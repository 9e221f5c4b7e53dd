// The average over a window of UTC days, and the rule of when a window holds enough to be averaged at all.
import type { Day, DaySpan } from "../day.ts";
import { type DaySeries, valueAt } from "../day-series.ts";

/** The average of a window, over the days that hold a value. */
export interface WindowAverage {
  /** NaN when no day holds one. */
  readonly average: number;
  readonly daysPresent: number;
}

/** The `days` days that end with `lastDay`, which is counted. */
export const windowEnding = (lastDay: Day, days: number): DaySpan => ({ first: lastDay - days + 1, last: lastDay });

/** How many days of a window must hold a value: 95 %, rounded up. */
export const daysNeeded = (windowDays: number): number => Math.ceil((windowDays * 95) / 100);

/** The average of the `days` days that end with `lastDay`. Whether they are enough is for `daysNeeded` to say. */
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
