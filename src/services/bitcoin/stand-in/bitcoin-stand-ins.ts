// The stand-ins for everything that the Bitcoin service asks, over one made-up world.
import type { Clock } from "../../../runtime/clock.ts";
import type { StandIn } from "../../../upstream/stand-in/stand-in.ts";
import { startStandIn } from "../../../upstream/stand-in/stand-in-server.ts";
import { answerChart } from "./charts.ts";
import { answerBinance, answerCoinbase, answerKraken } from "./exchanges.ts";

/** What the stand-ins are made from. */
export interface BitcoinStandInsOptions {
  /** The same seed makes the same world. */
  readonly seed: number;
  readonly clock: Clock;
}

/** The running stand-ins, and the variables that point a server at them. */
export interface BitcoinStandIns {
  /** Called `charts`, `coinbase`, `kraken` and `binance`. */
  readonly standIns: readonly StandIn[];
  readonly variables: Readonly<Record<string, string>>;
}

/** Starts them on free ports of 127.0.0.1. */
export async function startBitcoinStandIns({ seed, clock }: BitcoinStandInsOptions): Promise<BitcoinStandIns> {
  const nowSeconds = (): number => Math.floor(clock.nowMs() / 1000);
  const [charts, coinbase, kraken, binance] = await Promise.all([
    startStandIn({ name: "charts", clock, handle: (url) => answerChart(url, seed, nowSeconds()) }),
    startStandIn({ name: "coinbase", clock, handle: (url, request) => answerCoinbase(url, request, seed, nowSeconds()) }),
    startStandIn({ name: "kraken", clock, handle: (url) => answerKraken(url, seed, nowSeconds()) }),
    startStandIn({ name: "binance", clock, handle: (url) => answerBinance(url, seed, nowSeconds()) }),
  ]);
  const chartsUrl = `${charts.origin}/charts`;
  const prices = [
    `coinbase=${coinbase.origin}`,
    `kraken=${kraken.origin}`,
    `binance=${binance.origin}`,
    `blockchain.com=${chartsUrl}`,
  ];
  return {
    standIns: [charts, coinbase, kraken, binance],
    variables: { QUINTET_BITCOIN_CHARTS_URL: chartsUrl, QUINTET_BITCOIN_PRICE_URLS: prices.join(",") },
  };
}
