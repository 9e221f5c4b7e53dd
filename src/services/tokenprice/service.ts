// The handlers of TokenPriceService: its operations over one price source.
import { TokenPriceService } from "../../../gen/quintet/tokenprice/v1/token_price_pb.js";
import { createUpstream } from "../../upstream/undici-upstream.ts";
import { chainMessages } from "../chains/chains.ts";
import type { ServiceContext } from "../definition.ts";
import { withPrecision } from "../precision.ts";
import type { DataService } from "../service.ts";
import type { TokenPriceConfig } from "./config.ts";
import { createGetHistoricalPrices } from "./handlers/get-historical-prices.ts";
import { createGetChange } from "./handlers/get-price-changes.ts";
import { createGetChart } from "./handlers/get-price-charts.ts";
import { createGetPrices } from "./handlers/get-prices.ts";
import { createPriceQueries } from "./handlers/price-queries.ts";
import { createWatchPrices } from "./handlers/watch-prices.ts";
import { createPriceSource } from "./source/price-source.ts";

interface TokenPriceOptions extends ServiceContext {
  readonly config: TokenPriceConfig;
}

// A response for 100 tokens takes under 25 kB, and a chart of 500 points about 30 kB with 1,500 values.
const BODY_BYTES_MAX = 256 * 1024;
const BODY_VALUES_MAX = 20_000;
// Enough for a few of the largest calls, charts of many tokens, which need about ten requests each.
const QUEUE_MAX = 200;

/** Sends no request before the first call. */
export function createTokenPrice({
  config,
  outbound,
  ...serviceContext
}: TokenPriceOptions): DataService<typeof TokenPriceService> {
  const { url, timeoutMs, cacheMs, concurrencyMax, requestsPerSecondMax } = config;
  const { clock } = serviceContext;
  const upstream = createUpstream({
    name: "coins",
    ...serviceContext,
    ...outbound,
    concurrencyMax,
    requestsPerSecondMax,
    queueMax: QUEUE_MAX,
    bodyBytesMax: BODY_BYTES_MAX,
    bodyValuesMax: BODY_VALUES_MAX,
    cacheMs,
  });
  const priceQueries = createPriceQueries({ source: createPriceSource(upstream, url), clock, timeoutMs });
  return {
    name: "token-price",
    desc: TokenPriceService,
    implementation: withPrecision(TokenPriceService, {
      getPrices: createGetPrices(priceQueries),
      getHistoricalPrices: createGetHistoricalPrices(priceQueries),
      getPriceCharts: createGetChart(priceQueries),
      getPriceChanges: createGetChange(priceQueries),
      watchPrices: createWatchPrices(priceQueries, clock),
      listChains: () => ({ results: chainMessages() }),
    }),
    close: () => upstream.close(),
  };
}
