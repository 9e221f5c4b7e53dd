import { type DescMessage, type MessageShape, toJson } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, onTestFinished, test } from "vitest";
import { ErrorInfoSchema } from "../../../gen/google/rpc/error_details_pb.js";
import {
  GetHistoricalPricesResponseSchema,
  GetPriceChangesResponseSchema,
  GetPriceChartsResponseSchema,
  GetPricesResponseSchema,
  PriceMatch,
  type WatchPricesResponse,
} from "../../../gen/quintet/tokenprice/v1/token_price_pb.js";
import { isoTime } from "../../../src/runtime/iso-time.ts";
import type { Misbehaviour, StandIn } from "../../../src/sandbox/stand-ins/stand-in.ts";
import { CATALOGUE } from "../../../src/sandbox/stand-ins/tokenprice/catalogue.ts";
import { startCoinsStandIn } from "../../../src/sandbox/stand-ins/tokenprice/coins-stand-in.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";
import { startLoopbackServer } from "../../upstream/loopback-server.ts";
import { nowMs, startTokenPrice, stillClock } from "./start-token-price.ts";

const nowSeconds = Math.floor(nowMs / 1000);
const weth = "ethereum:0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2";
const bitcoin = "coingecko:Bitcoin";
const wxdai = "gnosis:0xe91d153e0b41518a2ce8dd3d7944fa863463a97d";
const sol = "solana:So11111111111111111111111111111111111111112";
const spyon = "ethereum:0xfedc5f4a6c38211c1338aa411018dfaf26612c08";
const sai = "ethereum:0x89d24a6b4ccb1b6faa2625fe562bdd9a23260359";
const gone = "ethereum:0x00000000000000000000000000000000000dead1";
const unsure = "ethereum:0x00000000000000000000000000000000000dead2";
const nobody = "coingecko:no-such-coin";
const freshness = { fetchedAt: "2026-11-21T12:00:07Z", stale: false };

async function standIn(): Promise<StandIn> {
  const started = await startCoinsStandIn({ seed: 1, clock: stillClock });
  onTestFinished(() => started.close());
  return started;
}

/** The response as REST would write it. */
async function jsonOf<Desc extends DescMessage>(schema: Desc, result: Promise<MessageShape<Desc>>): Promise<unknown> {
  return toJson(schema, await result, { alwaysEmitImplicit: true });
}

/** The reason, code and message of a call that fails. */
async function failureOf(call: Promise<unknown>): Promise<unknown> {
  const thrown = await call.catch((error: unknown) => error);
  return thrown instanceof ConnectError
    ? [thrown.findDetails(ErrorInfoSchema)[0]?.reason, Code[thrown.code], thrown.rawMessage]
    : thrown;
}

