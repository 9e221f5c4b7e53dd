// The token price service: prices of tokens, from DefiLlama.
import type { ServiceDefinition } from "../definition.ts";
import { readTokenPriceConfig, type TokenPriceConfig } from "./config.ts";

export const TOKEN_PRICE: ServiceDefinition<TokenPriceConfig> = {
  readConfig: readTokenPriceConfig,
  loadContract: async () => (await import("../../../gen/quintet/tokenprice/v1/token_price_pb.js")).TokenPriceService,
  async create(config, tools) {
    const { createTokenPrice } = await import("./service.ts");
    return createTokenPrice({ ...tools, config });
  },
  async startStandIns(tools) {
    const { startCoinsStandIn } = await import("./stand-in/coins-stand-in.ts");
    const standIn = await startCoinsStandIn(tools);
    return {
      standIns: [standIn],
      variables: {
        QUINTET_COINS_URL: standIn.origin,
        // So that a person who watches sees a new price each time: the stand-in has one every few seconds.
        QUINTET_COINS_CACHE_MS: "2000",
      },
    };
  },
};
