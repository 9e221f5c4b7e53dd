// SearchTokens: tokens by symbol and name, or by address, across all lists.
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { SearchTokensRequest, SearchTokensResponseSchema } from "../../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { Failure } from "../../../problem/failure.ts";
import { invalidArgument } from "../../../problem/problem.ts";
import { visibleText } from "../../visible-text.ts";
import type { TokenIndex } from "../index/token-index.ts";
import { readPastedAddress, textOfPage } from "../search/pasted-address.ts";
import type { ListSnapshot } from "../token-directory.ts";
import { fetchedAt } from "./freshness.ts";
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
  const pasted = pastedTokens(cleaned, chainId, index);
  const { total, page } =
    pasted.length === 0
      ? index.search.find(textOfPage(cleaned), offset, limit, chainId)
      : { total: pasted.length, page: pasted.slice(offset, offset + limit) };
  const results = page.flatMap((token) => index.tokens[token] ?? []);
  return {
    count: results.length,
    total,
    hasMore: offset + results.length < total,
    limit,
    offset,
    results,
    fetchedAt: fetchedAt(snapshot),
  };
}

// The tokens at the first address in the query that has any, on the chain that the query names.
function pastedTokens(text: string, filterId: number | undefined, { addresses, tokens }: TokenIndex): readonly number[] {
  const { patterns, chainId } = readPastedAddress(text);
  for (const pattern of patterns) {
    const found = addresses.like(pattern).filter((token) => {
      const ownId = Number(tokens[token]?.chainId);
      return (chainId === undefined || ownId === chainId) && (filterId === undefined || ownId === filterId);
    });
    if (found.length > 0) {
      return found;
    }
  }
  return [];
}