describe("every operation against the stand-in", () => {
  test("price: the tokens in the order and spelling of the request, and those without a price", async () => {
    const client = startTokenPrice((await standIn()).origin);
    const tokens = [weth, nobody, bitcoin, sol, wxdai, spyon, sai, gone, unsure, weth];
    expect(await jsonOf(GetPricesResponseSchema, client.getPrices({ tokens }))).toEqual({
      results: [
        {
          token: weth,
          id: weth.toLowerCase(),
          price: 2804.24,
          symbol: "WETH",
          decimals: 18,
          confidence: 0.99,
          recordedAt: "2026-11-21T12:00:04Z",
        },
        {
          token: bitcoin,
          id: "coingecko:bitcoin",
          price: 94_634.41,
          symbol: "BTC",
          confidence: 0.99,
          recordedAt: "2026-11-21T12:00:04Z",
        },
        { token: sol, id: sol, price: 165.66, symbol: "SOL", decimals: 9, confidence: 0.99, recordedAt: "2026-11-21T12:00:04Z" },
        {
          token: wxdai,
          id: wxdai,
          price: 1.0001,
          symbol: "WXDAI",
          decimals: 18,
          confidence: 0.99,
          recordedAt: "2026-11-21T12:00:04Z",
        },
        {
          token: spyon,
          id: spyon,
          price: 691.3,
          symbol: "SPYon",
          decimals: 18,
          confidence: 0.99,
          recordedAt: "2026-11-21T12:00:04Z",
        },
        { token: sai, id: sai, price: 12.4744, symbol: "SAI", decimals: 18, confidence: 0.51, recordedAt: "2026-11-21T12:00:04Z" },
        { token: unsure, id: unsure, price: 0.589279, symbol: "", recordedAt: "2026-11-21T12:00:04Z" },
      ],
      missing: [nobody, gone],
      freshness,
    });
  });

  test("historical: each with its own time near the requested one", async () => {
    const client = startTokenPrice((await standIn()).origin);
    const timestamp = Date.UTC(2023, 5, 1) / 1000;
    expect(
      await jsonOf(
        GetHistoricalPricesResponseSchema,
        client.getHistoricalPrices({ tokens: [gone, sai, nobody], timestamp, minConfidence: 0.6 }),
      ),
    ).toEqual({
      results: [
        {
          token: gone,
          id: gone,
          price: 0.0100901,
          symbol: "GONE",
          decimals: 18,
          confidence: 0.99,
          recordedAt: "2023-05-31T23:58:36Z",
        },
      ],
      missing: [sai, nobody],
      freshness,
    });
  });

  test("chart: points back from now, oldest first, each with its own time", async () => {
    const client = startTokenPrice((await standIn()).origin);
    expect(
      await jsonOf(GetPriceChartsResponseSchema, client.getPriceCharts({ tokens: [nobody, weth, bitcoin], span: 3, period: "1w" })),
    ).toEqual({
      results: [
        {
          token: weth,
          id: weth.toLowerCase(),
          symbol: "WETH",
          decimals: 18,
          confidence: 0.99,
          points: [
            { time: "2026-11-07T12:00:00Z", recordedAt: "2026-11-07T11:56:35Z", price: 3019.52 },
            { time: "2026-11-14T12:00:00Z", recordedAt: "2026-11-14T11:56:35Z", price: 2885.86 },
            { time: "2026-11-21T12:00:00Z", recordedAt: "2026-11-21T11:56:35Z", price: 2804.7 },
          ],
        },
        {
          token: bitcoin,
          id: "coingecko:bitcoin",
          symbol: "BTC",
          confidence: 0.99,
          points: [
            { time: "2026-11-07T12:00:00Z", recordedAt: "2026-11-07T11:56:16Z", price: 96_731.49 },
            { time: "2026-11-14T12:00:00Z", recordedAt: "2026-11-14T11:51:16Z", price: 96_149.1 },
            { time: "2026-11-21T12:00:00Z", recordedAt: "2026-11-21T11:56:16Z", price: 94_591.34 },
          ],
        },
      ],
      missing: [nobody],
      freshness,
    });
  });

  test("precision: prices with so many significant digits, and a stream that leaves out changes it rounds away", async () => {
    const client = startTokenPrice((await standIn()).origin);
    const { results } = await client.getPrices({ tokens: [weth, sai, unsure], precision: 3 });
    expect(results.map(({ price, confidence }) => [price, confidence])).toEqual([
      [2800, 0.99],
      [12.5, 0.51],
      [0.589, undefined],
    ]);
    const charts = await client.getPriceCharts({ tokens: [weth], span: 2, period: "1w", precision: 2 });
    expect(charts.results[0]?.points.map(({ price }) => price)).toEqual([2900, 2800]);
    for await (const { results: watched } of client.watchPrices({ tokens: [weth], precision: 1 })) {
      expect(watched.map(({ price }) => price)).toEqual([3000]);
      break;
    }
  });

  test.each([
    ["5m", 300],
    ["15m", 900],
    ["59m", 3540],
    ["1h", 3600],
  ])("chart: the nearest record for every %s, although the source's own charts do not search that far", async (period, seconds) => {
    const client = startTokenPrice((await standIn()).origin);
    const end = nowSeconds - 7 * 86_400;
    const { results, missing } = await client.getPriceCharts({ tokens: [weth, nobody, unsure, bitcoin], end, span: 24, period });
    expect(missing).toEqual([nobody]);
    for (const { token, symbol, confidence, points } of results) {
      const times = points.map(({ time }) => Number(time?.seconds));
      expect([token, symbol, confidence]).toEqual(
        token === unsure ? [unsure, "", undefined] : [token, token === weth ? "WETH" : "BTC", 0.99],
      );
      expect(times).toEqual([...new Set(times)].sort((one, other) => one - other));
      // One record in forty is lost, and its neighbour is already in the chart.
      expect(times.length).toBeGreaterThan(21);
      const farthest = Math.max(...times.map((time, index) => Math.abs(time - (end - (23 - index) * seconds))));
      expect(times.length < 24 || farthest <= 600).toBe(true);
    }
  });

  test("chart: a day in minutes for as many tokens as a call may have", async () => {
    const source = await standIn();
    const client = startTokenPrice(source.origin);
    const tokens = [weth, ...Array.from({ length: 99 }, (_, index) => `ethereum:0x${String(index).padStart(40, "0")}`)];
    const { results, missing } = await client.getPriceCharts({ tokens, span: 50, period: "5m" });
    expect([results.map(({ points }) => points.length >= 45), missing.length]).toEqual([[true, true], 98]);
    expect(source.requestCount).toBeLessThan(60);
  });

  test("chart: five hundred points every five minutes, none from before or after", async () => {
    const client = startTokenPrice((await standIn()).origin);
    const end = nowSeconds - 86_400;
    const { results } = await client.getPriceCharts({ tokens: [gone, bitcoin], end, span: 500, period: "5m" });
    const times = results[0]?.points.map(({ time }) => Number(time?.seconds)) ?? [];
    expect([results.length, times.length > 480, times.length <= 500]).toEqual([1, true, true]);
    expect([(times[0] ?? 0) >= end - 500 * 300 - 3600, (times.at(-1) ?? 0) <= end + 3600]).toEqual([true, true]);
  });

  test("chart: minutes in the future have no points", async () => {
    const client = startTokenPrice((await standIn()).origin);
    const { results } = await client.getPriceCharts({ tokens: [bitcoin], start: nowSeconds - 900, span: 500, period: "5m" });
    const times = results[0]?.points.map(({ time }) => Number(time?.seconds) - nowSeconds) ?? [];
    expect(times).toEqual([-900, -600, -300, 0]);
  });

  test("chart: a record from hours earlier is not a point of the last minutes", async () => {
    const client = startTokenPrice((await standIn()).origin);
    const ended = Date.UTC(2025, 5, 1) / 1000;
    const chart = (end: number) => client.getPriceCharts({ tokens: [gone], end, span: 3, period: "5m" });
    expect((await chart(ended + 600)).missing).toEqual([]);
    expect((await chart(ended + 3 * 3600)).missing).toEqual([gone]);
  });

  test("chart: from a start onwards, 30 days by default", async () => {
    const client = startTokenPrice((await standIn()).origin);
    const start = Date.UTC(2024, 0, 1) / 1000;
    const { results } = await client.getPriceCharts({ tokens: [bitcoin], start });
    const times = results[0]?.points.map(({ time }) => Number(time?.seconds) - start) ?? [];
    expect(times.map((seconds) => Math.round(seconds / 86_400))).toEqual(Array.from({ length: 30 }, (_, index) => index));
  });

  test("change: in percent of the earlier of two prices, which are shown", async () => {
    const client = startTokenPrice((await standIn()).origin);
    expect(
      await jsonOf(GetPriceChangesResponseSchema, client.getPriceChanges({ tokens: [weth, gone, nobody], period: "1w" })),
    ).toEqual({
      results: [
        {
          token: weth,
          id: weth.toLowerCase(),
          symbol: "WETH",
          changePercent: (100 * (2804.24 - 2885.86)) / 2885.86,
          confidence: 0.99,
          start: { time: "2026-11-14T12:00:00Z", recordedAt: "2026-11-14T11:56:35Z", price: 2885.86 },
          end: { time: "2026-11-21T12:00:04Z", recordedAt: "2026-11-21T12:00:04Z", price: 2804.24 },
        },
      ],
      missing: [gone, nobody],
      freshness,
    });
  });

  test("change: up to a past time, over a day by default", async () => {
    const client = startTokenPrice((await standIn()).origin);
    const timestamp = Date.UTC(2023, 5, 2) / 1000;
    const { results } = await client.getPriceChanges({ tokens: [weth], timestamp });
    expect(results.map(({ start, end }) => [start?.recordedAt?.seconds, end?.recordedAt?.seconds])).toEqual([
      [BigInt(timestamp - 86_400 - 205), BigInt(timestamp - 205)],
    ]);
  });
});

