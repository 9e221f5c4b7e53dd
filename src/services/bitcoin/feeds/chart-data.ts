// The daily series that come from charts: what miners earned, what was transferred, and how many coins there are.
import { UpstreamFault } from "../../../upstream/fault.ts";
import { type Day, dayOfSeconds, SECONDS_PER_DAY } from "../day.ts";
import { type DaySeries, mergedSeries, newestDay, seriesFromPoints, type TimedValue } from "../day-series.ts";
import { type Bounds, firstFallingDay, withinBounds, withoutOutliers } from "./plausible.ts";
import { spanToRead, wholeSpan } from "./read-span.ts";
import { type ChartName, DAYS_PER_DAILY_ANSWER, readChart } from "./sources/charts.ts";
import type { Ask } from "./sources/price-source.ts";

/** What is read from one chart, and what of it is believed. */
export interface ChartRule {
  readonly chart: ChartName;
  /** Values outside are left out: charts say 0 where they know nothing. */
  readonly bounds: Bounds;
  /** The most days to ask for at once. */
  readonly daysPerAnswer: number;
  /** Whether the chart has points for blocks, and only ever rises. */
  readonly runningTotal: boolean;
}

/** A chart's days. */
export interface ChartData {
  readonly series: DaySeries;
  /** When they were read, in Unix milliseconds. */
  readonly fetchedAtMs: number;
}

/** What is read from each chart. Bounds leave room for the lowest of the days read and for a hundredfold of the highest. */
export const CHART_RULES = {
  revenue: {
    chart: "miners-revenue",
    bounds: { min: 10_000, max: 10_000_000_000 },
    daysPerAnswer: DAYS_PER_DAILY_ANSWER,
    runningTotal: false,
  },
  volume: {
    chart: "estimated-transaction-volume-usd",
    bounds: { min: 1_000_000, max: 10_000_000_000_000 },
    daysPerAnswer: DAYS_PER_DAILY_ANSWER,
    runningTotal: false,
  },
  // A year of blocks is about two megabytes.
  supply: { chart: "total-bitcoins", bounds: { min: 1, max: 21_000_000 }, daysPerAnswer: 366, runningTotal: true },
} as const satisfies Record<string, ChartRule>;

// Since 2013 no day's revenue has been more than 2.4 times, and no day's transaction value more than 8.5 times, off its month's median.
const OUTLIER_FACTOR = 20;

// A running total that stops this early in a day has not caught up with it.
const LAST_HOURS_SECONDS = 2 * 3600;

/** Reads a chart's days up to `yesterday`; of what is held, the newest are read again. */
export async function readChartData(
  rule: ChartRule,
  chartsUrl: string,
  held: ChartData | undefined,
  { yesterday, nowMs, ask }: { yesterday: Day; nowMs: number; ask: Ask },
): Promise<ChartData> {
  const { first, last } = spanToRead(held?.series, yesterday);
  // The present day is asked for too: a point of it shows that the day before is whole.
  const points = await readChart(chartsUrl, rule.chart, { first, last: last + 1 }, rule.daysPerAnswer, ask);
  const whole = wholeSpan(yesterday);
  const believable = withinBounds(points, rule.bounds);
  const fresh = seriesFromPoints(rule.runningTotal ? withoutOpenDay(believable) : believable, whole);
  if (newestDay(fresh) === undefined) {
    throw new UpstreamFault("body", "no day holds a value");
  }
  const series = withoutOutliers(held === undefined ? fresh : mergedSeries(held.series, fresh, whole), OUTLIER_FACTOR);
  if (rule.runningTotal && firstFallingDay(series) !== undefined) {
    throw new UpstreamFault("body", "a running total falls");
  }
  return { series, fetchedAtMs: nowMs };
}

/**
 * Leaves out the newest day where its points stop before its last two hours: what a running total says then is not the day's end. A
 * single point at the day's first moment is one a day, and stays.
 */
export function withoutOpenDay(points: readonly TimedValue[]): readonly TimedValue[] {
  const newest = points.reduce((latest, { atSeconds }) => Math.max(latest, atSeconds), 0);
  const secondOfDay = newest % SECONDS_PER_DAY;
  const whole = secondOfDay === 0 || secondOfDay >= SECONDS_PER_DAY - LAST_HOURS_SECONDS;
  const newestPointDay = dayOfSeconds(newest);
  return whole ? points : points.filter(({ atSeconds }) => dayOfSeconds(atSeconds) !== newestPointDay);
}
