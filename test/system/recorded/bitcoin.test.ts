// Fourteen years of miner revenue and transaction value from the real charts, processed by the service. They are not part of this
// repository: set QUINTET_RECORDED_DATA to a folder that has them, as `bitcoin/*.csv`.
import { readFileSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { dayOf } from "../../../src/sandbox/stand-ins/market/days.ts";
import { startStandIn } from "../../../src/sandbox/stand-ins/stand-in-server.ts";
import { daysPresent, seriesOf } from "../../../src/services/bitcoin/day-series.ts";
import { CHART_RULES, readChartData } from "../../../src/services/bitcoin/feeds/chart-data.ts";
import { wholeSpan } from "../../../src/services/bitcoin/feeds/read-span.ts";
import { nvtOn } from "../../../src/services/bitcoin/indicators/indicators.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";
import * as oracle from "../../services/bitcoin/oracle.ts";
import { startBitcoin } from "../../services/bitcoin/start-bitcoin.ts";

const folder = process.env.QUINTET_RECORDED_DATA;

/** A recorded chart, date by date. */
function recorded(chart: string): Record<string, number> {
  const [, ...lines] = readFileSync(`${folder}/bitcoin/${chart}.csv`, "utf8").trim().split("\n");
  return Object.fromEntries(lines.map((line) => [line.slice(0, 10), Number(line.split(",")[1])]));
}

const chartJson = (values: oracle.ByDate): object => ({
  status: "ok",
  values: Object.entries(values).map(([date, y]) => ({ x: dayOf(date) * 86_400, y })),
});

describe.skipIf(folder === undefined)("recorded charts (skipped without QUINTET_RECORDED_DATA)", () => {
  test("ten years of the Puell Multiple, which marked the bottoms and the top of 2017", async () => {
    const revenues = recorded("miners-revenue");
    const now = "2024-08-24T12:00:00Z";
    const charts = await startStandIn({
      name: "recorded",
      clock: createManualClock({ nowMs: Date.parse(now) }),
      handle: () => ({ status: 200, body: JSON.stringify(chartJson(revenues)) }),
    });
    onTestFinished(() => charts.close());
    const { client } = await startBitcoin({ now, config: { chartsUrl: charts.origin } });
    const { points } = await client.getHistory({ indicator: "puell", days: 3650 });
    const dates = oracle.datesBack("2024-08-23", 3650).reverse();
    expect(points.length).toBe(3650);
    expect(points.map(({ day, ratio }) => oracle.rounded([day, ratio]))).toEqual(
      dates.map((date) => oracle.rounded([date, oracle.puell(revenues, date).ratio])),
    );
    const ratioOf = (date: string): number => Math.round((points[dates.indexOf(date)]?.ratio ?? 0) * 1000) / 1000;
    expect(["2015-01-20", "2017-12-17", "2018-12-16", "2022-11-21", "2024-04-20", "2024-08-23"].map(ratioOf)).toEqual([
      0.276, 7.123, 0.281, 0.453, 2.771, 0.801,
    ]);
  });

  // Known closes and coin supplies of some days, and the ratio that others have computed from the same chart.
  test.each([
    ["2018-01-15", 13_660, 16_800_000, 80],
    ["2019-01-15", 3600, 17_480_000, 88],
    ["2021-04-14", 62_980, 18_680_000, 195],
    ["2022-11-15", 16_880, 19_210_000, 141],
    ["2024-03-14", 71_380, 19_650_000, 182],
  ])("the NVT ratio of %s", async (date, price, coins, ratio) => {
    const volumes = recorded("estimated-transaction-volume-usd");
    const day = dayOf(date);
    const { series } = await readChartData(CHART_RULES.volume, "http://charts.example", undefined, {
      yesterday: day,
      nowMs: 0,
      fetchJson: async (_url, parse) => parse(chartJson(volumes)),
    });
    const only = (value: number) => seriesOf(new Map([[day, value]]));
    expect(nvtOn({ closes: only(price), supply: only(coins), volume: series }, day)).toMatchObject({
      covered: true,
      ratio: expect.closeTo(ratio, 0),
      daysPresent: 90,
    });
  });

  test.each([
    ["miner revenue", "revenue", "miners-revenue", 0],
    ["transaction value", "volume", "estimated-transaction-volume-usd", 6],
  ] as const)("no day in eleven years of %s is rejected as implausible", async (_what, rule, chart, gaps) => {
    const yesterday = dayOf("2024-08-08");
    const { series } = await readChartData(CHART_RULES[rule], "http://charts.example", undefined, {
      yesterday,
      nowMs: 0,
      fetchJson: async (_url, parse) => parse(chartJson(recorded(chart))),
    });
    expect(daysPresent(series, wholeSpan(yesterday))).toBe(4030 - gaps);
  });
});