// A source that gives the nearest record, as the real one does, with one record every `cadence` seconds.
describe("nothing is known too early", () => {
  const day = 86_400;
  const slot = nowSeconds - (nowSeconds % day) - 400 * day;
  const sourceOf = (cadence: number, offset: number) =>
    startLoopbackServer((request, response) => {
      const url = new URL(request.url ?? "", "http://source");
      const nearest = (at: number): number => Math.round((at - slot - offset) / cadence) * cadence + slot + offset;
      const [, historical] = /^\/prices\/historical\/(\d+)\//.exec(url.pathname) ?? [];
      const [end, span, period] = ["end", "span", "period"].map((name) => Number(url.searchParams.get(name)));
      const slots = Array.from({ length: span ?? 0 }, (_, index) => (end ?? 0) - index * (period ?? 0));
      const times =
        historical === undefined
          ? slots.map(nearest).filter((time, index) => Math.abs(time - (slots[index] ?? 0)) <= (period ?? 0) / 10)
          : [];
      const quote = historical === undefined ? {} : { timestamp: nearest(Number(historical)), price: 1 };
      response.end(
        JSON.stringify({
          coins: { "coingecko:a": { symbol: "A", ...quote, prices: times.map((timestamp) => ({ timestamp, price: 1 })) } },
        }),
      );
    });
  const ageOf = ({
    time,
    recordedAt,
  }: {
    time?: { seconds: bigint } | undefined;
    recordedAt?: { seconds: bigint } | undefined;
  }): number => Number(time?.seconds) - Number(recordedAt?.seconds);

  test.each(
    [300, 900, 3600].flatMap((cadence) =>
      [1, 11, 76, cadence / 3, cadence / 2, cadence - 1].map((offset) => ({ cadence, offset })),
    ),
  )("a record every $cadence s, $offset s after each time", async ({ cadence, offset }) => {
    const tokens = ["coingecko:a"];
    const last = cadence - offset;
    const source = await sourceOf(cadence, offset);
    const client = startTokenPrice(source.origin);
    const { results } = await client.getPriceCharts({ tokens, end: slot, span: 30 });
    expect(results[0]?.points.map(ageOf)).toEqual(Array(30).fill(last));
    expect(source.requests.length).toBeLessThanOrEqual(cadence === 300 ? 1 : 3);
    const historical = await client.getHistoricalPrices({ tokens, timestamp: slot });
    expect(historical.results.map(({ recordedAt }) => slot - Number(recordedAt?.seconds))).toEqual([last]);
    const change = await client.getPriceChanges({ tokens, timestamp: slot, period: "1d" });
    expect(change.results.flatMap(({ start, end }) => [start, end].map((point) => ageOf(point ?? {})))).toEqual([last, last]);
    const nearest = await client.getHistoricalPrices({ tokens, timestamp: slot, match: PriceMatch.NEAREST });
    expect(nearest.results.map(({ recordedAt }) => slot - Number(recordedAt?.seconds))).toEqual([
      offset < cadence / 2 ? -offset : offset > cadence / 2 ? last : expect.toBeOneOf([last, -offset]),
    ]);
  });

  test("a token for which only later records are found is missing, unless the nearest is asked for", async () => {
    const source = await sourceOf(30 * day, 100);
    const client = startTokenPrice(source.origin);
    const asked = { tokens: ["coingecko:a"], timestamp: slot };
    expect((await client.getHistoricalPrices(asked)).missing).toEqual(["coingecko:a"]);
    expect((await client.getHistoricalPrices({ ...asked, match: PriceMatch.NEAREST })).missing).toEqual([]);
    expect(source.requests.length).toBe(4);
    expect((await client.getPriceCharts({ tokens: asked.tokens, end: slot, span: 1 })).missing).toEqual(["coingecko:a"]);
  });
});

