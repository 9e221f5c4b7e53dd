// The daily series of the chain: miners' revenue, transaction volume, and coin supply. They come from blockchain.com's charts; days that
// those lack while they are behind are filled from the second source, if that agrees with them on other days.
import type { Log } from "../../../runtime/log.ts";
import { UpstreamFault } from "../../../upstream/fault.ts";
import type { BitcoinConfig } from "../config.ts";
import { type Day, type DaySpan, dayOfSeconds, SECONDS_PER_DAY } from "../day.ts";
import {
  type DaySeries,
  daysPresent,
  entriesOf,
  mergedSeries,
  newestDay,
  seriesFromPoints,
  seriesOf,
  type TimedValue,
  valueAt,
} from "../day-series.ts";
import { type Bounds, firstFallingDay, medianOf, withinBounds, withoutOutliers } from "./plausible.ts";
import { spanToRead, wholeSpan } from "./read-span.ts";
import { type ChartName, DAYS_PER_DAILY_RESPONSE, parseBlocksChart, parseChart, readChart } from "./sources/charts.ts";
import type { FetchJson } from "./sources/daily-prices.ts";
import { type ResearchKitData, readResearchKit } from "./sources/research-kit.ts";

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
  /** The part of it that is from the charts. */
  readonly charted: DaySeries;
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

interface ChartContext {
  readonly yesterday: Day;
  readonly nowMs: number;
  readonly fetchJson: FetchJson;
  readonly days?: DaySpan;
}

/** Reads a chart's days up to `yesterday`, by default those that are not held and the newest of the others. */
export async function readChartData(
  rule: ChartRule,
  chartsUrl: string,
  held: ChartData | undefined,
  { yesterday, nowMs, fetchJson, days }: ChartContext,
): Promise<ChartData> {
  const { first, last } = days ?? spanToRead(held?.charted, yesterday);
  // Today is requested too: a point of today shows that yesterday is complete.
  const { daysPerResponse, bounds } = rule;
  const isPlausible = (value: number): boolean => value >= bounds.min && value <= bounds.max;
  const parse = rule.runningTotal ? (json: unknown) => parseBlocksChart(json, isPlausible) : parseChart;
  const points = await readChart(chartsUrl, rule.chart, { first, last: last + 1 }, { daysPerResponse, parse, fetchJson });
  const whole = wholeSpan(yesterday);
  const plausible = withinBounds(points, bounds);
  const fresh = seriesFromPoints(rule.runningTotal ? withoutOpenDay(plausible) : plausible, whole);
  const series = withoutOutliers(held === undefined ? fresh : mergedSeries(held.charted, fresh, whole), OUTLIER_FACTOR);
  if (rule.runningTotal && firstFallingDay(series) !== undefined) {
    throw new UpstreamFault("body", "a running total falls");
  }
  return { series, charted: series, fetchedAtMs: nowMs };
}

const COMPARED_DAYS = 60;
// A chart is often published some hours late.
const BEHIND_DAYS_MAX = 1;
// How far the second source may be off the charts, as a share: their prices may differ a little, and so may how they count coins that
// nobody can spend. Its values are scaled to those of the charts, because a jump would look like a change.
const DISAGREEMENT_MAX = { revenue: 0.05, supply: 1e-4 } as const;

/**
 * Reads a chart, and the second source while the chart is more than a day behind. If the chart cannot be read, the days that are held stay.
 * Throws the chart's fault if there is no day at all.
 */
export async function readChainData(
  name: ResearchKitData,
  { chartsUrl, chainUrl }: Pick<BitcoinConfig, "chartsUrl" | "chainUrl">,
  held: ChartData | undefined,
  context: ChartContext & { fetchSecond: FetchJson; log: Log },
): Promise<ChartData> {
  const { yesterday, nowMs, fetchSecond, log } = context;
  const rule = CHART_RULES[name];
  let fault: unknown;
  const read = await readChartData(rule, chartsUrl, held, context).catch((thrown: unknown) => {
    fault = thrown;
    return undefined;
  });
  const charted = read?.charted ?? held?.charted ?? seriesOf(new Map());
  if (read !== undefined && yesterday - (newestDay(charted) ?? Number.NEGATIVE_INFINITY) <= BEHIND_DAYS_MAX) {
    return read;
  }
  try {
    const whole = wholeSpan(yesterday);
    const points = withinBounds(await readResearchKit(chainUrl, name, whole, fetchSecond), rule.bounds);
    const second = withoutOutliers(seriesFromPoints(points, whole), OUTLIER_FACTOR);
    if (newestDay(second) === undefined || (rule.runningTotal && firstFallingDay(second) !== undefined)) {
      throw new UpstreamFault("body", "no day has a value, or a running total falls");
    }
    const ratios = [...entriesOf(second)].flatMap(([day, value]) => (valueAt(charted, day) ?? Number.NaN) / value || []);
    const scale = ratios.length === 0 ? 1 : medianOf(ratios.slice(-COMPARED_DAYS));
    if (Math.abs(scale - 1) > DISAGREEMENT_MAX[name]) {
      throw new UpstreamFault("body", "it disagrees with the charts");
    }
    const scaled = { ...second, values: second.values.map((value) => value * scale) };
    return { series: mergedSeries(scaled, charted, whole), charted, fetchedAtMs: nowMs };
  } catch (thrown) {
    log.warn({ data: name, error: thrown instanceof Error ? thrown.message : "unknown" }, "the second source of chain data failed");
    if (read === undefined) {
      throw fault;
    }
    return held === undefined ? read : { ...read, series: mergedSeries(held.series, read.charted, wholeSpan(yesterday)) };
  }
}

/** The sources of a span's values, each once. */
export function chainSourcesWithin({ series, charted }: ChartData, span: DaySpan): string[] {
  const filled = daysPresent(series, span) - daysPresent(charted, span);
  return [...(daysPresent(charted, span) > 0 ? ["blockchain.com"] : []), ...(filled > 0 ? ["bitcoin-research-kit"] : [])];
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
