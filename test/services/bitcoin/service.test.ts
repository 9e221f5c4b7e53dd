import { type DescMessage, type MessageShape, toJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import {
  GetHistoryResponseSchema,
  GetMayerResponseSchema,
  GetNvtResponseSchema,
  GetPuellResponseSchema,
  GetS2fResponseSchema,
  GetSummaryResponseSchema,
} from "../../../gen/quintet/bitcoin/v1/bitcoin_pb.js";
import type { IndicatorName } from "../../../src/services/bitcoin/get-history.ts";
import * as oracle from "./oracle.ts";
import { failureOf, startBitcoin } from "./start-bitcoin.ts";
import { closes, revenues, supplies, volumes, yesterday } from "./world-tables.ts";

const INDICATORS = ["mayer", "puell", "nvt", "s2f"];
const asOf = yesterday;
const freshness = { fetchedAt: "2026-11-21T12:00:07Z", stale: false };
const allSources = ["coinbase", "kraken", "binance", "blockchain.com"];

/** The response as REST would write it, with its numbers rounded to ten digits. */
async function jsonOf<Desc extends DescMessage>(schema: Desc, response: Promise<MessageShape<Desc>>): Promise<unknown> {
  return oracle.rounded(toJson(schema, await response, { alwaysEmitImplicit: true }));
}

const zone = (name: string, value: number, undervaluedBelow: number, overvaluedAbove: number) => ({
  name,
  value,
  undervaluedBelow,
  overvaluedAbove,
});

function expectedMayer() {
  const rest = oracle.mayer(closes, yesterday);
  return {
    ...rest,
    zone: zone("ZONE_NAME_UNDERVALUED", rest.ratio, 1, 2.4),
    windowDays: 200,
    asOf,
    sources: allSources,
    disagreeingSources: [],
  };
}

function expectedPuell() {
  const rest = oracle.puell(revenues, yesterday);
  return {
    ...rest,
    zone: zone("ZONE_NAME_NEUTRAL", rest.ratio, 0.5, 4),
    windowDays: 365,
    asOf,
    sources: ["blockchain.com"],
  };
}

function expectedNvt() {
  const rest = oracle.nvt(closes, supplies, volumes, yesterday);
  const ratios = oracle.datesBack(yesterday, 730).map((date) => oracle.nvt(closes, supplies, volumes, date).ratio);
  const percentile = oracle.percentile(ratios, rest.ratio);
  return {
    ...rest,
    percentile,
    zone: zone("ZONE_NAME_NEUTRAL", percentile, 10, 90),
    windowDays: 90,
    percentileWindowDays: 730,
    percentileDaysPresent: 730,
    asOf,
    sources: allSources,
    disagreeingSources: [],
  };
}

function expectedS2f() {
  const rest = oracle.s2f(closes, supplies, yesterday);
  return {
    ...rest,
    model: "exp(-1.84) * SF^3.36",
    caveat:
      "Stock-to-Flow is controversial: its price model equates scarcity with value, has been far too optimistic since 2022, and is not a forecast.",
    zone: zone("ZONE_NAME_UNDERVALUED", rest.price / rest.modelPrice, 0.1, 2.4),
    windowDays: 365,
    asOf,
    sources: allSources,
    disagreeingSources: [],
  };
}

describe("every operation against the stand-ins, compared with an independent implementation", () => {
  test("mayer", async () => {
    const { client } = await startBitcoin();
    expect(await jsonOf(GetMayerResponseSchema, client.getMayer({}))).toEqual(
      oracle.rounded({ mayer: expectedMayer(), freshness }),
    );
  });

  test("puell", async () => {
    const { client } = await startBitcoin();
    expect(await jsonOf(GetPuellResponseSchema, client.getPuell({}))).toEqual(
      oracle.rounded({ puell: expectedPuell(), freshness }),
    );
  });

  test("nvt", async () => {
    const { client } = await startBitcoin();
    expect(await jsonOf(GetNvtResponseSchema, client.getNvt({}))).toEqual(oracle.rounded({ nvt: expectedNvt(), freshness }));
  });

  test("s2f", async () => {
    const { client } = await startBitcoin();
    expect(await jsonOf(GetS2fResponseSchema, client.getS2f({}))).toEqual(oracle.rounded({ s2f: expectedS2f(), freshness }));
  });

  test("summary: the four, each as its own method returns it, and the cycle", async () => {
    const { client } = await startBitcoin();
    const [mayer, puell, nvt, s2f] = [expectedMayer(), expectedPuell(), expectedNvt(), expectedS2f()];
    const position = (value: number, low: number, high: number): number => Math.min(Math.max((value - low) / (high - low), 0), 1);
    const heavy = [
      position(Math.log10(mayer.ratio), 0, Math.log10(2.4)),
      position(Math.log10(puell.ratio), Math.log10(0.5), Math.log10(4)),
      position(nvt.percentile, 10, 90),
    ];
    const light = position(Math.log10(s2f.zone.value), -1, Math.log10(2.4));
    const score = Math.round(((2 * heavy.reduce((sum, one) => sum + one)) / 7 + light / 7) * 1000) / 10;
    expect(await jsonOf(GetSummaryResponseSchema, client.getSummary({}))).toEqual(
      oracle.rounded({
        cycle: { read: "CYCLE_READ_DEEP_VALUE", score, agreement: 0.5 },
        mayer,
        puell,
        nvt,
        s2f,
        asOf,
        unavailable: [],
        freshness,
      }),
    );
  });

  test.each<[IndicatorName, (date: string) => object, readonly string[]]>([
    ["mayer", (date) => ({ ratio: oracle.mayer(closes, date).ratio, price: closes[date] }), allSources],
    ["puell", (date) => ({ ratio: oracle.puell(revenues, date).ratio }), ["blockchain.com"]],
    ["nvt", (date) => ({ ratio: oracle.nvt(closes, supplies, volumes, date).ratio, price: closes[date] }), allSources],
    [
      "s2f",
      (date) => {
        const { ratio, modelPrice } = oracle.s2f(closes, supplies, date);
        return { ratio, price: closes[date], modelPrice };
      },
      allSources,
    ],
  ])("history of %s, oldest first", async (name, expected, sources) => {
    const { client } = await startBitcoin();
    const dates = oracle.datesBack(yesterday, 40).reverse();
    expect(await jsonOf(GetHistoryResponseSchema, client.getHistory({ indicator: name, days: 40 }))).toEqual(
      oracle.rounded({
        asOf,
        sources,
        disagreeingSources: [],
        freshness,
        points: dates.map((date) => ({ day: date, ...expected(date) })),
      }),
    );
  });

  test("history of ten years is complete except for the days whose window lacks a fortnight", async () => {
    const { client } = await startBitcoin();
    const counts = INDICATORS.map(async (indicator) => (await client.getHistory({ indicator, days: 3650 })).points.length);
    // For each of these days, more than 4 of the 90 in its window are among the 15 lost in May 2019.
    const uncovered = oracle
      .datesBack(yesterday, 3650)
      .filter((date) => oracle.nvt(closes, supplies, volumes, date).daysPresent < 86);
    expect(await Promise.all(counts)).toEqual([3650, 3650, 3650 - uncovered.length, 3650]);
    expect([uncovered.at(-1), uncovered[0]]).toEqual(["2019-05-24", "2019-08-27"]);
  });

  test("history goes back a year by default, and one day if that is requested", async () => {
    const { client } = await startBitcoin();
    expect((await client.getHistory({ indicator: "mayer" })).points.length).toBe(365);
    expect((await client.getHistory({ indicator: "mayer", days: 1 })).points.map(({ ratio }) => oracle.rounded(ratio))).toEqual([
      oracle.rounded(oracle.mayer(closes, yesterday).ratio),
    ]);
  });
});

test.each<[object, string | undefined, string | undefined, number]>([
  [{ fromDay: "2026-11-11" }, "2026-11-11", yesterday, 10],
  [{ toDay: "2026-11-10" }, "2025-11-11", "2026-11-10", 365],
  [{ toDay: "2026-11-10", days: 2 }, "2026-11-09", "2026-11-10", 2],
  [{ fromDay: "2026-11-09", toDay: "2026-11-10" }, "2026-11-09", "2026-11-10", 2],
  [{ fromDay: "2026-11-09", days: 2 }, "2026-11-09", "2026-11-10", 2],
  [{ toDay: "2030-01-01", days: 1 }, yesterday, yesterday, 1],
  [{ fromDay: "2030-01-01" }, undefined, undefined, 0],
  [{ fromDay: "2009-01-03", toDay: "2010-01-01" }, undefined, undefined, 0],
])("the history of %j has the days from %s to %s", async (days, first, last, count) => {
  const { client } = await startBitcoin();
  const { points } = await client.getHistory({ indicator: "mayer", ...days });
  expect([points[0]?.day, points.at(-1)?.day, points.length]).toEqual([first, last, count]);
});

describe("bad input", () => {
  test.each<[string, { indicator: string; days?: number; fromDay?: string; toDay?: string }]>([
    ["no indicator", { indicator: "" }],
    ["an unknown indicator", { indicator: "rsi" }],
    ["no days", { indicator: "mayer", days: 0 }],
    ["more than ten years", { indicator: "mayer", days: 3651 }],
    ["a day that does not exist", { indicator: "mayer", fromDay: "2026-02-30" }],
    ["a time instead of a day", { indicator: "mayer", toDay: "2026-02-03T00:00:00Z" }],
    ["an end before the beginning", { indicator: "mayer", fromDay: "2026-02-03", toDay: "2026-02-02" }],
    ["two ends", { indicator: "mayer", fromDay: "2026-02-03", toDay: "2026-02-05", days: 3 }],
  ])("%s is refused before any source is queried", async (_, request) => {
    const { client, standIns } = await startBitcoin();
    expect(await failureOf(client.getHistory(request))).toEqual(["INVALID_ARGUMENT", expect.any(String)]);
    expect(Object.values(standIns).map(({ requestCount }) => requestCount)).toEqual([0, 0, 0, 0, 0]);
  });
});