describe("several spellings of one token", () => {
  const lower = weth.split(":")[1]?.toLowerCase() ?? "";
  const sui = `0x${"2".padStart(64, "0")}::sui::SUI`;
  const starknet = "49d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7";
  const cetus = "6864a6f921804860930db6ddbe2e16acdf8504495ea7481637a1c8b9a8fe54b::cetus::CETUS";
  test.each([
    [weth, `1:${lower}`, `eth:${lower.toUpperCase().replace("X", "x")}`, `eip155:1/erc20:${lower}`],
    [bitcoin, "coingecko:bitcoin"],
    ["sui:0x2::sui::SUI", `sui:${sui}`],
    [`sui:0x0${cetus}`, `sui:0x${cetus}`],
    [`starknet:0x0${starknet}`, `starknet:0x${starknet}`, `starknet:0x${starknet.toUpperCase()}`],
    ["coingecko:boringdao-[old]", "coingecko:BoringDAO-[old]"],
    ["coingecko:academy token"],
    [nobody, "coingecko:No-Such-Coin"],
  ])("%s, each answered as it was given, by one request", async (...spellings) => {
    const source = await standIn();
    const client = startTokenPrice(source.origin, { cacheMs: 30_000 });
    const known = spellings[0] !== nobody;
    const tokens = [...spellings, ...spellings];
    const expected = known ? { tokens: spellings, ids: 1, missing: [] } : { tokens: [], ids: 0, missing: spellings };
    const answered = ({ results, missing }: { results: readonly { token: string; id: string }[]; missing: readonly string[] }) => ({
      tokens: results.map(({ token }) => token),
      ids: new Set(results.map(({ id }) => id)).size,
      missing,
    });
    expect(answered(await client.getPrices({ tokens }))).toEqual(expected);
    for await (const first of client.watchPrices({ tokens })) {
      expect(answered(first)).toEqual(expected);
      break;
    }
    expect(source.requestCount).toBe(1);
    expect(answered(await client.getHistoricalPrices({ tokens, timestamp: nowSeconds - 3600 }))).toEqual(expected);
    expect(answered(await client.getPriceCharts({ tokens, span: 2 }))).toEqual(expected);
    expect(answered(await client.getPriceCharts({ tokens, span: 2, period: "5m" }))).toEqual(expected);
    expect(answered(await client.getPriceChanges({ tokens }))).toEqual(expected);
  });
});

