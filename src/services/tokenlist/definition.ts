// The token list service: facts about tokens, from public token lists.
import type { ServiceDefinition } from "../definition.ts";
import { readTokenListConfig, type TokenListConfig } from "./config.ts";

export const TOKEN_LIST: ServiceDefinition<TokenListConfig> = {
  readConfig: readTokenListConfig,
  upstreams: ({ lists }) => lists.map(({ name, urls }) => ({ name, urls })),
  loadContract: async () => (await import("../../../gen/quintet/tokenlist/v1/token_list_pb.js")).TokenListService,
  async create(config, serviceContext) {
    const { createTokenList } = await import("./service.ts");
    return createTokenList({ ...serviceContext, config });
  },
};
