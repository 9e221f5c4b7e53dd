// Stand-ins for every source of the Bitcoin service, all based on one made-up world.

import type { IncomingMessage } from "node:http";
import type { Day } from "../../../services/bitcoin/day.ts";
import { BITCOIN } from "../market/assets.ts";
import { between, DAY_SECONDS, dayOf } from "../market/days.ts";
import { type Candle, candleOf, drawsOf } from "../market/market.ts";
import type { StandInContext, StandIns } from "../stand-in.ts";
import { type StandInResponse, startStandIn } from "../stand-in-server.ts";

// A made-up Bitcoin that is close to the real one where it matters: the halvings are on their real dates, the supply follows the
// schedule, and prices are those of the sandbox's market. Pure.
interface DayFacts extends Candle {
  /** Coins at the end of the day. */
  readonly supply: number;
  /** Miners' revenue, in US dollars. */
  readonly revenueUsd: number;
  /** Transaction volume in US dollars; undefined on days that the source has lost. */
  readonly volumeUsd: number | undefined;
}

/** The first day with a block. */
export const FIRST_DAY = dayOf("2009-01-03");

const BLOCKS_PER_HALVING = 210_000;
const BLOCKS_PER_DAY = 144;

// Block heights on known days: the first block and the halvings.
const HEIGHTS: readonly (readonly [Day, number])[] = [
  [FIRST_DAY, 0],
  [dayOf("2012-11-28"), 210_000],
  [dayOf("2016-07-09"), 420_000],
  [dayOf("2020-05-11"), 630_000],
  [dayOf("2024-04-20"), 840_000],
];

// Gaps in the transaction volume: the first day of each, and its length in days. The real chart has such gaps too.
const VOLUME_GAPS: readonly (readonly [Day, number])[] = [
  [dayOf("2016-02-03"), 2],
  [dayOf("2017-09-12"), 2],
  [dayOf("2019-05-20"), 15],
  [dayOf("2020-10-01"), 2],
  [dayOf("2022-01-30"), 2],
  [dayOf("2023-08-08"), 2],
];

/** How many blocks there are after `day` days since 1970, including fractions of a day. */
function blocksAt(day: number): number {
  const [lastDay, lastHeight] = HEIGHTS.at(-1) ?? [0, 0];
  return day > lastDay ? lastHeight + (day - lastDay) * BLOCKS_PER_DAY : between(HEIGHTS, day, "linear");
}

/** Coins after `day` days since 1970, including fractions of a day. */
export function supplyAt(day: number): number {
  let height = Math.floor(blocksAt(day));
  let supply = 0;
  for (let subsidy = 50; height > 0; subsidy /= 2) {
    supply += Math.min(height, BLOCKS_PER_HALVING) * subsidy;
    height -= BLOCKS_PER_HALVING;
  }
  return supply;
}

export function factsOf(seed: number, day: Day): DayFacts {
  const { fees, volume } = drawsOf(BITCOIN, seed, day);
  const candle = candleOf(BITCOIN, seed, day);
  const { close } = candle;
  const supply = supplyAt(day + 1);
  const isLost = VOLUME_GAPS.some(([first, days]) => day >= first && day < first + days);
  return {
    ...candle,
    supply,
    revenueUsd: Math.round((supply - supplyAt(day)) * close * (1.02 + fees * 0.06)),
    volumeUsd: isLost ? undefined : Math.round(close * supply * (0.004 + volume * 0.003)),
  };
}

// Stand-ins for the exchanges that publish daily candles, each in its own format and with its own limits. All of them include the
// current day's unfinished candle.
const COINBASE_CANDLES_MAX = 300;
const KRAKEN_ROWS = 720;
const BINANCE_ROWS_MAX = 1000;
const COINBASE_FIRST_DAY = dayOf("2015-07-20");
const BINANCE_FIRST_DAY = dayOf("2017-08-17");

