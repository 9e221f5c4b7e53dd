// blockchain.com's charts, always requested unsampled: by default they are thinned to about 1500 points, and an average over those
// would be wrong. https://www.blockchain.com/explorer/api/charts_api
import { nextTurn } from "../../../../runtime/event-loop-turn.ts";
import type { Parse } from "../../../../upstream/upstream.ts";
import { type Day, type DaySpan, dayOfSeconds, isoDay, pagesOf, SECONDS_PER_DAY } from "../../day.ts";
import type { TimedValue } from "../../day-series.ts";
import type { DailyPrices, FetchJson } from "./daily-prices.ts";
import { asList, asNumber, asObject } from "./json-shape.ts";

/** The charts that are used. */
export type ChartName = "market-price" | "miners-revenue" | "estimated-transaction-volume-usd" | "total-bitcoins";

// A chart with a point per block has 52,560 a year, and more while blocks are found faster than planned.
const POINTS_PER_RESPONSE_MAX = 80_000;
// So many points take about a millisecond.
const POINTS_PER_TURN = 5000;

// 2009-01-03, when the first block was mined, and a date that no chart reaches.
const EARLIEST_SECONDS = 1_230_940_800;
const LATEST_SECONDS = 4_102_444_800;

/** A chart's points over a span, requested in responses of at most `daysPerResponse` days, each read by `parse`. */
export async function readChart(
  chartsUrl: string,
  chart: ChartName,
  span: DaySpan,
  { daysPerResponse, parse, fetchJson }: { daysPerResponse: number; parse: Parse<TimedValue[]>; fetchJson: FetchJson },
): Promise<TimedValue[]> {
  const responses = pagesOf(span, daysPerResponse).map(({ first, last }) => {
    const range = `start=${isoDay(first)}&timespan=${last - first + 1}days`;
    return fetchJson(`${chartsUrl}/${chart}?${range}&format=json&sampled=false`, parse);
  });
  return (await Promise.all(responses)).flat();
}

/** Daily points fit into one response, however long the span. */
export const DAYS_PER_DAILY_RESPONSE = 20_000;

/** The daily closes of the charts at `url`, the price source that goes back furthest. */
export function createMarketPrice(url: string): DailyPrices {
  return {
    name: "blockchain.com",
    async read({ first, last }, fetchJson) {
      const span = { first: first + 1, last: last + 1 };
      const points = await readChart(url, "market-price", span, {
        daysPerResponse: DAYS_PER_DAILY_RESPONSE,
        parse: parseChart,
        fetchJson,
      });
      return closesOfMidnights(points);
    },
  };
}

/**
 * Turns prices at midnight into closes: a day's close has the timestamp of the beginning of the next day. A price at any other time is not
 * a close, and is left out.
 */
const closesOfMidnights = (prices: readonly TimedValue[]): TimedValue[] =>
  prices
    .filter(({ atSeconds }) => atSeconds % SECONDS_PER_DAY === 0)
    .map(({ atSeconds, value }) => ({ atSeconds: atSeconds - SECONDS_PER_DAY, value }));

/**
 * Parses `{"status": "ok", "values": [{"x": unixSeconds, "y": number}, …]}`. A point without a value is left out. Throws an Error
 * for anything else.
 */
export const parseChart = (json: unknown): TimedValue[] => pointsOf(elementsOf(json));

/**
 * Parses a chart with a point per block, over several turns of the event loop. Returns the latest point of each day whose value
 * `isPlausible`. Rejects where `parseChart` would throw.
 */
export async function parseBlocksChart(json: unknown, isPlausible: (value: number) => boolean): Promise<TimedValue[]> {
  const latest = new Map<Day, TimedValue>();
  const elements = elementsOf(json);
  for (let at = 0; at < elements.length; at += POINTS_PER_TURN) {
    for (const point of pointsOf(elements.slice(at, at + POINTS_PER_TURN))) {
      const day = dayOfSeconds(point.atSeconds);
      if (isPlausible(point.value) && point.atSeconds >= (latest.get(day)?.atSeconds ?? 0)) {
        latest.set(day, point);
      }
    }
    await nextTurn();
  }
  return [...latest.values()];
}

function elementsOf(json: unknown): readonly unknown[] {
  const response = asObject(json, "the response");
  if (response.status !== "ok") {
    throw new Error("the response's status is not ok");
  }
  return asList(response.values, "the list of values", POINTS_PER_RESPONSE_MAX);
}

function pointsOf(elements: readonly unknown[]): TimedValue[] {
  const points: TimedValue[] = [];
  for (const element of elements) {
    const { x, y } = asObject(element, "a point");
    const atSeconds = asNumber(x, "a point's time");
    if (atSeconds < EARLIEST_SECONDS || atSeconds > LATEST_SECONDS) {
      throw new Error("a point's time is before Bitcoin started or far in the future");
    }
    if (y !== null && y !== undefined) {
      points.push({ atSeconds, value: asNumber(y, "a point's value") });
    }
  }
  return points;
}
