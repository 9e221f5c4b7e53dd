// GetBridges: a token's addresses on other chains.
import type { MessageInitShape } from "@bufbuild/protobuf";
import {
  type BridgedTokenSchema,
  BridgeKind,
  type BridgeLinkSchema,
  type GetBridgesRequest,
  type GetBridgesResponseSchema,
} from "../../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { shownAddress } from "../../chains/addresses.ts";
import { chainName } from "../../chains/chains.ts";
import type { Link } from "../index/bridge-links.ts";
import { type ReachedPlace, reachFrom } from "../index/bridge-search.ts";
import type { TokenIndex } from "../index/token-index.ts";
import type { ListSnapshot } from "../token-directory.ts";
import { freshnessOf, missingLists, notFound } from "./freshness.ts";
import { unknownToken } from "./get-token.ts";
import { readPlace } from "./request-checks.ts";

const KINDS: Readonly<Record<Link["kind"], BridgeKind>> = {
  bridgeInfo: BridgeKind.BRIDGE_INFO,
  opTokenId: BridgeKind.OP_TOKEN_ID,
  l1Address: BridgeKind.L1_ADDRESS,
};

/** Throws a Failure: INVALID_ARGUMENT, NOT_FOUND or UPSTREAM_FAILED. */
export function getBridges(request: GetBridgesRequest, snapshot: ListSnapshot): MessageInitShape<typeof GetBridgesResponseSchema> {
  const { index } = snapshot;
  const place = readPlace(request, index);
  if (index.find(place) === undefined && !index.bridgeLinks.has(place)) {
    throw notFound(snapshot, unknownToken(place, snapshot));
  }
  const { places, hasMore } = reachFrom(place, index.bridgeLinks);
  const results = places.map((reached) => bridgedToken(reached, index));
  const { chainId, address } = place;
  return {
    chainId: BigInt(chainId),
    chain: chainName(chainId),
    address: shownAddress(address),
    id: `${chainName(chainId)}:${address}`,
    hasMore,
    results,
    freshness: freshnessOf(snapshot),
    missingLists: missingLists(snapshot),
  };
}

function bridgedToken({ place, hops, links }: ReachedPlace, index: TokenIndex): MessageInitShape<typeof BridgedTokenSchema> {
  const { chainId, address } = place;
  const token = index.find(place);
  const known = token === undefined ? {} : { name: token.name, symbol: token.symbol, decimals: token.decimals };
  return {
    chainId: BigInt(chainId),
    chain: chainName(chainId),
    address: shownAddress(address),
    id: `${chainName(chainId)}:${address}`,
    ...known,
    hops,
    links: links.map((link) => bridgeLink(link, index)),
  };
}

function bridgeLink(
  { listIndex, kind, via, bridge, viaBridge }: Link,
  { lists }: TokenIndex,
): MessageInitShape<typeof BridgeLinkSchema> {
  return {
    list: lists[listIndex]?.name ?? "",
    kind: KINDS[kind],
    viaChainId: BigInt(via.chainId),
    viaAddress: shownAddress(via.address),
    ...(bridge === undefined ? {} : { bridgeAddress: shownAddress(bridge) }),
    ...(viaBridge === undefined ? {} : { viaBridgeAddress: shownAddress(viaBridge) }),
  };
}