const ok = (value: unknown): StandInResponse => ({ status: 200, body: JSON.stringify(value) });
const text = (value: number): string => value.toFixed(2);
const range = (first: Day, last: Day): Day[] => Array.from({ length: Math.max(0, last - first + 1) }, (_, index) => first + index);

/** Coinbase Exchange: newest first, at most 300, and refuses clients without a user agent. */
export function coinbaseResponse(url: URL, request: IncomingMessage, seed: number, nowSeconds: number): StandInResponse {
  const { pathname, searchParams } = url;
  if (pathname !== "/products/BTC-USD/candles") {
    return { status: 404, body: JSON.stringify({ message: "NotFound" }) };
  }
  if ((request.headers["user-agent"] ?? "") === "") {
    return { status: 400, body: JSON.stringify({ message: "User-Agent header is required." }) };
  }
  const today = Math.floor(nowSeconds / DAY_SECONDS);
  const dayOfParameter = (name: string, fallback: Day): Day =>
    Math.floor(Date.parse(searchParams.get(name) ?? new Date(fallback * DAY_SECONDS * 1000).toISOString()) / (DAY_SECONDS * 1000));
  const last = dayOfParameter("end", today);
  const first = dayOfParameter("start", last - COINBASE_CANDLES_MAX + 1);
  if (searchParams.get("granularity") !== "86400" || last - first + 1 > COINBASE_CANDLES_MAX) {
    return { status: 400, body: JSON.stringify({ message: "granularity too small for the requested time range" }) };
  }
  const days = range(Math.max(first, COINBASE_FIRST_DAY), Math.min(last, today)).reverse();
  return ok(
    days.map((day) => {
      const { low, high, open, close } = factsOf(seed, day);
      return [day * DAY_SECONDS, low, high, open, close, 1234.5678];
    }),
  );
}

/** Kraken: always the last 720 days, under another name for the pair, with errors as status 200. */
function krakenResponse(url: URL, seed: number, nowSeconds: number): StandInResponse {
  if (url.pathname !== "/0/public/OHLC" || url.searchParams.get("pair") !== "XBTUSD") {
    return ok({ error: ["EQuery:Unknown asset pair"] });
  }
  const today = Math.floor(nowSeconds / DAY_SECONDS);
  const rows = range(today - KRAKEN_ROWS + 1, today).map((day) => {
    const { low, high, open, close } = factsOf(seed, day);
    return [day * DAY_SECONDS, text(open), text(high), text(low), text(close), text((low + high) / 2), "1234.56780000", 4321];
  });
  return ok({ error: [], result: { XXBTZUSD: rows, last: (today - 1) * DAY_SECONDS } });
}

/** Binance: oldest first, at most 1000, prices as strings, times in milliseconds. */
function binanceResponse({ pathname, searchParams }: URL, seed: number, nowSeconds: number): StandInResponse {
  if (pathname !== "/api/v3/klines" || searchParams.get("symbol") !== "BTCUSDT" || searchParams.get("interval") !== "1d") {
    return { status: 400, body: JSON.stringify({ code: -1121, msg: "Invalid symbol." }) };
  }
  const today = Math.floor(nowSeconds / DAY_SECONDS);
  const limit = Math.min(Number(searchParams.get("limit") ?? 500), BINANCE_ROWS_MAX);
  const dayOfMs = (name: string, fallback: Day): Day =>
    searchParams.has(name) ? Math.ceil(Number(searchParams.get(name)) / (DAY_SECONDS * 1000)) : fallback;
  const first = Math.max(dayOfMs("startTime", today - limit + 1), BINANCE_FIRST_DAY);
  const last = Math.min(dayOfMs("endTime", today), today, first + limit - 1);
  return ok(
    range(first, last).map((day) => {
      const { low, high, open, close } = factsOf(seed, day);
      const openMs = day * DAY_SECONDS * 1000;
      const candle = [text(open), text(high), text(low), text(close)];
      return [
        openMs,
        ...candle,
        "1234.56780000",
        openMs + DAY_SECONDS * 1000 - 1,
        "123456789.00",
        4321,
        "617.28",
        "61728394.50",
        "0",
      ];
    }),
  );
}

