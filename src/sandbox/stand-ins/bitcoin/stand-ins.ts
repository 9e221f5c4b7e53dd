// Stand-ins for every source of the Bitcoin service, all based on one made-up world.

import { DAY_SECONDS, dayOf } from "../market/days.ts";
import type { StandInContext, StandIns } from "../stand-in.ts";
import { type StandInResponse, startStandIn } from "../stand-in-server.ts";
import { chartResponse } from "./charts.ts";
import { binanceResponse, coinbaseResponse, krakenResponse } from "./exchanges.ts";
import { blocksAt, FIRST_DAY, factsOf } from "./world.ts";

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
