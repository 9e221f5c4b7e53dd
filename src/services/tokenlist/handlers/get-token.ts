// GetToken: one token by chain and address.
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { GetTokenRequest, GetTokenResponseSchema } from "../../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { shownAddress } from "../../chains/addresses.ts";
import { chainName } from "../../chains/chains.ts";
import type { Place } from "../index/place-table.ts";
import type { ListSnapshot } from "../token-directory.ts";
import { fetchedAt, notFound } from "./freshness.ts";
import { readPlace } from "./request-checks.ts";

/** Throws a Failure: INVALID_ARGUMENT, NOT_FOUND or UPSTREAM_FAILED. */
export function getToken(request: GetTokenRequest, snapshot: ListSnapshot): MessageInitShape<typeof GetTokenResponseSchema> {
  const place = readPlace(request, snapshot.index);
  const token = snapshot.index.find(place);
  if (token === undefined) {
    throw notFound(snapshot, unknownToken(place, snapshot));
  }
  const { name, symbol, decimals, logo, chainId, chain, address, lists, conflicts } = token;
  const shown = { name, symbol, decimals, chainId, chain, address, lists, conflicts, fetchedAt: fetchedAt(snapshot, lists) };
  return logo === undefined ? shown : { ...shown, logo };
}

/** Says that no list contains the token, and on which chains the same address is a token. */
export function unknownToken({ chainId, address }: Place, { index }: ListSnapshot): string {
  const otherChains = index.addresses.at(address).flatMap((number) => index.tokens[number]?.chain ?? []);
  const hint = otherChains.length === 0 ? "" : ` That address is a token on ${otherChains.join(", ")}.`;
  return `No list contains ${shownAddress(address)} on ${chainName(chainId)}.${hint}`;
}
