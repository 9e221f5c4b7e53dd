// Removes impossible values: values that are out of bounds or far from their neighbours, and a shrinking supply. A removed value leaves a
// gap, which the windows count.
import type { Day } from "../day.ts";
import { type DaySeries, entriesOf, seriesOf, type TimedValue, valueAt } from "../day-series.ts";

/** The smallest and the largest possible value, both inclusive. */
export interface Bounds {
  readonly min: number;
  readonly max: number;
}

const NEIGHBOUR_DAYS = 15;

/** The points whose values are within bounds. */
export const withinBounds = (points: readonly TimedValue[], { min, max }: Bounds): TimedValue[] =>
  points.filter(({ value }) => value >= min && value <= max);

/**
 * The days whose value is more than `factor` times the median of itself and the 15 days on either side, or less than that median
 * divided by `factor`.
 */
export function outlyingDays(series: DaySeries, factor: number): Set<Day> {
  const days = new Set<Day>();
  for (const [day, value] of entriesOf(series)) {
    // Sorting for the median is slow. If all values are within the factor of each other, they are also within the factor of their median.
    if (isSpreadAround(series, day, factor)) {
      const median = medianAround(series, day);
      if (value > median * factor || value < median / factor) {
        days.add(day);
      }
    }
  }
  return days;
}

/** The series with its `outlyingDays` removed. */
export function withoutOutliers(series: DaySeries, factor: number): DaySeries {
  const days = outlyingDays(series, factor);
  return days.size === 0 ? series : seriesOf(new Map([...entriesOf(series)].filter(([day]) => !days.has(day))));
}

/** The first day whose value is lower than an earlier one by more than rounding; undefined if there is none. */
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

// Whether the highest value around a day is more than `factor` times the lowest.
function isSpreadAround(series: DaySeries, day: Day, factor: number): boolean {
  let lowest = Number.POSITIVE_INFINITY;
  let highest = Number.NEGATIVE_INFINITY;
  for (let other = day - NEIGHBOUR_DAYS; other <= day + NEIGHBOUR_DAYS; other += 1) {
    const value = valueAt(series, other);
    if (value !== undefined) {
      lowest = Math.min(lowest, value);
      highest = Math.max(highest, value);
    }
  }
  return highest > lowest * factor;
}

function medianAround(series: DaySeries, day: Day): number {
  const near: number[] = [];
  for (let other = day - NEIGHBOUR_DAYS; other <= day + NEIGHBOUR_DAYS; other += 1) {
    const value = valueAt(series, other);
    if (value !== undefined) {
      near.push(value);
    }
  }
  return medianOf(near);
}

/** The median of some values, or the mean of the middle two; NaN if there are none. */
export function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? upper)) / 2;
}
