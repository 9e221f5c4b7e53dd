// blockchain.com's charts, always asked unsampled: by default they are thinned to about 1500 points, and an average over those is
// wrong. https://www.blockchain.com/explorer/api/charts_api
import { type DaySpan, isoDay, pagesOf, SECONDS_PER_DAY } from "../../day.ts";
import type { TimedValue } from "../../day-series.ts";
import { asList, asNumber, asObject } from "./json-shape.ts";
import type { Ask, PriceSource } from "./price-source.ts";

/** The charts that are used. */
export type ChartName = "market-price" | "miners-revenue" | "estimated-transaction-volume-usd" | "total-bitcoins";

// A chart that has a point for every block has 52,560 in a year; they come faster than planned where miners are many.
const POINTS_PER_ANSWER_MAX = 100_000;

// 2009-01-03, when the first block was made, and a date that no chart reaches.
const EARLIEST_SECONDS = 1_230_940_800;
const LATEST_SECONDS = 4_102_444_800;

/** A chart's points over a span, asked for in answers of at most `daysPerAnswer` days. */
export async function readChart(
  chartsUrl: string,
  chart: ChartName,
  span: DaySpan,
  daysPerAnswer: number,
  ask: Ask,
): Promise<TimedValue[]> {
  const answers = pagesOf(span, daysPerAnswer).map(({ first, last }) => {
    const range = `start=${isoDay(first)}&timespan=${last - first + 1}days`;
    return ask(`${chartsUrl}/${chart}?${range}&format=json&sampled=false`, parseChart);
  });
  return (await Promise.all(answers)).flat();
}

/** Daily points fit into one answer whatever the span. */
export const DAYS_PER_DAILY_ANSWER = 20_000;

/** The daily closes of the charts at `url`, as the price source that reaches furthest back. */
export function createMarketPrice(url: string): PriceSource {
  return {
    name: "blockchain.com",
    async read({ first, last }, ask) {
      const points = await readChart(url, "market-price", { first: first + 1, last: last + 1 }, DAYS_PER_DAILY_ANSWER, ask);
      return closesOfMidnights(points);
    },
  };
}

/**
 * Turns prices at midnight into closes: a day's close has the timestamp of the beginning of the next day. A price at any other
 * moment is not a close, and is left out.
 */
const closesOfMidnights = (prices: readonly TimedValue[]): TimedValue[] =>
  prices
    .filter(({ atSeconds }) => atSeconds % SECONDS_PER_DAY === 0)
    .map(({ atSeconds, value }) => ({ atSeconds: atSeconds - SECONDS_PER_DAY, value }));

/**
 * Reads `{"status": "ok", "values": [{"x": unixSeconds, "y": number}, …]}`. A point without a value is left out. Throws an Error
 * for anything else.
 */
export function parseChart(json: unknown): TimedValue[] {
  const answer = asObject(json, "the answer");
  if (answer.status !== "ok") {
    throw new Error("the answer's status is not ok");
  }
  const points: TimedValue[] = [];
  for (const element of asList(answer.values, "the list of values", POINTS_PER_ANSWER_MAX)) {
    const { x, y } = asObject(element, "a point");
    const atSeconds = asNumber(x, "a point's time");
    if (atSeconds < EARLIEST_SECONDS || atSeconds > LATEST_SECONDS) {
      throw new Error("a point's time is not of Bitcoin's days");
    }
    if (y !== null && y !== undefined) {
      points.push({ atSeconds, value: asNumber(y, "a point's value") });
    }
  }
  return points;
}
