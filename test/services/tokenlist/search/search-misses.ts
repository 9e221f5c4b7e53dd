// The typed queries whose first result is not the token that is meant.
import { create } from "@bufbuild/protobuf";
import { SearchTokensRequestSchema } from "../../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { searchTokens } from "../../../../src/services/tokenlist/handlers/search-tokens.ts";
import type { TokenIndex } from "../../../../src/services/tokenlist/index/token-index.ts";
import { TYPED_QUERIES, type TypedQuery } from "./typed-queries.ts";

/** How many queries were tried, those whose token is in these lists, and the first result of each that missed. */
export interface SearchMisses {
  readonly tried: number;
  readonly misses: readonly { readonly query: string; readonly wanted: string; readonly first: string }[];
}

const has = (words: string, word: string): boolean => words.split(" ").includes(word);
const isWanted = (
  token: { readonly symbol: string; readonly chain: string } | undefined,
  [, chains, symbols]: TypedQuery,
): boolean => token !== undefined && has(chains, token.chain) && has(symbols, token.symbol);

/** Tries all queries whose token is in the index. */
export function searchMisses(index: TokenIndex): SearchMisses {
  const freshness = index.lists.map(() => ({ confirmedAtMs: 0, stale: false }));
  const tried = Object.values(TYPED_QUERIES)
    .flat()
    .filter((typed) => index.tokens.some((token) => isWanted(token, typed)));
  const misses = tried.flatMap((typed) => {
    const [query, chains, symbols] = typed;
    const { results = [] } = searchTokens(create(SearchTokensRequestSchema, { query, limit: 10 }), { index, freshness });
    const [first] = results;
    return first !== undefined && isWanted({ symbol: first.symbol ?? "", chain: first.chain ?? "" }, typed)
      ? []
      : [
          {
            query,
            wanted: `${symbols} on ${chains}`,
            first: first === undefined ? "nothing" : `${first.symbol} on ${first.chain}`,
          },
        ];
  });
  return { tried: tried.length, misses };
}
