// SearchTokens: tokens by symbol and name, or by address, across all lists.
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { SearchTokensRequest, SearchTokensResponseSchema } from "../../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { Failure } from "../../../problem/failure.ts";
import { invalidArgument } from "../../../problem/problem.ts";
import { type AddressPattern, isWholeAddress } from "../../chains/addresses.ts";
import { following } from "../../next-offset.ts";
import { visibleText } from "../../visible-text.ts";
import type { TokenIndex } from "../index/token-index.ts";
import { readPastedAddress, textOfPage } from "../search/pasted-address.ts";
import type { SearchResult } from "../search/search-index.ts";
import type { ListSnapshot } from "../token-directory.ts";
import { freshnessOf, missingLists } from "./freshness.ts";
import { LIMIT_DEFAULT, readChainFilter } from "./request-checks.ts";

/** Throws a Failure: INVALID_ARGUMENT. */
export function searchTokens(
  request: SearchTokensRequest,
  snapshot: ListSnapshot,
): MessageInitShape<typeof SearchTokensResponseSchema> {
  const { limit = LIMIT_DEFAULT, offset } = request;
  const { index } = snapshot;
  const cleaned = visibleText(request.query.replaceAll(/\s+/g, " "));
  if (cleaned === "") {
    throw new Failure(invalidArgument([{ field: "query", description: "must not be blank" }]));
  }
  const chainId = readChainFilter(request.chain, index);
  const { total, page, corrected } = find(cleaned, chainId, index, offset, limit);
  const results = page.flatMap((token) => index.tokens[token] ?? []);
  return {
    total,
    ...following(offset + results.length < total, offset, limit),
    results,
    freshness: freshnessOf(snapshot),
    ...(corrected === undefined ? {} : { correctedQuery: corrected }),
    missingLists: missingLists(snapshot),
  };
}

// The tokens at the addresses in the query, on the chain that it names; if it contains none, those that its words mean.
function find(text: string, filterId: number | undefined, index: TokenIndex, offset: number, limit: number): SearchResult {
  const { patterns, chainId } = readPastedAddress(text);
  const isMeant = (token: number): boolean => {
    const ownId = Number(index.tokens[token]?.chainId);
    return (chainId === undefined || ownId === chainId) && (filterId === undefined || ownId === filterId);
  };
  const tokensAt = (pattern: AddressPattern): readonly number[] => index.addresses.like(pattern).filter(isMeant);
  const whole = patterns.filter(isWholeAddress);
  let pasted = [...new Set(whole.flatMap(tokensAt))];
  for (let at = whole.length; pasted.length === 0 && at < patterns.length; at += 1) {
    pasted = [...tokensAt(patterns[at] as AddressPattern)];
  }
  if (pasted.length > 0) {
    return { total: pasted.length, page: pasted.slice(offset, offset + limit) };
  }
  // Nobody who pastes an address means another token that happens to match the words around it.
  return index.search.find(whole[0]?.written ?? textOfPage(text), offset, limit, filterId);
}
