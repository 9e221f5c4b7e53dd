// One value per UTC day; days without a value are gaps. Built from the points of a source, which may be in any order, several per day, and
// include today. A series never changes after it has been created.
import { type Day, type DaySpan, dayOfSeconds } from "./day.ts";

/** A source's value at one time. */
export interface TimedValue {
  /** Unix seconds. */
  readonly atSeconds: number;
  readonly value: number;
}

/** One value per day, starting with `firstDay`. */
export interface DaySeries {
  readonly firstDay: Day;
  /** The values of consecutive days; NaN for a day without one. Neither the first nor the last is NaN. */
  readonly values: Float64Array;
}

/** The value of a day; undefined if there is none. */
export function valueAt({ firstDay, values }: DaySeries, day: Day): number | undefined {
  const value = values[day - firstDay];
  return value === undefined || Number.isNaN(value) ? undefined : value;
}

/** The last day with a value; undefined if there is none. */
export const newestDay = ({ firstDay, values }: DaySeries): Day | undefined =>
  values.length === 0 ? undefined : firstDay + values.length - 1;

/** The days from the first with a value in any of the series to the last one; empty if none has a value. */
export function spanOf(all: readonly DaySeries[]): DaySpan {
  const filled = all.filter(({ values }) => values.length > 0);
  return {
    first: Math.min(...filled.map(({ firstDay }) => firstDay)),
    last: Math.max(...filled.map(({ firstDay, values }) => firstDay + values.length - 1)),
  };
}

/** How many days of a span have a value. */
export function daysPresent(series: DaySeries, span: DaySpan): number {
  let count = 0;
  for (let day = span.first; day <= span.last; day += 1) {
    count += valueAt(series, day) === undefined ? 0 : 1;
  }
  return count;
}

/** The series of the given days; days without an entry are gaps. */
export function seriesOf(valueByDay: ReadonlyMap<Day, number>): DaySeries {
  if (valueByDay.size === 0) {
    return { firstDay: 0, values: new Float64Array(0) };
  }
  const days = [...valueByDay.keys()].sort((one, other) => one - other);
  const firstDay = days[0] ?? 0;
  const values = new Float64Array((days.at(-1) ?? 0) - firstDay + 1).fill(Number.NaN);
  for (const [day, value] of valueByDay) {
    values[day - firstDay] = value;
  }
  return { firstDay, values };
}

/** The days of a series that have a value, oldest first. */
export function* entriesOf({ firstDay, values }: DaySeries): Generator<readonly [Day, number]> {
  for (const [offset, value] of values.entries()) {
    if (!Number.isNaN(value)) {
      yield [firstDay + offset, value];
    }
  }
}

/**
 * Groups points by UTC day. If a day has several points, the latest is used; if several have the same time, the last of them. Days
 * outside the span are left out. The span ends before the unfinished day.
 */
export function seriesFromPoints(points: readonly TimedValue[], span: DaySpan): DaySeries {
  const valueByDay = new Map<Day, number>();
  // Sorting is stable, so points with the same time stay in order of arrival.
  for (const { atSeconds, value } of points.toSorted((one, other) => one.atSeconds - other.atSeconds)) {
    const day = dayOfSeconds(atSeconds);
    if (day >= span.first && day <= span.last) {
      valueByDay.set(day, value);
    }
  }
  return seriesOf(valueByDay);
}

/** Merges two series, and cuts the result to a span. If both have a value for a day, the newer one counts. */
export function mergedSeries(older: DaySeries, newer: DaySeries, span: DaySpan): DaySeries {
  const valueByDay = new Map<Day, number>();
  for (const series of [older, newer]) {
    for (const [day, value] of entriesOf(series)) {
      if (day >= span.first && day <= span.last) {
        valueByDay.set(day, value);
      }
    }
  }
  return seriesOf(valueByDay);
}
