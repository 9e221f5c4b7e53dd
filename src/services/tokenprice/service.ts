// TokenPriceService on the Connect router: its operations over one price source.
import { TokenPriceService } from "../../../gen/quintet/tokenprice/v1/token_price_pb.js";
import type { OutboundConfig } from "../../config/outbound.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import type { Randomness } from "../../runtime/randomness.ts";
import { createUpstream } from "../../upstream/undici-upstream.ts";
import type { UpstreamObserver } from "../../upstream/upstream-observer.ts";
import type { DataService } from "../service.ts";
import type { TokenPriceConfig } from "./config.ts";
import { createGetChange } from "./handlers/get-change.ts";
import { createGetChart } from "./handlers/get-chart.ts";
import { createGetHistorical } from "./handlers/get-historical.ts";
import { createGetPrice } from "./handlers/get-price.ts";
import { createPriceQueries } from "./handlers/price-queries.ts";
import { createWatchPrices } from "./handlers/watch-prices.ts";
import { createPriceSource } from "./source/price-source.ts";

/** What the token price service is made of. */
export interface TokenPriceDependencies {
  readonly config: TokenPriceConfig;
  readonly outbound: OutboundConfig;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly observer?: UpstreamObserver | undefined;
}

// An answer to 30 tokens has under 8 kB, and a chart of 500 points about 30 kB.
const BODY_BYTES_MAX = 1024 * 1024;
// Enough for a few of the largest calls, short charts of many tokens, which need about forty requests each.
const QUEUE_MAX = 200;

/** Makes the token price service. It sends no request before the first call. */
export function createTokenPrice({
  config,
  outbound,
  clock,
  randomness,
  log,
  observer,
}: TokenPriceDependencies): DataService<typeof TokenPriceService> {
  const { url, timeoutMs, cacheMs, concurrencyMax } = config;
  const { userAgent, connectTimeoutMs } = outbound;
  const upstream = createUpstream({
    name: "coins",
    userAgent,
    connectTimeoutMs,
    concurrencyMax,
    queueMax: QUEUE_MAX,
    bodyBytesMax: BODY_BYTES_MAX,
    cacheMs,
    clock,
    randomness,
    log,
    observer,
  });
  const priceQueries = createPriceQueries({ source: createPriceSource(upstream, url), clock, timeoutMs });
  return {
    name: "token-price",
    desc: TokenPriceService,
    implementation: {
      getPrice: createGetPrice(priceQueries),
      getHistorical: createGetHistorical(priceQueries),
      getChart: createGetChart(priceQueries),
      getChange: createGetChange(priceQueries),
      watchPrices: createWatchPrices(priceQueries, clock),
    },
    close: () => upstream.close(),
  };
}