describe("requests to the source", () => {
  test("a hundred tokens take one request, and what it left out is requested again, ten at a time", async () => {
    const source = await standIn();
    const known = [...CATALOGUE.keys()].filter((id) => id !== gone);
    const others = Array.from({ length: 100 - known.length }, (_, index) => `ethereum:0x${String(index).padStart(40, "0")}`).slice(
      1,
    );
    const result = await startTokenPrice(source.origin).getPrices({ tokens: [...known, ...others] });
    expect([result.results.length, result.missing]).toEqual([known.length, others]);
    expect(source.requestCount).toBeLessThanOrEqual(1 + Math.ceil((others.length + known.length / 4) / 10));
  });

  test("a token whose price the source gives as 0 is missing, and is not requested again", async () => {
    const urls: string[] = [];
    const source = await startLoopbackServer((request, response) => {
      urls.push(request.url ?? "");
      const facts = { symbol: "A", timestamp: nowSeconds };
      response.end(JSON.stringify({ coins: { [bonk]: { ...facts, price: 0.0 }, "coingecko:a": { ...facts, price: 1 } } }));
    });
    const bonk = "solana:DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263";
    const { missing } = await startTokenPrice(source.origin).getPrices({ tokens: [bonk, "coingecko:a"] });
    expect([missing, urls.length]).toEqual([[bonk], 1]);
  });

  test("an empty batch and a single token are not requested again", async () => {
    const source = await standIn();
    const client = startTokenPrice(source.origin);
    expect((await client.getPrices({ tokens: [nobody] })).missing).toEqual([nobody]);
    expect((await client.getPrices({ tokens: [nobody, gone] })).missing).toEqual([nobody, gone]);
    expect(source.requestCount).toBe(2);
  });

  test("URLs stay short, however long the tokens are, and name each token once in the source's spelling", async () => {
    const urls: string[] = [];
    const source = await startLoopbackServer((request, response) => {
      urls.push(request.url ?? "");
      response.end('{"coins":{}}');
    });
    const long = Array.from({ length: 98 }, (_, index) => `osmosis:ibc/${String(index).padStart(2, "0")}${"A".repeat(115)}`);
    await startTokenPrice(source.origin).getPrices({ tokens: [...long, weth, weth.toLowerCase()] });
    expect(urls.length).toBe(3);
    expect(urls.filter((url) => url.length > 6100)).toEqual([]);
    const requested = urls.flatMap((url) => decodeURIComponent(url.replace("/prices/current/", "")).split(","));
    expect(requested.sort()).toEqual([...long, weth.toLowerCase()].sort());
  });

  test("charts are split so that no request has more than 500 points", async () => {
    const urls: string[] = [];
    const source = await startLoopbackServer((request, response) => {
      urls.push(request.url ?? "");
      response.end('{"coins":{}}');
    });
    const tokens = ["coingecko:a", "coingecko:b", "coingecko:c"];
    await startTokenPrice(source.origin).getPriceCharts({ tokens, span: 200, end: nowSeconds, period: "1h" });
    expect(urls.sort()).toEqual([
      `/chart/coingecko:a,coingecko:b?end=${nowSeconds - 150}&span=200&period=3600`,
      `/chart/coingecko:c?end=${nowSeconds - 150}&span=200&period=3600`,
    ]);
  });

  test("no more are sent in a second than configured, and further ones wait", async () => {
    const clock = createManualClock({ nowMs });
    let requests = 0;
    const source = await startLoopbackServer((_request, response) => {
      requests += 1;
      response.end('{"coins":{}}');
    });
    const client = startTokenPrice(source.origin, { clock, requestsPerSecondMax: 2 });
    const calls = Promise.allSettled(["a", "b", "c", "d"].map((slug) => client.getPrices({ tokens: [`coingecko:${slug}`] })));
    await expect.poll(() => [requests, clock.hasAlarmIn(500), clock.hasAlarmIn(1000)]).toEqual([2, true, true]);
    clock.advance(499);
    expect(requests).toBe(2);
    clock.advance(1);
    await expect.poll(() => requests).toBe(3);
    clock.advance(500);
    expect((await calls).map(({ status }) => status)).toEqual(Array(4).fill("fulfilled"));
    expect(requests).toBe(4);
  });

  test("callers who ask for the current price within one minute share a request", async () => {
    const source = await standIn();
    const client = startTokenPrice(source.origin, { cacheMs: 30_000 });
    await client.getPriceCharts({ tokens: [weth] });
    await client.getPriceCharts({ tokens: [weth.toLowerCase()] });
    expect(source.requestCount).toBe(1);
  });
});

