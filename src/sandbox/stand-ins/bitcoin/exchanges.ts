// Stand-ins for the exchanges that publish daily candles, each in its own format and with its own limits. All of them include the
// current day's unfinished candle.
import type { IncomingMessage } from "node:http";
import type { Day } from "../../../services/bitcoin/day.ts";
import { DAY_SECONDS, dayOf } from "../market/days.ts";
import type { StandInResponse } from "../stand-in-server.ts";
import { factsOf } from "./world.ts";

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
export function krakenResponse(url: URL, seed: number, nowSeconds: number): StandInResponse {
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
export function binanceResponse({ pathname, searchParams }: URL, seed: number, nowSeconds: number): StandInResponse {
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
