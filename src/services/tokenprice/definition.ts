// The token price service: prices of tokens, from DefiLlama.
import type { ServiceDefinition } from "../definition.ts";
import { readTokenPriceConfig, type TokenPriceConfig } from "./config.ts";

// A token that every source of prices has.
const PROBED = "coingecko:bitcoin";

export const TOKEN_PRICE: ServiceDefinition<TokenPriceConfig> = {
  readConfig: readTokenPriceConfig,
  upstreams: (config) => [
    {
      name: "prices",
      urls: [config.url],
      async check(url, fetchParsed, nowMs) {
        const { parseQuotes } = await import("./source/coins-response.ts");
        const { isCurrent } = await import("./handlers/quote-filter.ts");
        const quotes = await fetchParsed(`${url}/prices/current/${PROBED}`, (json) => parseQuotes(json, [PROBED]));
        const quote = quotes.get(PROBED);
        if (quote === undefined) {
          throw new Error(`has no price of ${PROBED}`);
        }
        const minutes = Math.max(0, Math.round(nowMs / 60_000 - quote.atSeconds / 60));
        if (!isCurrent(quote, Math.floor(nowMs / 1000))) {
          throw new Error(`its price of ${PROBED} is ${minutes} minutes old`);
        }
        return `a price of ${PROBED}, ${minutes} minutes old`;
      },
    },
  ],
  loadContract: async () => (await import("../../../gen/quintet/tokenprice/v1/token_price_pb.js")).TokenPriceService,
  async create(config, serviceContext) {
    const { createTokenPrice } = await import("./service.ts");
    return createTokenPrice({ ...serviceContext, config });
  },
};
