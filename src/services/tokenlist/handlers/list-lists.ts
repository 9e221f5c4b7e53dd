// ListLists: the lists in use.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type { ListListsResponseSchema, TokenListSchema } from "../../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { chainName } from "../../chains/chains.ts";
import type { IndexedList } from "../index/token-index.ts";
import { versionText } from "../lists/list-document.ts";
import type { Directory, Freshness } from "../token-directory.ts";

/** Answers ListLists. */
export function listLists({ index, freshness }: Directory): MessageInitShape<typeof ListListsResponseSchema> {
  const results = index.lists.map((list, at) => tokenList(list, freshness[at]));
  return { count: results.length, total: results.length, hasMore: false, results };
}

function tokenList(list: IndexedList, freshness: Freshness | undefined): MessageInitShape<typeof TokenListSchema> {
  const { name, checked, tokens, tokensByChain } = list;
  const stale = freshness?.stale ?? false;
  if (checked === undefined || freshness?.confirmedAtMs === undefined) {
    return { name, stale };
  }
  const chains = [...tokensByChain]
    .map(([chainId, { length }]) => ({ chainId, chain: chainName(chainId), tokens: length }))
    .sort((one, other) => one.chainId - other.chainId);
  return {
    name,
    title: checked.title,
    version: versionText(checked.version),
    timestamp: timestampFromMs(checked.timestampMs),
    tokens: tokens.length,
    dropped: checked.dropped,
    chains,
    asOf: timestampFromMs(freshness.confirmedAtMs),
    stale,
  };
}
