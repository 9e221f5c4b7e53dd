import { describe, expect, test } from "vitest";
import { type Day, startOfDaySeconds } from "../../../../src/services/bitcoin/day.ts";
import { newestDay, valueAt } from "../../../../src/services/bitcoin/day-series.ts";
import { CHART_RULES, type ChartData, readChartData, withoutOpenDay } from "../../../../src/services/bitcoin/feeds/chart-data.ts";
import { wholeSpan } from "../../../../src/services/bitcoin/feeds/read-span.ts";
import type { FetchJson } from "../../../../src/services/bitcoin/feeds/sources/daily-prices.ts";

const yesterday = 20_777;
const { first } = wholeSpan(yesterday);

interface ChartPoint {
  readonly x: number;
  readonly y: number;
}

const daily = (from: Day, to: Day, value: (day: Day) => number): ChartPoint[] =>
  Array.from({ length: to - from + 1 }, (_, index) => ({ x: startOfDaySeconds(from + index), y: value(from + index) }));

/** Returns the same points for every URL, and records the URLs. */
function chartOf(points: readonly ChartPoint[]): { fetchJson: FetchJson; urls: string[] } {
  const urls: string[] = [];
  return {
    urls,
    fetchJson: async (url, parse) => {
      urls.push(url);
      return parse({ status: "ok", values: points });
    },
  };
}

const read = (rule: keyof typeof CHART_RULES, points: readonly ChartPoint[], held?: ChartData): Promise<ChartData> =>
  readChartData(CHART_RULES[rule], "http://charts.example/charts", held, {
    yesterday,
    nowMs: 1000,
    fetchJson: chartOf(points).fetchJson,
  });

const steady = daily(first, yesterday, () => 40_000_000);
const withValue = (day: Day, y: number): ChartPoint[] =>
  steady.map((point) => (point.x === startOfDaySeconds(day) ? { ...point, y } : point));

describe("a chart is requested unsampled", () => {
  test("for all days including today, in one request", async () => {
    const { fetchJson, urls } = chartOf(steady);
    await readChartData(CHART_RULES.revenue, "http://charts.example/charts", undefined, { yesterday, nowMs: 0, fetchJson });
    expect(urls).toEqual([
      "http://charts.example/charts/miners-revenue?start=2015-11-09&timespan=4031days&format=json&sampled=false",
    ]);
  });

  test("year by year if it has a point for every block", async () => {
    const { fetchJson, urls } = chartOf(daily(first, yesterday, (day) => 15_000_000 + day));
    await readChartData(CHART_RULES.supply, "http://charts.example/charts", undefined, { yesterday, nowMs: 0, fetchJson });
    expect([urls.length, urls[0], urls.at(-1)]).toEqual([
      12,
      "http://charts.example/charts/total-bitcoins?start=2015-11-09&timespan=366days&format=json&sampled=false",
      "http://charts.example/charts/total-bitcoins?start=2026-11-17&timespan=5days&format=json&sampled=false",
    ]);
  });

  test("for only the newest days if the others are already held", async () => {
    const held = await read("volume", steady);
    const { fetchJson, urls } = chartOf(steady);
    await readChartData(CHART_RULES.volume, "http://charts.example/charts", held, { yesterday, nowMs: 0, fetchJson });
    expect(urls).toEqual([
      "http://charts.example/charts/estimated-transaction-volume-usd?start=2026-11-07&timespan=15days&format=json&sampled=false",
    ]);
  });
});

describe("a chart's points", () => {
  test("leave out today's", async () => {
    const { series } = await read("revenue", [...steady, { x: startOfDaySeconds(yesterday + 1), y: 20_000_000 }]);
    expect(newestDay(series)).toBe(yesterday);
  });

  test.each<[string, "revenue" | "volume", number]>([
    ["a 0, which means that nothing is known", "revenue", 0],
    ["a value out of bounds", "volume", 1e15],
    ["a value twenty times higher than the rest of its month", "revenue", 900_000_000],
  ])("have a gap for %s", async (_, rule, value) => {
    const { series } = await read(rule, withValue(yesterday - 100, value));
    expect([valueAt(series, yesterday - 101), valueAt(series, yesterday - 100)]).toEqual([40_000_000, undefined]);
  });

  test("may all be missing, which leaves what is held", async () => {
    const held = await read("revenue", steady);
    expect(newestDay((await read("revenue", [])).series)).toBeUndefined();
    expect((await read("revenue", [], held)).series).toEqual(held.series);
  });

  test("cannot fall if they are the supply", async () => {
    const falling = daily(first, yesterday, (day) => (day === yesterday - 9 ? 15_000_000 : 15_000_000 + day));
    await expect(read("supply", falling)).rejects.toThrow("a running total falls");
  });
});

describe("the supply of a day is the value at its end", () => {
  const points = (...timestamps: readonly string[]) =>
    timestamps.map((timestamp, value) => ({ atSeconds: Date.parse(timestamp) / 1000, value }));
  const dayBefore = "2026-11-19T23:50:00Z";

  test.each<[string, string[], number]>([
    ["a day with points in its last two hours is complete", [dayBefore, "2026-11-20T21:00Z", "2026-11-20T22:00:00Z"], 3],
    ["a day whose points stop earlier is not", [dayBefore, "2026-11-20T09:00Z", "2026-11-20T21:59:59Z"], 1],
    ["a point of a later day makes the day before complete", [dayBefore, "2026-11-20T09:00Z", "2026-11-21T00:00Z"], 3],
    ["a chart with one point per day has complete days", ["2026-11-19T00:00Z", "2026-11-20T00:00Z"], 2],
    ["no points give no days", [], 0],
  ])("%s", (_, timestamps, left) => {
    expect(withoutOpenDay(points(...timestamps))).toEqual(points(...timestamps).slice(0, left));
  });

  test("and the newest day is left out until it has ended", async () => {
    const whole = daily(first, yesterday - 1, (day) => 15_000_000 + day);
    const morning = { x: startOfDaySeconds(yesterday) + 9 * 3600, y: 15_000_000 + yesterday };
    const { series } = await read("supply", [...whole, morning]);
    expect(newestDay(series)).toBe(yesterday - 1);
  });

  test("and the last of several points counts", async () => {
    const blocks = daily(first, yesterday, (day) => 15_000_000 + day).flatMap(({ x, y }) => [
      { x: x + 600, y },
      { x: x + 86_000, y: y + 0.5 },
    ]);
    const { series } = await read("supply", blocks);
    expect(valueAt(series, yesterday)).toBe(15_000_000 + yesterday + 0.5);
  });
});
