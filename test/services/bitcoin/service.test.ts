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
import * as oracle from "./oracle.ts";
import { failureOf, startBitcoin } from "./start-bitcoin.ts";
import { closes, revenues, supplies, volumes, yesterday } from "./world-tables.ts";

const asOf = `${yesterday}T00:00:00Z`;
const fetchedAt = "2026-11-21T12:00:07Z";

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
  const { average, ...rest } = oracle.mayer(closes, yesterday);
  return {
    ...rest,
    average200d: average,
    zone: zone("undervalued", rest.ratio, 1, 2.4),
    windowDays: 200,
    asOf,
    source: "coinbase+kraken+binance+blockchain.com",
    disagreeingSources: [],
    fetchedAt,
  };
}

function expectedPuell() {
  const { average, ...rest } = oracle.puell(revenues, yesterday);
  return {
    ...rest,
    average365d: average,
    zone: zone("neutral", rest.ratio, 0.5, 4),
    windowDays: 365,
    asOf,
    source: "blockchain.com",
    fetchedAt,
  };
}

function expectedNvt() {
  const { average, ...rest } = oracle.nvt(closes, supplies, volumes, yesterday);
  const ratios = oracle.datesBack(yesterday, 730).map((date) => oracle.nvt(closes, supplies, volumes, date).ratio);
  const percentile = oracle.percentile(ratios, rest.ratio);
  return {
    ...rest,
    average90d: average,
    percentile,
    zone: zone("neutral", percentile, 10, 90),
    windowDays: 90,
    percentileWindowDays: 730,
    percentileDaysPresent: 730,
    asOf,
    source: "coinbase+kraken+binance+blockchain.com",
    disagreeingSources: [],
    fetchedAt,
  };
}

function expectedS2f() {
  const { issuance, ...rest } = oracle.s2f(closes, supplies, yesterday);
  return {
    ...rest,
    issuance365d: issuance,
    model: "exp(-1.84) * SF^3.36",
    caveat:
      "Stock-to-Flow is controversial: its price model equates scarcity with value, has been far too optimistic since 2022, and is not a forecast.",
    zone: zone("undervalued", rest.price / rest.modelPrice, 0.1, 2.4),
    windowDays: 365,
    asOf,
    source: "coinbase+kraken+binance+blockchain.com",
    disagreeingSources: [],
    fetchedAt,
  };
}

describe("every operation against the stand-ins, compared with an independent implementation", () => {
  test("mayer", async () => {
    const { client } = await startBitcoin();
    expect(await jsonOf(GetMayerResponseSchema, client.getMayer({}))).toEqual(oracle.rounded(expectedMayer()));
  });

  test("puell", async () => {
    const { client } = await startBitcoin();
    expect(await jsonOf(GetPuellResponseSchema, client.getPuell({}))).toEqual(oracle.rounded(expectedPuell()));
  });

  test("nvt", async () => {
    const { client } = await startBitcoin();
    expect(await jsonOf(GetNvtResponseSchema, client.getNvt({}))).toEqual(oracle.rounded(expectedNvt()));
  });

  test("s2f", async () => {
    const { client } = await startBitcoin();
    expect(await jsonOf(GetS2fResponseSchema, client.getS2f({}))).toEqual(oracle.rounded(expectedS2f()));
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
      oracle.rounded({ cycle: { read: "deep_value", score, agreement: 0.5 }, mayer, puell, nvt, s2f, asOf, unavailable: [] }),
    );
  });

  test.each<[string, (date: string) => object, string]>([
    [
      "mayer",
      (date) => ({ ratio: oracle.mayer(closes, date).ratio, price: closes[date] }),
      "coinbase+kraken+binance+blockchain.com",
    ],
    ["puell", (date) => ({ ratio: oracle.puell(revenues, date).ratio }), "blockchain.com"],
    [
      "nvt",
      (date) => ({ ratio: oracle.nvt(closes, supplies, volumes, date).ratio, price: closes[date] }),
      "coinbase+kraken+binance+blockchain.com",
    ],
    [
      "s2f",
      (date) => {
        const { ratio, modelPrice } = oracle.s2f(closes, supplies, date);
        return { ratio, price: closes[date], modelPrice };
      },
      "coinbase+kraken+binance+blockchain.com",
    ],
  ])("history of %s, oldest first", async (indicator, expected, source) => {
    const { client } = await startBitcoin();
    const dates = oracle.datesBack(yesterday, 40).reverse();
    expect(await jsonOf(GetHistoryResponseSchema, client.getHistory({ indicator, days: 40 }))).toEqual(
      oracle.rounded({
        indicator,
        days: 40,
        count: 40,
        asOf,
        source,
        disagreeingSources: [],
        fetchedAt,
        points: dates.map((date) => ({ day: `${date}T00:00:00Z`, ...expected(date) })),
      }),
    );
  });

  test("history of ten years is complete except for the days whose window lacks a fortnight", async () => {
    const { client } = await startBitcoin();
    const counts = ["mayer", "puell", "nvt", "s2f"].map(async (indicator) => {
      const { days, count, points } = await client.getHistory({ indicator, days: 3650 });
      return [days, count, points.length];
    });
    // For each of these days, more than 4 of the 90 in its window are among the 15 lost in May 2019.
    const uncovered = oracle
      .datesBack(yesterday, 3650)
      .filter((date) => oracle.nvt(closes, supplies, volumes, date).daysPresent < 86);
    expect(await Promise.all(counts)).toEqual([
      [3650, 3650, 3650],
      [3650, 3650, 3650],
      [3650, 3650 - uncovered.length, 3650 - uncovered.length],
      [3650, 3650, 3650],
    ]);
    expect([uncovered.at(-1), uncovered[0]]).toEqual(["2019-05-24", "2019-08-27"]);
  });

  test("history goes back a year by default, and one day if that is requested", async () => {
    const { client } = await startBitcoin();
    expect((await client.getHistory({ indicator: "mayer" })).count).toBe(365);
    expect((await client.getHistory({ indicator: "mayer", days: 1 })).points.map(({ ratio }) => oracle.rounded(ratio))).toEqual([
      oracle.rounded(oracle.mayer(closes, yesterday).ratio),
    ]);
  });
});

describe("bad input", () => {
  test.each<[string, { indicator: string; days?: number }]>([
    ["no indicator", { indicator: "" }],
    ["an unknown indicator", { indicator: "rsi" }],
    ["no days", { indicator: "mayer", days: 0 }],
    ["more than ten years", { indicator: "mayer", days: 3651 }],
  ])("%s is refused before any source is queried", async (_, request) => {
    const { client, standIns } = await startBitcoin();
    expect(await failureOf(client.getHistory(request))).toEqual(["INVALID_ARGUMENT", expect.any(String)]);
    expect(Object.values(standIns).map(({ requestCount }) => requestCount)).toEqual([0, 0, 0, 0, 0]);
  });
});
