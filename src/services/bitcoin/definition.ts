// The Bitcoin service: valuation indicators, from daily closes and blockchain.com's charts.
import type { ServiceDefinition } from "../definition.ts";
import { type BitcoinConfig, readBitcoinConfig } from "./config.ts";

export const BITCOIN: ServiceDefinition<BitcoinConfig> = {
  readConfig: readBitcoinConfig,
  upstreams: ({ chartsUrl, prices }) => [
    { name: "charts", urls: [chartsUrl] },
    { name: "prices", urls: prices.map(({ url }) => url) },
  ],
  loadContract: async () => (await import("../../../gen/quintet/bitcoin/v1/bitcoin_pb.js")).BitcoinService,
  async create(config, serviceContext) {
    const { createBitcoin } = await import("./service.ts");
    return createBitcoin({ ...serviceContext, config });
  },
};