describe("implausible prices are missing", () => {
  const quote = { symbol: "A", price: 2, timestamp: nowSeconds, confidence: 0.9 };
  const past = Date.UTC(2024, 0, 1) / 1000;

  test.each<[string, object, string[]]>([
    ["a good price", {}, []],
    ["a price from a source whose clock is slightly ahead", { timestamp: nowSeconds + 300 }, []],
    ["a price from the future", { timestamp: nowSeconds + 301 }, ["coingecko:a"]],
    ["a price of twelve hours ago", { timestamp: nowSeconds - 12 * 3600 }, []],
    ["an older price", { timestamp: nowSeconds - 12 * 3600 - 1 }, ["coingecko:a"]],
    ["a price of two years ago", { timestamp: nowSeconds - 730 * 86_400 }, ["coingecko:a"]],
    ["a price of 0", { price: 0 }, ["coingecko:a"]],
    ["a price below zero", { price: -2 }, ["coingecko:a"]],
    ["a price that is not a number", { price: "much" }, ["coingecko:a"]],
    ["a price over a trillion", { price: 1e13 }, ["coingecko:a"]],
  ])("%s", async (_name, given, missing) => {
    const source = await startLoopbackServer((_request, response) =>
      response.end(JSON.stringify({ coins: { "coingecko:a": { ...quote, ...given } } })),
    );
    const client = startTokenPrice(source.origin);
    expect((await client.getPrices({ tokens: ["coingecko:a"] })).missing).toEqual(missing);
    for await (const first of client.watchPrices({ tokens: ["coingecko:a"] })) {
      expect(first.missing).toEqual(missing);
      break;
    }
  });

  test.each([
    [12 * 3600, []],
    [12 * 3600 + 1, ["coingecko:a"]],
    [-12 * 3600 - 1, ["coingecko:a"]],
  ])("a historical price %i seconds from the requested time: missing %j", async (distance, missing) => {
    const source = await startLoopbackServer((_request, response) =>
      response.end(JSON.stringify({ coins: { "coingecko:a": { ...quote, timestamp: past + distance } } })),
    );
    const result = await startTokenPrice(source.origin).getHistoricalPrices({
      tokens: ["coingecko:a"],
      timestamp: past,
      match: PriceMatch.NEAREST,
    });
    expect(result.missing).toEqual(missing);
  });

  test.each([
    [undefined, []],
    [0, [unsure]],
    [0.51, [unsure]],
    [0.52, [sai, unsure]],
    [1, [weth, sai, unsure]],
  ])("under a confidence of %j: %j", async (minConfidence, missing) => {
    const client = startTokenPrice((await standIn()).origin);
    const tokens = [weth, sai, unsure];
    const confidence = minConfidence === undefined ? {} : { minConfidence };
    expect((await client.getPrices({ tokens, ...confidence })).missing).toEqual(missing);
    expect((await client.getPriceCharts({ tokens, ...confidence })).missing).toEqual(missing);
    expect((await client.getPriceChanges({ tokens, ...confidence })).missing).toEqual(missing);
  });

  // Every kind of slot, with records of ten years at an odd interval and out of order: more than one for each slot, or fewer.
  const day = 86_400;
  test.each(
    [300, 900, 3600, 4 * 3600, day, 7 * day].flatMap((period) =>
      [period / 3, period, 2.5 * period].flatMap((interval) =>
        (["start", "end"] as const).map((edge) => ({ period, interval: Math.round(interval), edge })),
      ),
    ),
  )("points of a chart belong to its slots: $edge, a slot each $period s, a record each $interval s", async (given) => {
    const { period, interval, edge } = given;
    const [at, span] = [nowSeconds - 30 * period, 20];
    const records = [0, 1_400_000_000, at - period * 600, nowSeconds + day];
    for (let time = at - 40 * period + 17; time < nowSeconds; time += interval) {
      records.splice(time % records.length, 0, time);
    }
    const source = await startLoopbackServer((_request, response) => {
      const first = edge === "start" ? at : at - (span - 1) * period;
      // As many as the source may send, those around the series among them.
      const near = records.filter((time) => Math.abs(time - first) < (span * interval) / 2 || time < 1_500_000_000);
      response.end(
        JSON.stringify({ coins: { "coingecko:a": { symbol: "A", prices: near.map((timestamp) => ({ timestamp, price: 1 })) } } }),
      );
    });
    const { results } = await startTokenPrice(source.origin).getPriceCharts({
      tokens: ["coingecko:a"],
      [edge]: at,
      span,
      match: PriceMatch.NEAREST,
      period: period < day ? `${period / 60}m` : `${period / day}d`,
    });
    const first = edge === "start" ? at : at - (span - 1) * period;
    const slots = Array.from({ length: span }, (_, index) => first + index * period);
    const points = results[0]?.points ?? [];
    const times = points.map(({ time }) => Number(time?.seconds));
    expect(times.length).toBeGreaterThan(1);
    expect(times).toEqual(slots.filter((slot) => times.includes(slot)));
    const farthest = Math.max(
      ...points.map(({ time, recordedAt }) => Math.abs(Number(time?.seconds) - Number(recordedAt?.seconds))),
    );
    expect(farthest).toBeLessThanOrEqual(Math.max(period / 4, 3600));
    expect(times.length).toBeLessThanOrEqual(span);
  });

  test("points of a chart that are in the future are left out", async () => {
    const prices = [nowSeconds - 60, nowSeconds + 3600].map((timestamp) => ({ timestamp, price: 1 }));
    const source = await startLoopbackServer((_request, response) =>
      response.end(JSON.stringify({ coins: { "coingecko:a": { symbol: "A", prices } } })),
    );
    const result = await startTokenPrice(source.origin).getPriceCharts({ tokens: ["coingecko:a"] });
    expect(result.results.map(({ points }) => points.map(({ recordedAt }) => recordedAt?.seconds))).toEqual([
      [BigInt(nowSeconds - 60)],
    ]);
  });
});

