// The handlers of TokenListService: its operations over the directory of all lists.
import type { HandlerContext } from "@connectrpc/connect";
import { TokenListService } from "../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { Failure } from "../../problem/failure.ts";
import { deadlineOf } from "../../upstream/deadline.ts";
import { createUpstream } from "../../upstream/undici-upstream.ts";
import type { ServiceContext } from "../definition.ts";
import type { DataService } from "../service.ts";
import type { TokenListConfig } from "./config.ts";
import { getBridges } from "./handlers/get-bridges.ts";
import { getList } from "./handlers/get-list.ts";
import { batchGetTokens, getToken } from "./handlers/get-token.ts";
import { listChains, listLists } from "./handlers/list-lists.ts";
import { searchTokens } from "./handlers/search-tokens.ts";
import { createListReader } from "./lists/list-reader.ts";
import { createTokenDirectory, type ListSnapshot } from "./token-directory.ts";

interface TokenListOptions extends ServiceContext {
  readonly config: TokenListConfig;
}

// The largest list takes 0.7 MB; 10,000 entries, the most that the schema allows, take about 4 MB.
const BODY_BYTES_MAX = 5 * 1024 * 1024;
// 10,000 entries with their bridges: no list has more than 14 values per entry.
const BODY_VALUES_MAX = 500_000;
// The lists are read in parallel.
const CONCURRENCY_MAX = 16;
/** The longest that a call waits for the first index. */
const FIRST_INDEX_WAIT_MS = 10_000;

/** The service keeps its lists up to date from `begin` until it is closed. */
export function createTokenList({ config, outbound, ...serviceContext }: TokenListOptions): DataService<typeof TokenListService> {
  const { clock, log } = serviceContext;
  const upstream = createUpstream({
    name: "token-lists",
    ...serviceContext,
    ...outbound,
    concurrencyMax: CONCURRENCY_MAX,
    queueMax: CONCURRENCY_MAX,
    bodyBytesMax: BODY_BYTES_MAX,
    bodyValuesMax: BODY_VALUES_MAX,
    // A list has fallbacks, and is read again soon.
    retries: 0,
    cacheMs: 0,
  });
  const lists = createTokenDirectory({
    readers: config.lists.map((source) => createListReader({ source, ipfsGateway: config.ipfsGateway, upstream, clock, log })),
    refreshIntervalMs: config.refreshIntervalMs,
    ...serviceContext,
  });

  const current = async (context: HandlerContext): Promise<ListSnapshot> => {
    const { signal, timeLeftMs } = deadlineOf(context, clock, FIRST_INDEX_WAIT_MS);
    const directory = await lists.current(signal, timeLeftMs());
    if (directory === "starting" || directory === undefined) {
      const what = directory === undefined ? "No token list could be read yet" : "The token lists are still being read";
      throw new Failure({ reason: "UPSTREAM_FAILED", message: `${what}; the call was not counted.` });
    }
    return directory;
  };

  return {
    name: "token-list",
    desc: TokenListService,
    implementation: {
      getToken: async (request, context) => getToken(request, await current(context)),
      batchGetTokens: async (request, context) => batchGetTokens(request, await current(context)),
      getList: async (request, context) => getList(request, await current(context)),
      listLists: async (_request, context) => listLists(await current(context)),
      searchTokens: async (request, context) => searchTokens(request, await current(context)),
      getBridges: async (request, context) => getBridges(request, await current(context)),
      listChains: async (_request, context) => listChains(await current(context)),
    },
    begin: () => lists.begin(),
    isReady: () => lists.isReady(),
    isServing: () => lists.hasData(),
    async close() {
      await lists.close();
      await upstream.close();
    },
  };
}