// A stand-in for blockchain.com's charts, with their quirks: sampled unless the request says otherwise, several points a day for the
// running total, prices stamped with the time at which their day ended, and missing days.
interface Point {
  readonly x: number;
  readonly y: number;
}

// Above this many points, a sampled response leaves some out.
const SAMPLED_POINTS_MAX = 1500;
const YEAR_DAYS = 365;
const SUPPLY_POINTS_PER_DAY = 3;

const error = (message: string): StandInResponse => ({ status: 400, body: JSON.stringify({ status: "error", error: message }) });

const daily = (first: Day, last: Day, value: (day: Day) => number | undefined): Point[] => {
  const points: Point[] = [];
  for (let day = first; day <= last; day += 1) {
    const y = value(day);
    if (y !== undefined) {
      points.push({ x: day * DAY_SECONDS, y });
    }
  }
  return points;
};

function supplyPoints(first: Day, nowSeconds: number, last: Day): Point[] {
  const points: Point[] = [];
  for (let day = first; day <= last; day += 1) {
    for (let part = 0; part < SUPPLY_POINTS_PER_DAY; part += 1) {
      // Blocks are found at any time, never exactly on the hour.
      const x = day * DAY_SECONDS + Math.floor(((part + 0.97) * DAY_SECONDS) / SUPPLY_POINTS_PER_DAY) - 17;
      if (x <= nowSeconds) {
        points.push({ x, y: supplyAt(x / DAY_SECONDS) });
      }
    }
  }
  return points;
}

function pointsOf(chart: string, seed: number, first: Day, last: Day, nowSeconds: number): Point[] | undefined {
  const yesterday = Math.floor(nowSeconds / DAY_SECONDS) - 1;
  const whole = Math.min(last, yesterday);
  switch (chart) {
    case "market-price":
      // A point is the price at its time, so the one at the beginning of a day is the close of the day before.
      return daily(first, Math.min(last, yesterday + 1), (day) => factsOf(seed, day - 1).close);
    case "miners-revenue":
      return daily(first, whole, (day) => factsOf(seed, day).revenueUsd);
    case "estimated-transaction-volume-usd":
      return daily(first, whole, (day) => factsOf(seed, day).volumeUsd);
    case "total-bitcoins":
      return supplyPoints(first, nowSeconds, Math.min(last, yesterday + 1));
    default:
      return undefined;
  }
}

function thinned(points: readonly Point[]): readonly Point[] {
  const step = Math.ceil(points.length / SAMPLED_POINTS_MAX);
  return points.filter((_, index) => index % step === 0);
}

/** Responds to `/charts/NAME?start=2024-01-01&timespan=365days&format=json&sampled=false`. */
export function chartResponse(url: URL, seed: number, nowSeconds: number): StandInResponse {
  const [, chart = ""] = /^\/charts\/([a-z-]+)$/.exec(url.pathname) ?? [];
  const { searchParams } = url;
  const today = Math.floor(nowSeconds / DAY_SECONDS);
  const days =
    searchParams.get("timespan") === "all" ? today : /^(\d+)days?$/.exec(searchParams.get("timespan") ?? `${YEAR_DAYS}days`)?.[1];
  const start = searchParams.get("start");
  if (days === undefined || (start !== null && !/^\d{4}-\d\d-\d\d$/.test(start))) {
    return error("invalid timespan or start");
  }
  const first = Math.max(FIRST_DAY, start === null ? today - Number(days) : dayOf(start));
  const points = pointsOf(chart, seed, first, first + Number(days) - 1, nowSeconds);
  if (points === undefined) {
    return { status: 404, body: JSON.stringify({ status: "not-found", error: "no such chart" }) };
  }
  const values = searchParams.get("sampled") === "false" ? points : thinned(points);
  return { status: 200, body: JSON.stringify({ status: "ok", name: chart, unit: "USD", period: "day", description: "", values }) };
}

