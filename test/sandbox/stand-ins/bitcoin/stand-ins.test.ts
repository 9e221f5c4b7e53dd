import { describe, expect, onTestFinished, test } from "vitest";
import { FIRST_DAY, factsOf, startStandIns, supplyAt } from "../../../../src/sandbox/stand-ins/bitcoin/stand-ins.ts";
import { dayOf } from "../../../../src/sandbox/stand-ins/market/days.ts";
import { createManualClock } from "../../../fixtures/manual-clock.ts";

const now = "2026-11-21T12:00:00Z";
const today = dayOf("2026-11-21");
const secondsOf = (date: string): number => dayOf(date) * 86_400;

/** Starts the stand-ins, and sends requests to one of them by name. */
async function start(seed = 1): Promise<(name: string, path: string) => Promise<{ status: number; json: never }>> {
  const { standIns } = await startStandIns({ seed, clock: createManualClock({ nowMs: Date.parse(now) }) });
  onTestFinished(async () => {
    await Promise.all(standIns.map((standIn) => standIn.close()));
  });
  return async (name, path) => {
    const origin = standIns.find((standIn) => standIn.name === name)?.origin;
    const response = await fetch(`${origin}${path}`);
    return { status: response.status, json: (await response.json()) as never };
  };
}

interface Chart {
  readonly status: string;
  readonly values: readonly { readonly x: number; readonly y: number }[];
}

describe("the charts' stand-in", () => {
  test("samples data unless unsampled data is requested, as the real one does", async () => {
    const get = await start();
    const path = "/charts/miners-revenue?start=2015-11-09&timespan=4031days";
    const sampled: Chart = (await get("charts", path)).json;
    const whole: Chart = (await get("charts", `${path}&sampled=false`)).json;
    expect([sampled.values.length, whole.values.length]).toEqual([Math.ceil(4030 / 3), 4030]);
    expect(whole.values.at(-1)?.x).toBe(secondsOf("2026-11-20"));
  });

  test("dates a day's closing price with the time at which the day ended", async () => {
    const get = await start();
    const { values }: Chart = (await get("charts", "/charts/market-price?start=2026-11-19&timespan=5days&sampled=false")).json;
    expect(values).toEqual(
      ["2026-11-19", "2026-11-20", "2026-11-21"].map((date) => ({ x: secondsOf(date), y: factsOf(1, dayOf(date) - 1).close })),
    );
  });

  test("has days without transaction values", async () => {
    const get = await start();
    const path = "/charts/estimated-transaction-volume-usd?start=2023-08-07&timespan=4days&sampled=false";
    const { values }: Chart = (await get("charts", path)).json;
    expect(values.map(({ x }) => x)).toEqual(["2023-08-07", "2023-08-10"].map(secondsOf));
  });

  test("has several rising points of supply a day, and none in the future", async () => {
    const get = await start();
    const path = "/charts/total-bitcoins?start=2026-11-20&timespan=2days&sampled=false";
    const { values }: Chart = (await get("charts", path)).json;
    const supplies = values.map(({ y }) => y);
    expect([values.length, supplies]).toEqual([4, supplies.toSorted((one, other) => one - other)]);
    expect(Math.max(...values.map(({ x }) => x))).toBeLessThanOrEqual(Date.parse(now) / 1000);
  });

  test.each([
    ["/charts/hash-rate", 404, { status: "not-found", error: "no such chart" }],
    ["/charts/market-price?timespan=2fortnights", 400, { status: "error", error: "invalid timespan or start" }],
    ["/charts/market-price?start=yesterday", 400, { status: "error", error: "invalid timespan or start" }],
  ])("responds to %s with %i", async (path, status, json) => {
    const get = await start();
    expect(await get("charts", path)).toEqual({ status, json });
  });
});

describe("the exchanges' stand-ins", () => {
  const coinbase = "/products/BTC-USD/candles?granularity=86400";

  test("Coinbase: newest first, low before high, the unfinished day among them", async () => {
    const get = await start();
    const path = `${coinbase}&start=2026-11-20T00:00:00Z&end=2026-11-21T00:00:00Z`;
    const rows = [today, today - 1].map((day) => {
      const { low, high, open, close } = factsOf(1, day);
      return [day * 86_400, low, high, open, close, 1234.5678];
    });
    expect(await get("coinbase", path)).toEqual({ status: 200, json: rows });
  });

  test.each([
    [
      "301 candles",
      `${coinbase}&start=2026-01-01T00:00:00Z&end=2026-10-28T00:00:00Z`,
      "granularity too small for the requested time range",
    ],
    ["candles of another length", "/products/BTC-USD/candles?granularity=60", "granularity too small for the requested time range"],
  ])("Coinbase: refuses %s", async (_, path, message) => {
    const get = await start();
    expect(await get("coinbase", path)).toEqual({ status: 400, json: { message } });
  });

  test("Kraken: 720 rows of strings, the unfinished day last, whatever else is requested", async () => {
    const get = await start();
    const { json } = await get("kraken", "/0/public/OHLC?pair=XBTUSD&interval=1440&since=0");
    const { error, result } = json as { error: unknown[]; result: { XXBTZUSD: unknown[][]; last: number } };
    const { close } = factsOf(1, today);
    expect([error, result.XXBTZUSD.length, result.XXBTZUSD.at(-1)?.[0], result.XXBTZUSD.at(-1)?.[4], result.last]).toEqual([
      [],
      720,
      today * 86_400,
      close.toFixed(2),
      (today - 1) * 86_400,
    ]);
  });

  test("Kraken: errors have status 200", async () => {
    const get = await start();
    expect(await get("kraken", "/0/public/OHLC?pair=DOGEUSD")).toEqual({
      status: 200,
      json: { error: ["EQuery:Unknown asset pair"] },
    });
  });

  test("Binance: oldest first, at most 1000, none before its records", async () => {
    const get = await start();
    const path = `/api/v3/klines?symbol=BTCUSDT&interval=1d&limit=5000&startTime=${secondsOf("2010-01-01") * 1000}`;
    const rows = (await get("binance", path)).json as unknown[][];
    expect([rows.length, rows[0]?.[0], rows[0]?.length]).toEqual([1000, secondsOf("2017-08-17") * 1000, 12]);
  });
});

describe("the invented chain behind them", () => {
  test.each([
    ["2012-11-28", 10_500_000],
    ["2016-07-09", 15_750_000],
    ["2020-05-11", 18_375_000],
    ["2024-04-20", 19_687_500],
  ])("has minted the scheduled amount by the halving of %s", (date, supply) => {
    expect(supplyAt(dayOf(date))).toBe(supply);
  });

  test("never mints the full amount", () => {
    expect([supplyAt(FIRST_DAY), supplyAt(dayOf("2140-01-01"))]).toEqual([0, expect.closeTo(20_999_999, -2)]);
  });

  test("has plausible candles on every day", () => {
    const odd = Array.from({ length: today - FIRST_DAY + 1 }, (_, index) => factsOf(1, FIRST_DAY + index)).filter(
      ({ low, high, open, close }) => !(low > 0 && low <= Math.min(open, close) && Math.max(open, close) <= high),
    );
    expect(odd).toEqual([]);
  });

  test("is the same for the same seed, and different for another", () => {
    expect(factsOf(1, today)).toEqual(factsOf(1, today));
    expect(factsOf(1, today).close).not.toBe(factsOf(2, today).close);
  });
});
