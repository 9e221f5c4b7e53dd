// The token price service: prices of tokens, from DefiLlama.
import type { ServiceDefinition } from "../definition.ts";
import { readTokenPriceConfig, type TokenPriceConfig } from "./config.ts";

export const TOKEN_PRICE: ServiceDefinition<TokenPriceConfig> = {
  readConfig: readTokenPriceConfig,
  upstreams: ({ url }) => [{ name: "prices", urls: [url] }],
  loadContract: async () => (await import("../../../gen/quintet/tokenprice/v1/token_price_pb.js")).TokenPriceService,
  async create(config, serviceContext) {
    const { createTokenPrice } = await import("./service.ts");
    return createTokenPrice({ ...serviceContext, config });
  },
};
