// ListLists and ListChains: the lists in use, and the chains that can be given.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import type {
  ListChainsResponseSchema,
  ListListsResponseSchema,
  TokenListSchema,
} from "../../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { chainMessages, chainName, isNamedChain } from "../../chains/chains.ts";
import type { IndexedList } from "../index/token-index.ts";
import { versionText } from "../lists/list-document.ts";
import type { ListFreshness, ListSnapshot } from "../token-directory.ts";
import { missingLists } from "./freshness.ts";

export function listLists(snapshot: ListSnapshot): MessageInitShape<typeof ListListsResponseSchema> {
  const { index, freshness } = snapshot;
  const results = index.lists.map((list, at) => tokenList(list, freshness[at]));
  return { results, missingLists: missingLists(snapshot) };
}

export function listChains({ index }: ListSnapshot): MessageInitShape<typeof ListChainsResponseSchema> {
  const unnamed = [...index.chainIds].filter((id) => !isNamedChain(id)).sort((one, other) => one - other);
  return { results: [...chainMessages(), ...unnamed.map((id) => ({ name: String(id), chainId: BigInt(id) }))] };
}

function tokenList(list: IndexedList, freshness: ListFreshness | undefined): MessageInitShape<typeof TokenListSchema> {
  const { name, checked, tokens, tokensByChain } = list;
  const stale = freshness?.stale ?? false;
  if (checked === undefined || freshness?.confirmedAtMs === undefined) {
    return { name, freshness: { stale } };
  }
  const chains = [...tokensByChain]
    .sort(([one], [other]) => one - other)
    .map(([chainId, { length }]) => ({ chainId: BigInt(chainId), chain: chainName(chainId), tokenCount: length }));
  return {
    name,
    title: checked.title,
    version: versionText(checked.version),
    publishedAt: timestampFromMs(checked.timestampMs),
    tokenCount: tokens.length,
    dropped: checked.dropped,
    droppedEntries: checked.droppedEntries.map(({ reason, count, examples }) => ({ reason, count, examples: [...examples] })),
    chains,
    freshness: { fetchedAt: timestampFromMs(freshness.confirmedAtMs), stale },
  };
}
