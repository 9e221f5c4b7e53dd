// SearchTokens: tokens by symbol and name, across all lists.
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { SearchTokensRequest, SearchTokensResponseSchema } from "../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { Failure, invalidArgument } from "../../problem/problem.ts";
import { asOf } from "./freshness.ts";
import { limitDefault, readChainFilter } from "./question.ts";
import { cleanText, foldText } from "./text.ts";
import type { Directory } from "./token-directory.ts";

/** Answers SearchTokens. Throws a Failure: INVALID_ARGUMENT. */
export function searchTokens(
  request: SearchTokensRequest,
  directory: Directory,
): MessageInitShape<typeof SearchTokensResponseSchema> {
  const { limit = limitDefault, offset } = request;
  const { index } = directory;
  const query = foldText(cleanText(request.query));
  if (query === "") {
    throw new Failure(invalidArgument([{ field: "query", description: "must have a character that is not blank" }]));
  }
  const chainId = readChainFilter(request.chain, index);
  const onChain = (token: number): boolean => index.tokens[token]?.chainId === chainId;
  const { total, page } = index.search.find(query, offset, limit, chainId === undefined ? undefined : onChain);
  const results = page.flatMap((token) => index.tokens[token] ?? []);
  return { count: results.length, total, limit, offset, results, asOf: asOf(directory) };
}
