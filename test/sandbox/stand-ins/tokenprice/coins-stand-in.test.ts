import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../../src/runtime/clock.ts";
import { factsOf } from "../../../../src/sandbox/stand-ins/bitcoin/stand-ins.ts";
import { inventedAsset } from "../../../../src/sandbox/stand-ins/market/assets.ts";
import { dayOf } from "../../../../src/sandbox/stand-ins/market/days.ts";
import { priceAt } from "../../../../src/sandbox/stand-ins/market/market.ts";
import type { StandIn } from "../../../../src/sandbox/stand-ins/stand-in.ts";
import { sandboxTokens } from "../../../../src/sandbox/stand-ins/tokenlist/lists.ts";
import { CATALOGUE } from "../../../../src/sandbox/stand-ins/tokenprice/catalogue.ts";
import { startCoinsStandIn } from "../../../../src/sandbox/stand-ins/tokenprice/coins-stand-in.ts";

const nowMs = Date.UTC(2026, 10, 21, 12, 0, 7);
const nowSeconds = Math.floor(nowMs / 1000);
const ids = [...CATALOGUE.keys()];

async function start(seed = 1): Promise<StandIn> {
  const standIn = await startCoinsStandIn({ seed, clock: { ...systemClock, nowMs: () => nowMs } });
  onTestFinished(() => standIn.close());
  return standIn;
}

async function get({ origin }: StandIn, path: string): Promise<{ status: number; json: { coins: Record<string, unknown> } }> {
  const response = await fetch(origin + path);
  return { status: response.status, json: (await response.json()) as { coins: Record<string, unknown> } };
}

describe("the sandbox's tokens", () => {
  test("are spelled as in lookups", () => {
    const odd = ids.filter(
      (id) => !/^(coingecko:[a-z[\] -]+|solana:[1-9A-HJ-NP-Za-km-z]{32,44}|(sui|starknet):\S+|[a-z_]+:0x[0-9a-f]{40})$/.test(id),
    );
    expect(odd).toEqual([]);
  });

  test("are the same for the same seed and different for another", async () => {
    const path = "/prices/current/coingecko:bitcoin";
    const [first, second, third] = await Promise.all(
      [start(1), start(1), start(2)].map(async (started) => (await get(await started, path)).json),
    );
    expect(first).toEqual(second);
    expect(first).not.toEqual(third);
  });
});

