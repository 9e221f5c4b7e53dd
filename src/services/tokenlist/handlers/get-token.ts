// GetToken: one token by chain and address.
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { GetTokenRequest, GetTokenResponseSchema } from "../../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { chainName } from "../../chains/chains.ts";
import { shownAddress } from "../address.ts";
import type { Place } from "../index/bridge-links.ts";
import type { Directory } from "../token-directory.ts";
import { asOf, notFound } from "./freshness.ts";
import { readPlace } from "./request-checks.ts";

/** Answers GetToken. Throws a Failure: INVALID_ARGUMENT, NOT_FOUND or UPSTREAM_FAILED. */
export function getToken(request: GetTokenRequest, directory: Directory): MessageInitShape<typeof GetTokenResponseSchema> {
  const place = readPlace(request, directory.index);
  const token = directory.index.find(place);
  if (token === undefined) {
    throw notFound(directory, unknownToken(place, directory));
  }
  const { name, symbol, decimals, logo, chainId, chain, address, lists, conflicts } = token;
  const shown = { name, symbol, decimals, chainId, chain, address, lists, conflicts, asOf: asOf(directory, lists) };
  return logo === undefined ? shown : { ...shown, logo };
}

/** Says that no list carries the token, and on which chains the same address is one. */
export function unknownToken({ chainId, address }: Place, { index }: Directory): string {
  const elsewhere = index.at(address).flatMap((number) => index.tokens[number]?.chain ?? []);
  const hint = elsewhere.length === 0 ? "" : ` That address is a token on ${elsewhere.join(", ")}.`;
  return `No list carries ${shownAddress(address)} on ${chainName(chainId)}.${hint}`;
}
