// GetToken and BatchGetTokens: tokens by chain and address.
import type { MessageInitShape } from "@bufbuild/protobuf";
import type {
  BatchGetTokensRequest,
  BatchGetTokensResponseSchema,
  GetTokenRequest,
  GetTokenResponseSchema,
} from "../../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { shownAddress, tokenKey } from "../../chains/addresses.ts";
import { chainName } from "../../chains/chains.ts";
import type { Place } from "../index/place-table.ts";
import type { ListSnapshot } from "../token-directory.ts";
import { freshnessOf, missingLists, notFound } from "./freshness.ts";
import { readPlace, readPlaces } from "./request-checks.ts";

/** Throws a Failure: INVALID_ARGUMENT, NOT_FOUND or UPSTREAM_FAILED. */
export function getToken(request: GetTokenRequest, snapshot: ListSnapshot): MessageInitShape<typeof GetTokenResponseSchema> {
  const place = readPlace(request, snapshot.index);
  const token = snapshot.index.find(place);
  if (token === undefined) {
    throw notFound(snapshot, unknownToken(place, snapshot));
  }
  // The fields of the token's message are those of the response.
  const { $typeName: _, $unknown: __, ...fields } = token;
  return { ...fields, freshness: freshnessOf(snapshot, token.lists), missingLists: missingLists(snapshot) };
}

/** Throws a Failure: INVALID_ARGUMENT. */
export function batchGetTokens(
  request: BatchGetTokensRequest,
  snapshot: ListSnapshot,
): MessageInitShape<typeof BatchGetTokensResponseSchema> {
  const places = [...readPlaces(request.tokens, snapshot.index)];
  const found = places.map(([token, place]) => ({ token, message: snapshot.index.find(place) }));
  return {
    results: found.flatMap(({ token, message }) => (message === undefined ? [] : [{ ...message, token }])),
    missing: found.filter(({ message }) => message === undefined).map(({ token }) => token),
    freshness: freshnessOf(snapshot),
    missingLists: missingLists(snapshot),
  };
}

/** Says that no list contains the token, which lists have an unusable entry for it, and on which chains the address is a token. */
export function unknownToken({ chainId, address }: Place, { index }: ListSnapshot): string {
  const otherChains = index.addresses.at(address).flatMap((number) => index.tokens[number]?.chain ?? []);
  const hint = otherChains.length === 0 ? "" : ` That address is a token on ${otherChains.join(", ")}.`;
  const faults = index.lists.flatMap(({ name, checked }) => {
    const fault = checked?.faults.get(tokenKey(chainId, address));
    return fault === undefined ? [] : [` An entry of the list ${name} was left out: its ${fault}.`];
  });
  return `No list contains ${shownAddress(address)} on ${chainName(chainId)}.${faults.join("")}${hint}`;
}