describe("bad input is refused before the source is queried", () => {
  const far = nowSeconds + 61;
  const tokens = [bitcoin];
  test.each<[string, (client: ReturnType<typeof startTokenPrice>) => Promise<unknown>, string]>([
    ["no tokens", (client) => client.getPrices({}), "tokens is required"],
    [
      "a bad token",
      (client) => client.getPrices({ tokens: [bitcoin, "ethereum:0x12"] }),
      "tokens[1] must have an address of 0x and 40 hexadecimal digits, like all addresses on ethereum",
    ],
    [
      "a confidence over 1",
      (client) => client.getPrices({ tokens, minConfidence: 2 }),
      expect.stringMatching(/^min_confidence must be/),
    ],
    ["no time", (client) => client.getHistoricalPrices({ tokens }), "timestamp is required"],
    [
      "a time too early",
      (client) => client.getHistoricalPrices({ tokens, timestamp: 1 }),
      "timestamp must be a time in RFC 3339 format from 2009-01-01T00:00:00Z to 2106-02-07T06:28:15Z, or in Unix seconds from 1230768000 to 4294967295, not 1970-01-01T00:00:01Z (1)",
    ],
    [
      "a time in the future",
      (client) => client.getHistoricalPrices({ tokens, timestamp: far }),
      `timestamp must not be in the future; it is now ${isoTime(nowSeconds * 1000)} (${nowSeconds})`,
    ],
    [
      "start and end",
      (client) => client.getPriceCharts({ tokens, start: far - 100, end: far - 61 }),
      "end must not be given together with start",
    ],
    [
      "a bad period",
      (client) => client.getPriceCharts({ tokens, period: "1M" }),
      "period must be a number from 1 to 999 followed by m, h, d or w, such as 1h, and at least 5m",
    ],
    [
      "too short a change",
      (client) => client.getPriceChanges({ tokens, period: "14m" }),
      "period must be a number from 1 to 999 followed by m, h, d or w, such as 1h, and at least 15m",
    ],
    [
      "a change that begins too early",
      (client) => client.getPriceChanges({ tokens, period: "999w" }),
      "period must not begin before 2009-01-01",
    ],
    [
      "too many points",
      (client) => client.getPriceCharts({ tokens: [...CATALOGUE.keys()], span: 100 }),
      "span must be at most 87 for 57 tokens: tokens times span may be at most 5000",
    ],
    [
      "several faults at once",
      (client) => client.getPriceCharts({ tokens: ["x"], end: far, period: "0h" }),
      expect.stringMatching(/^tokens\[0\] must be .*; end must not be in the future; .*; period must be /),
    ],
  ])("%s", async (_name, call, message) => {
    const source = await standIn();
    expect(await failureOf(call(startTokenPrice(source.origin)))).toEqual(["INVALID_ARGUMENT", "InvalidArgument", message]);
    expect(source.requestCount).toBe(0);
  });

  test("more tokens than the plan includes, however they are spelled", async () => {
    const source = await standIn();
    const client = startTokenPrice(source.origin, { tokensPerCallMax: 3 });
    const three = [weth, bitcoin, sol];
    expect((await client.getPrices({ tokens: [...three, weth.toLowerCase()] })).results).toHaveLength(4);
    const refusal = [
      "PLAN_LIMIT",
      "PermissionDenied",
      "Your plan includes up to 3 tokens in one call, and you requested 4. Request fewer at a time, or choose a larger plan: GET /account/v1/plans?service=token-price lists them.",
    ];
    const tokens = [...three, sai];
    expect(await failureOf(client.getPrices({ tokens }))).toEqual(refusal);
    expect(await failureOf(client.getHistoricalPrices({ tokens, timestamp: nowSeconds }))).toEqual(refusal);
    expect(await failureOf(client.getPriceCharts({ tokens }))).toEqual(refusal);
    expect(await failureOf(client.getPriceChanges({ tokens }))).toEqual(refusal);
    expect(source.requestCount).toBe(1);
  });
});