// A stand-in for a server of the Bitcoin Research Kit: series of days in bulk, with the unfinished day, and null before there was a price.
const DATE = /^\d{4}-\d\d-\d\d$/;

const failure = (status: number, message: string): StandInResponse => ({
  status,
  body: JSON.stringify({ error: { type: "invalid_request", code: "bad_request", message } }),
});

/** Responds to `/api/series/bulk?series=date,NAME&index=day1&start=2024-01-01&end=2024-02-01`; the end is exclusive. */
export function researchKitResponse({ pathname, searchParams }: URL, seed: number, nowSeconds: number): StandInResponse {
  if (pathname !== "/api/series/bulk") {
    return failure(404, "no such route");
  }
  const [start = "", end = "", index] = ["start", "end", "index"].map((name) => searchParams.get(name) ?? "");
  if (index !== "day1" || !DATE.test(start) || !DATE.test(end)) {
    return failure(400, "index must be day1, and start and end must be dates");
  }
  const today = Math.floor(nowSeconds / DAY_SECONDS);
  const first = Math.max(FIRST_DAY, dayOf(start));
  const days = Array.from({ length: Math.max(0, Math.min(dayOf(end), today + 1) - first) }, (_, offset) => first + offset);
  const seriesOf: Readonly<Record<string, (day: number) => unknown>> = {
    date: (day) => new Date(day * DAY_SECONDS * 1000).toISOString().slice(0, 10),
    // Its own price differs a little from the charts'.
    coinbase_sum_24h_usd: (day) => (day < dayOf("2010-08-01") ? null : factsOf(seed, day).revenueUsd * 1.01),
    block_count_cumulative: (day) => Math.floor(blocksAt(Math.min(day + 1, nowSeconds / DAY_SECONDS))),
  };
  const names = (searchParams.get("series") ?? "").split(",");
  const unknown = names.find((name) => !Object.hasOwn(seriesOf, name));
  return unknown === undefined
    ? {
        status: 200,
        body: JSON.stringify(
          names.map((name) => ({
            version: 1,
            index: "day1",
            type: name === "date" ? "Date" : "f64",
            start: first,
            end: first + days.length,
            stamp: new Date(nowSeconds * 1000).toISOString(),
            data: days.map((day) => seriesOf[name]?.(day)),
          })),
        ),
      }
    : failure(404, `no such series: ${unknown}`);
}

/** Starts the stand-ins on free ports of 127.0.0.1. They are called `charts`, `coinbase`, `kraken`, `binance` and `research-kit`. */
export async function startStandIns({ seed, clock }: StandInContext): Promise<StandIns> {
  const nowSeconds = (): number => Math.floor(clock.nowMs() / 1000);
  const [charts, coinbase, kraken, binance, researchKit] = await Promise.all([
    startStandIn({ name: "charts", clock, handle: (url) => chartResponse(url, seed, nowSeconds()) }),
    startStandIn({ name: "coinbase", clock, handle: (url, request) => coinbaseResponse(url, request, seed, nowSeconds()) }),
    startStandIn({ name: "kraken", clock, handle: (url) => krakenResponse(url, seed, nowSeconds()) }),
    startStandIn({ name: "binance", clock, handle: (url) => binanceResponse(url, seed, nowSeconds()) }),
    startStandIn({ name: "research-kit", clock, handle: (url) => researchKitResponse(url, seed, nowSeconds()) }),
  ]);
  const chartsUrl = `${charts.origin}/charts`;
  const prices = [
    `coinbase=${coinbase.origin}`,
    `kraken=${kraken.origin}`,
    `binance=${binance.origin}`,
    `blockchain.com=${chartsUrl}`,
  ];
  return {
    standIns: [charts, coinbase, kraken, binance, researchKit],
    variables: {
      QUINTET_BITCOIN_CHARTS_URL: chartsUrl,
      QUINTET_BITCOIN_CHAIN_URL: researchKit.origin,
      QUINTET_BITCOIN_PRICE_URLS: prices.join(","),
    },
  };
}
