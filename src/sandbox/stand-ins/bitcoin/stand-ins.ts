// Stand-ins for every source of the Bitcoin service, all based on one made-up world.
import type { StandInContext, StandIns } from "../stand-in.ts";
import { startStandIn } from "../stand-in-server.ts";
import { chartResponse } from "./charts.ts";
import { binanceResponse, coinbaseResponse, krakenResponse } from "./exchanges.ts";
import { researchKitResponse } from "./research-kit.ts";

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
