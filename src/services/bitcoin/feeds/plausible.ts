// Removes impossible values: values out of bounds, values far from their neighbours, a supply that shrinks. A removed value leaves
// a gap, which the windows count.
import type { Day } from "../day.ts";
import { type DaySeries, entriesOf, seriesOf, type TimedValue, valueAt } from "../day-series.ts";

/** The smallest and the largest possible value, both included. */
export interface Bounds {
  readonly min: number;
  readonly max: number;
}

const NEIGHBOUR_DAYS = 15;

/** The points whose values are within bounds. */
export const withinBounds = (points: readonly TimedValue[], { min, max }: Bounds): TimedValue[] =>
  points.filter(({ value }) => value >= min && value <= max);

/**
 * The days whose value is more than `factor` times, or less than a `factor`th of, the median of the 15 days on either side and
 * itself.
 */
export function outlyingDays(series: DaySeries, factor: number): Set<Day> {
  const days = new Set<Day>();
  for (const [day, value] of entriesOf(series)) {
    const median = medianAround(series, day);
    if (value > median * factor || value < median / factor) {
      days.add(day);
    }
  }
  return days;
}

/** The series with gaps where `outlyingDays` are. */
export function withoutOutliers(series: DaySeries, factor: number): DaySeries {
  const days = outlyingDays(series, factor);
  return days.size === 0 ? series : seriesOf(new Map([...entriesOf(series)].filter(([day]) => !days.has(day))));
}

/** The first day whose value is under an earlier one's by more than rounding; undefined where none is. */
export function firstFallingDay(series: DaySeries): Day | undefined {
  // Sums of subsidies in floating point may differ in their last digits.
  const rounding = 1e-3;
  let highest = Number.NEGATIVE_INFINITY;
  for (const [day, value] of entriesOf(series)) {
    if (value < highest - rounding) {
      return day;
    }
    highest = Math.max(highest, value);
  }
  return undefined;
}

function medianAround(series: DaySeries, day: Day): number {
  const near: number[] = [];
  for (let other = day - NEIGHBOUR_DAYS; other <= day + NEIGHBOUR_DAYS; other += 1) {
    const value = valueAt(series, other);
    if (value !== undefined) {
      near.push(value);
    }
  }
  near.sort((one, other) => one - other);
  const middle = near.length >> 1;
  const upper = near[middle] ?? Number.NaN;
  return near.length % 2 === 1 ? upper : (upper + (near[middle - 1] ?? upper)) / 2;
}
