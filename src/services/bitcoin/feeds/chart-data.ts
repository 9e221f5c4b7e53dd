// The daily series from charts: miners' revenue, transaction volume, and coin supply.
import { UpstreamFault } from "../../../upstream/fault.ts";
import { type Day, type DaySpan, dayOfSeconds, SECONDS_PER_DAY } from "../day.ts";
import { type DaySeries, mergedSeries, seriesFromPoints, type TimedValue } from "../day-series.ts";
import { type Bounds, firstFallingDay, withinBounds, withoutOutliers } from "./plausible.ts";
import { spanToRead, wholeSpan } from "./read-span.ts";
import { type ChartName, DAYS_PER_DAILY_RESPONSE, parseBlocksChart, parseChart, readChart } from "./sources/charts.ts";
import type { FetchJson } from "./sources/daily-prices.ts";

/** What is read from a chart, and which values are accepted. */
export interface ChartRule {
  readonly chart: ChartName;
  /** Values outside these bounds are left out: charts use 0 for unknown values. */
  readonly bounds: Bounds;
  /** The most days to request at once. */
  readonly daysPerResponse: number;
  /** Whether the chart has a point per block, and never falls. */
  readonly runningTotal: boolean;
}

export interface ChartData {
  readonly series: DaySeries;
  /** When they were read, in Unix milliseconds. */
  readonly fetchedAtMs: number;
}

/**
 * What is read from each chart. The bounds are wider than the lowest and the highest value in the days that are read, by a factor of up
 * to a hundred.
 */
export const CHART_RULES = {
  revenue: {
    chart: "miners-revenue",
    bounds: { min: 10_000, max: 10_000_000_000 },
    daysPerResponse: DAYS_PER_DAILY_RESPONSE,
    runningTotal: false,
  },
  volume: {
    chart: "estimated-transaction-volume-usd",
    bounds: { min: 1_000_000, max: 10_000_000_000_000 },
    daysPerResponse: DAYS_PER_DAILY_RESPONSE,
    runningTotal: false,
  },
  // A year of blocks is about two megabytes.
  supply: { chart: "total-bitcoins", bounds: { min: 1, max: 21_000_000 }, daysPerResponse: 366, runningTotal: true },
} as const satisfies Record<string, ChartRule>;

// Since 2013, no day's revenue has been more than 2.4 times its month's median, and no day's transaction volume more than 8.5
// times.
const OUTLIER_FACTOR = 20;

// A running total that stops before the last few hours of a day is incomplete.
const LAST_HOURS_SECONDS = 2 * 3600;

/** Reads a chart's days up to `yesterday`. The newest days that were read before are read again. */
export async function readChartData(
  rule: ChartRule,
  chartsUrl: string,
  held: ChartData | undefined,
  { yesterday, nowMs, fetchJson, days }: { yesterday: Day; nowMs: number; fetchJson: FetchJson; days?: DaySpan },
): Promise<ChartData> {
  const { first, last } = days ?? spanToRead(held?.series, yesterday);
  // Today is requested too: a point of today shows that yesterday is complete.
  const { daysPerResponse, bounds } = rule;
  const isPlausible = (value: number): boolean => value >= bounds.min && value <= bounds.max;
  const parse = rule.runningTotal ? (json: unknown) => parseBlocksChart(json, isPlausible) : parseChart;
  const points = await readChart(chartsUrl, rule.chart, { first, last: last + 1 }, { daysPerResponse, parse, fetchJson });
  const whole = wholeSpan(yesterday);
  const plausible = withinBounds(points, bounds);
  const fresh = seriesFromPoints(rule.runningTotal ? withoutOpenDay(plausible) : plausible, whole);
  const series = withoutOutliers(held === undefined ? fresh : mergedSeries(held.series, fresh, whole), OUTLIER_FACTOR);
  if (rule.runningTotal && firstFallingDay(series) !== undefined) {
    throw new UpstreamFault("body", "a running total falls");
  }
  return { series, fetchedAtMs: nowMs };
}

/**
 * Leaves out the newest day if its points stop before its last two hours, because a running total is then not the day's total. A
 * single point at the beginning of the day belongs to a chart with one point per day, and is kept.
 */
export function withoutOpenDay(points: readonly TimedValue[]): readonly TimedValue[] {
  const newest = points.reduce((latest, { atSeconds }) => Math.max(latest, atSeconds), 0);
  const secondOfDay = newest % SECONDS_PER_DAY;
  const whole = secondOfDay === 0 || secondOfDay >= SECONDS_PER_DAY - LAST_HOURS_SECONDS;
  const newestPointDay = dayOfSeconds(newest);
  return whole ? points : points.filter(({ atSeconds }) => dayOfSeconds(atSeconds) !== newestPointDay);
}