describe("the stand-in responds as the real one does", () => {
  test("a current price has the requested name, and is a number or a string", async () => {
    const standIn = await start();
    const spy = "Ethereum:0xFEDC5f4a6c38211c1338aa411018dfaf26612c08";
    expect(await get(standIn, `/prices/current/coingecko:bitcoin,${spy},coingecko:Bitcoin,x:y`)).toEqual({
      status: 200,
      json: {
        coins: {
          "coingecko:bitcoin": { symbol: "BTC", confidence: 0.99, price: 94_634.41, timestamp: nowSeconds - 3 },
          [spy]: { decimals: 18, symbol: "SPYon", confidence: 0.99, price: "691.3", timestamp: nowSeconds - 3 },
        },
      },
    });
  });

  test("the current price of a token changes every four seconds, for all tokens of an asset", async () => {
    let seconds = nowSeconds - 3;
    const standIn = await startCoinsStandIn({ seed: 1, clock: { ...systemClock, nowMs: () => seconds * 1000 } });
    onTestFinished(() => standIn.close());
    const ids = ["coingecko:ethereum", "arbitrum:0x82af49447d8a07e3bd95bd0d56f35241523fbab1"];
    const seen: unknown[] = [];
    for (seconds of [0, 1, 4, 8].map((later) => nowSeconds - 3 + later)) {
      const { json } = await get(standIn, `/prices/current/${ids.join(",")}`);
      seen.push(ids.map((id) => (json.coins[id] as { price: number }).price));
    }
    const [first, second, third, fourth] = seen as number[][];
    expect([first, first, first?.[0]]).toEqual([second, [first?.[0], first?.[0]], 2804.24]);
    expect(new Set([first?.[0], third?.[0], fourth?.[0]]).size).toBe(3);
  });

  test("every token of the lists has prices from its first trading day on", async () => {
    const standIn = await start();
    const created = sandboxTokens(1).find(({ symbol }) => symbol === "HIEMB0");
    const id = `optimism:${created?.address.toLowerCase()}`;
    const price = priceAt(inventedAsset(id, 1), 1, nowSeconds - 3);
    const { json } = await get(standIn, `/prices/current/${id}`);
    expect(json.coins[id]).toEqual({ decimals: 18, symbol: "HIEMB0", confidence: 0.99, price, timestamp: nowSeconds - 3 });
    const early = await get(standIn, `/prices/historical/${Date.UTC(2017, 0, 1) / 1000}/${id}`);
    expect(early.json).toEqual({ coins: {} });
  });

  test("Bitcoin has prices since 2011, which are those of the Bitcoin stand-ins", async () => {
    const day = dayOf("2011-06-08");
    const { json } = await get(await start(), `/prices/historical/${(day + 1) * 86_400 - 60}/coingecko:bitcoin`);
    const { price } = json.coins["coingecko:bitcoin"] as { price: number };
    expect(price / factsOf(1, day).close).toBeCloseTo(1, 2);
  });

  test("a token that is no longer traded has past prices, but no current one", async () => {
    const standIn = await start();
    const gone = "ethereum:0x00000000000000000000000000000000000dead1";
    expect((await get(standIn, `/prices/current/${gone}`)).json).toEqual({ coins: {} });
    const { json } = await get(standIn, `/prices/historical/${Date.UTC(2024, 0, 1) / 1000}/${gone}`);
    expect(Object.keys(json.coins)).toEqual([gone]);
  });

  test.each([0, Date.UTC(2001, 0, 1) / 1000, nowSeconds + 86_400 * 365])("there are no prices at %i", async (timestamp) => {
    expect(await get(await start(), `/prices/historical/${timestamp}/coingecko:bitcoin`)).toEqual({
      status: 200,
      json: { coins: {} },
    });
  });

  test("a large batch lacks tokens that have a price when requested alone", async () => {
    const standIn = await start();
    const batch = ids.slice(0, 30);
    const found = Object.keys((await get(standIn, `/prices/current/${batch.join(",")}`)).json.coins);
    expect(found.length).toBe(24);
    const [lost] = batch.filter((id) => !found.includes(id));
    expect(Object.keys((await get(standIn, `/prices/current/${lost}`)).json.coins)).toEqual([lost]);
  });

  test.each<[string, string, number[]]>([
    ["span and period back from the end", `end=${nowSeconds}&span=3&period=1h`, [-2, -1, 0]],
    ["span and period on from the start", `start=${nowSeconds - 10_800}&span=3&period=3600`, [-3, -2, -1]],
    ["one point if no span is given", "period=2d", [0]],
    ["no points from the future", `start=${nowSeconds - 3600}&span=9&period=h`, [-1, 0]],
  ])("a chart has %s", async (_name, query, hours) => {
    const { json } = await get(await start(), `/chart/coingecko:bitcoin?${query}`);
    const { prices } = json.coins["coingecko:bitcoin"] as { prices: { timestamp: number }[] };
    expect(prices.map(({ timestamp }) => Math.round((timestamp - nowSeconds) / 3600) + 0)).toEqual(hours);
  });

  test("a chart of a few minutes searches a few seconds around each point, and finds almost nothing", async () => {
    const { json } = await get(await start(), `/chart/coingecko:bitcoin?end=${nowSeconds}&span=30&period=5m`);
    expect(json).toEqual({ coins: {} });
  });

  test("prices at given times are the nearest records, unordered, some twice, each with the coin's confidence", async () => {
    const timestamps = [nowSeconds - 600, nowSeconds - 590, nowSeconds - 300, nowSeconds - 86_400 * 365 * 16];
    const coins = { "coingecko:bitcoin": timestamps, "coingecko:nobody": timestamps };
    const { json } = await get(await start(), `/batchHistorical?coins=${encodeURIComponent(JSON.stringify(coins))}`);
    const { symbol, prices } = json.coins["coingecko:bitcoin"] as { symbol: string; prices: Record<string, number>[] };
    expect([Object.keys(json.coins), symbol, prices.map(({ timestamp = 0 }) => timestamp - nowSeconds)]).toEqual([
      ["coingecko:bitcoin"],
      "BTC",
      [-231, -531, -531],
    ]);
    expect(prices[0]).toEqual({ timestamp: nowSeconds - 231, price: expect.any(Number), confidence: 0.99 });
  });

  test.each([
    ["/batchHistorical?coins=%7B%7D", 400, "no coins queried"],
    ["/batchHistorical?coins=%7B", 400, "SyntaxError: the value of coins is not valid JSON"],
    [`/batchHistorical?coins=${"1".repeat(9100)}`, 414, "URI Too Long"],
    ["/chart/x:y?start=1&end=2", 400, "use either start or end parameter, not both"],
    ["/chart/x:y?stop=1", 400, "unknown query parameter stop"],
    ["/chart/x:y,x:z?span=251", 400, "coins * span = 502 exceeds the maximum of 500"],
    ["/chart/x:y?period=1d12h", 400, "start, end, span, period and searchWidth must be numbers"],
    ["/percentage/x:y", 404, "Not Found"],
    [`/prices/current/${"a".repeat(9100)}`, 414, "URI Too Long"],
  ])("%s is refused", async (path, status, message) => {
    expect(await get(await start(), path)).toEqual({ status, json: { message } });
  });
});