describe("when the source fails", () => {
  const failed = ["UPSTREAM_FAILED", "Unavailable", "The price source gave no usable response; the call was not counted."];

  test.each([
    { kind: "dead" },
    { kind: "failing" },
    { kind: "html" },
    { kind: "truncated" },
    { kind: "limiting", retryAfterSeconds: 5 },
  ] as const)("%j: the caller learns nothing more", async (misbehaviour) => {
    const source = await standIn();
    source.misbehaviour = misbehaviour;
    const client = startTokenPrice(source.origin);
    expect(await failureOf(client.getPrices({ tokens: [weth] }))).toEqual(failed);
    expect(await failureOf(client.getPriceChanges({ tokens: [weth] }))).toEqual(failed);
  });

  test("for one batch of several, the call fails, because nothing is known about its tokens", async () => {
    const source = await startLoopbackServer((request, response) => {
      response.statusCode = request.url?.includes("coingecko:z") === true ? 500 : 200;
      response.end('{"coins":{}}');
    });
    const tokens = [...Array.from({ length: 30 }, (_, index) => `coingecko:a${index}`), "coingecko:z"];
    expect(await failureOf(startTokenPrice(source.origin).getPrices({ tokens }))).toEqual(failed);
  });

  test("for the second request only, the call returns what the first one found", async () => {
    const source = await startLoopbackServer((_request, response, count) => {
      response.statusCode = count === 1 ? 200 : 500;
      response.end(JSON.stringify({ coins: { "coingecko:a": { symbol: "A", price: 2, timestamp: nowSeconds } } }));
    });
    const result = await startTokenPrice(source.origin).getPrices({ tokens: ["coingecko:a", "coingecko:b"] });
    expect([result.results.length, result.missing, source.requests.length]).toEqual([1, ["coingecko:b"], 2]);
  });

  test("to respond in time, the call ends with DEADLINE_EXCEEDED", async () => {
    const clock = createManualClock({ nowMs });
    const source = await startLoopbackServer(() => {});
    const result = failureOf(startTokenPrice(source.origin, { clock, timeoutMs: 3000 }).getPrices({ tokens: [weth] }));
    await source.received(1);
    clock.advance(3000);
    expect(await result).toEqual([
      "DEADLINE_EXCEEDED",
      "DeadlineExceeded",
      "The call timed out before the price source responded; it was not counted.",
    ]);
  });

  test("and the caller goes away, the request is aborted", async () => {
    let closed = (): void => {};
    const dropped = new Promise<void>((resolve) => {
      closed = resolve;
    });
    const source = await startLoopbackServer((request) => request.socket.once("close", closed));
    const leaving = new AbortController();
    const result = failureOf(startTokenPrice(source.origin).getPrices({ tokens: [weth] }, { signal: leaving.signal }));
    await source.received(1);
    leaving.abort();
    expect(await result).toEqual([undefined, "Canceled", expect.any(String)]);
    await dropped;
  });
});

// A price source needs no warming up: the first call after a start is as good as any other, and fails in time with the true reason.
describe("the first calls after a start", () => {
  const failed = ["UPSTREAM_FAILED", "Unavailable", "The price source gave no usable response; the call was not counted."];
  const late = [
    "DEADLINE_EXCEEDED",
    "DeadlineExceeded",
    "The call timed out before the price source responded; it was not counted.",
  ];
  test.each<[string, Misbehaviour, unknown]>([
    ["works", { kind: "none" }, "answered"],
    ["is slow", { kind: "slow", delayMs: 500 }, "answered"],
    ["hangs", { kind: "slow", delayMs: 3_600_000 }, late],
    ["is dead", { kind: "dead" }, failed],
    ["fails", { kind: "failing" }, failed],
    ["limits us", { kind: "limiting", retryAfterSeconds: 60 }, failed],
    ["responds with a page", { kind: "html" }, failed],
    ["breaks off", { kind: "truncated" }, failed],
  ])("if the source %s", async (_, misbehaviour, expected) => {
    const clock = createManualClock({ nowMs });
    const source = await startCoinsStandIn({ seed: 1, clock });
    onTestFinished(() => source.close());
    source.misbehaviour = misbehaviour;
    const client = startTokenPrice(source.origin, { clock, timeoutMs: 8000 });
    const tokens = [weth, bitcoin];
    const firstOf = async (stream: AsyncIterable<WatchPricesResponse>): Promise<WatchPricesResponse> => {
      for await (const message of stream) {
        return message;
      }
      throw new Error("the stream has no message");
    };
    const calls = [
      client.getPrices({ tokens }),
      client.getHistoricalPrices({ tokens, timestamp: nowSeconds - 86_400 }),
      client.getPriceCharts({ tokens }),
      client.getPriceCharts({ tokens, period: "5m" }),
      client.getPriceChanges({ tokens }),
      firstOf(client.watchPrices({ tokens })),
    ];
    let done = false;
    const outcomes = Promise.all(
      calls.map((call) => failureOf(call.then(({ results }) => (results.length === 2 ? "answered" : results.length)))),
    ).finally(() => {
      done = true;
    });
    while (!done) {
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(5);
    }
    expect(await outcomes).toEqual(calls.map(() => expected));
  });
});
