// The token list service: facts about tokens, from public token lists.
import { isoTime } from "../../runtime/iso-time.ts";
import type { ServiceDefinition } from "../definition.ts";
import { readTokenListConfig, type TokenListConfig } from "./config.ts";

export const TOKEN_LIST: ServiceDefinition<TokenListConfig> = {
  readConfig: readTokenListConfig,
  upstreams: ({ lists }) =>
    lists.map(({ name, urls }) => ({
      name,
      urls,
      async check(url, fetchParsed) {
        const { readListDocument } = await import("./lists/list-document.ts");
        const { entries, timestampMs } = await fetchParsed(url, readListDocument);
        return `${entries.length} tokens, of ${isoTime(timestampMs).slice(0, 10)}`;
      },
    })),
  loadContract: async () => (await import("../../../gen/quintet/tokenlist/v1/token_list_pb.js")).TokenListService,
  async create(config, serviceContext) {
    const { createTokenList } = await import("./service.ts");
    return createTokenList({ ...serviceContext, config });
  },
};
