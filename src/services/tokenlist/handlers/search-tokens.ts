// SearchTokens: tokens by symbol and name, or by address, across all lists.
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { SearchTokensRequest, SearchTokensResponseSchema } from "../../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { Failure } from "../../../problem/failure.ts";
import { invalidArgument } from "../../../problem/problem.ts";
import { chainIdOf } from "../../chains/chains.ts";
import { isBase58Address, isEvmAddress, plainAddress } from "../address.ts";
import type { TokenIndex } from "../index/token-index.ts";
import { cleanText, foldText } from "../text.ts";
import type { Directory } from "../token-directory.ts";
import { asOf } from "./freshness.ts";
import { LIMIT_DEFAULT, readChainFilter } from "./request-checks.ts";

/** Answers SearchTokens. Throws a Failure: INVALID_ARGUMENT. */
export function searchTokens(
  request: SearchTokensRequest,
  directory: Directory,
): MessageInitShape<typeof SearchTokensResponseSchema> {
  const { limit = LIMIT_DEFAULT, offset } = request;
  const { index } = directory;
  const cleaned = cleanText(request.query);
  const query = foldText(cleaned);
  if (query === "") {
    throw new Failure(invalidArgument([{ field: "query", description: "must have a character that is not blank" }]));
  }
  const chainId = readChainFilter(request.chain, index);
  const accepts = (token: number): boolean => chainId === undefined || index.tokens[token]?.chainId === chainId;
  const pasted = pastedTokens(cleaned, index).filter(accepts);
  const { total, page } =
    pasted.length === 0
      ? index.search.find(query, offset, limit, accepts)
      : { total: pasted.length, page: pasted.slice(offset, offset + limit) };
  const results = page.flatMap((token) => index.tokens[token] ?? []);
  return {
    count: results.length,
    total,
    hasMore: offset + results.length < total,
    limit,
    offset,
    results,
    asOf: asOf(directory),
  };
}

// If the text is an address, alone or as `chain:address`, the tokens that have it.
function pastedTokens(text: string, index: TokenIndex): readonly number[] {
  const colon = text.indexOf(":");
  const chainId = colon === -1 ? undefined : chainIdOf(text.slice(0, colon));
  const address = text.slice(chainId === undefined ? 0 : colon + 1);
  if (!isEvmAddress(address) && !isBase58Address(address)) {
    return [];
  }
  const found = index.at(plainAddress(address));
  return chainId === undefined ? found : found.filter((token) => index.tokens[token]?.chainId === chainId);
}
