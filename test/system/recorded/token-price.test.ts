// Recorded responses of the real price source, processed by the whole service. They are not part of this repository: set
// QUINTET_RECORDED_DATA to a folder that has them, as `defillama/recorded/*.json`.
import { readFileSync } from "node:fs";
import { toJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import {
  GetHistoricalPricesResponseSchema,
  GetPricesResponseSchema,
  PriceMatch,
} from "../../../gen/quintet/tokenprice/v1/token_price_pb.js";
import { systemClock } from "../../../src/runtime/clock.ts";
import { parseQuotes } from "../../../src/services/tokenprice/source/coins-response.ts";
import { startTokenPrice } from "../../services/tokenprice/start-token-price.ts";
import { startLoopbackServer } from "../../upstream/loopback-server.ts";

const folder = process.env.QUINTET_RECORDED_DATA;
const read = (name: string): string => readFileSync(`${folder}/defillama/recorded/${name}`, "utf8");

/** The service at a past date, over a source that replays a recording. */
async function replay(name: string, date: string) {
  const source = await startLoopbackServer((_request, response) => response.end(read(name)));
  const nowMs = Date.parse(date);
  return startTokenPrice(source.origin, { clock: { ...systemClock, nowMs: () => nowMs } });
}

describe.skipIf(folder === undefined)("recorded prices (skipped without QUINTET_RECORDED_DATA)", () => {
  test("current prices of two tokens by address", async () => {
    const client = await replay("current_2022-11-04_FUN_WETH.json", "2022-11-04T09:50:00Z");
    const fun = "ethereum:0x419D0d8BdD9aF5e606Ae2232ed285Aff190E711b";
    const weth = "ethereum:0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2";
    expect(toJson(GetPricesResponseSchema, await client.getPrices({ tokens: [fun, weth], minConfidence: 0.9 }))).toEqual({
      results: [
        {
          token: fun,
          id: fun.toLowerCase(),
          price: 0.00756368,
          symbol: "FUN",
          decimals: 8,
          confidence: 0.99,
          recordedAt: "2022-11-04T09:48:03Z",
        },
        {
          token: weth,
          id: weth.toLowerCase(),
          price: 1582.85,
          symbol: "WETH",
          decimals: 18,
          confidence: 0.99,
          recordedAt: "2022-11-04T09:47:57Z",
        },
      ],
    });
  });

  test("a current price by slug, without decimals", async () => {
    const client = await replay("current_2022-11-04_coingecko-binancecoin.json", "2022-11-04T09:00:00Z");
    expect(toJson(GetPricesResponseSchema, await client.getPrices({ tokens: ["coingecko:binancecoin"] }))).toEqual({
      results: [
        {
          token: "coingecko:binancecoin",
          id: "coingecko:binancecoin",
          price: 344.74,
          symbol: "BNB",
          confidence: 0.99,
          recordedAt: "2022-11-04T08:42:53Z",
        },
      ],
    });
  });

  test("a historical price", async () => {
    const client = await replay("historical_2023-10-01_coingecko-bitcoin.json", "2026-11-21T12:00:00Z");
    const timestamp = Date.UTC(2023, 9, 1) / 1000;
    const request = { tokens: ["coingecko:bitcoin"], timestamp };
    // It was recorded 11 seconds later.
    expect((await client.getHistoricalPrices(request)).missing).toEqual(request.tokens);
    const nearest = await client.getHistoricalPrices({ ...request, match: PriceMatch.NEAREST });
    expect(toJson(GetHistoricalPricesResponseSchema, nearest)).toEqual({
      results: [
        {
          token: "coingecko:bitcoin",
          id: "coingecko:bitcoin",
          price: 26966.11831093055,
          symbol: "BTC",
          confidence: 0.99,
          recordedAt: "2023-10-01T00:00:11Z",
        },
      ],
    });
  });

  test("a chart of a month, one point per day, of two tokens", async () => {
    const client = await replay("chart_2020-12_MANA_ETH.json", "2026-11-21T12:00:00Z");
    const start = Date.UTC(2020, 11, 1) / 1000;
    const tokens = ["ethereum:0x0f5d2fb29fb7d3cfee444a200298f468908cc942", "coingecko:ethereum"];
    const { results, missing } = await client.getPriceCharts({ tokens, start, span: 31, match: PriceMatch.NEAREST });
    expect(missing).toEqual([]);
    const days = Array.from({ length: 31 }, (_, index) => index);
    expect(
      results.map(({ symbol, decimals, points }) => [
        symbol,
        decimals,
        points.map(({ recordedAt }) => Math.round((Number(recordedAt?.seconds) - start) / 86_400) + 0),
      ]),
    ).toEqual([
      ["MANA", 18, days],
      ["ETH", undefined, days],
    ]);
    expect(results.map(({ points }) => points[0]?.price)).toEqual([0.08577524238956981, 613.1562778090039]);
    const { results: known } = await client.getPriceCharts({ tokens, start, span: 31 });
    const ages = known.flatMap(({ points }) =>
      points.map(({ time, recordedAt }) => Number(time?.seconds) - Number(recordedAt?.seconds)),
    );
    expect(ages.filter((age) => age < 0)).toEqual([]);
    expect(ages.length).toBeGreaterThan(10);
  });

  test("the publisher's own example of a historical price", () => {
    const { historical } = JSON.parse(read("docs-examples.json")) as { historical: { responseElement: unknown } };
    const id = "ethereum:0xdF574c24545E5FfEcb9a659c229253D4111d87e1";
    expect([...parseQuotes(historical.responseElement, [id])]).toEqual([
      [
        "ethereum:0xdF574c24545E5FfEcb9a659c229253D4111d87e1",
        { decimals: 8, price: 0.022053735051098835, symbol: "cDAI", atSeconds: 1_648_680_149, confidence: 0.99 },
      ],
    ]);
  });
});
