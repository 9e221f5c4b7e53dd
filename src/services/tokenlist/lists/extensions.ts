// Reads the bridges in the `extensions` of an entry.
import { isJsonObject, type JsonObject } from "../../../runtime/json-object.ts";
import { isAddressOn, isBase58Address, isEvmAddress, plainAddress } from "../../chains/addresses.ts";
import { CHAIN_ID_MAX, ownChainId, parentOf } from "../../chains/chains.ts";

/** An entry's link to the same token on another chain. */
export interface BridgeFact {
  readonly kind: "bridgeInfo" | "l1Address";
  readonly chainId: number;
  /** In the form of `plainAddress`. */
  readonly address: string;
  /** The bridge's contract on the entry's own chain, in the form of `plainAddress`. */
  readonly originBridge?: string;
  /** The bridge's contract on the other chain, in the form of `plainAddress`. */
  readonly destBridge?: string;
}

// Schemas allow fewer.
const BRIDGES_MAX = 50;
const GROUP_CHARACTERS_MAX = 64;

const addressOf = (value: unknown): string | undefined =>
  typeof value === "string" && (isEvmAddress(value) || isBase58Address(value)) ? plainAddress(value) : undefined;

function bridgesOf(
  originBridge: string | undefined,
  destBridge: string | undefined,
): Pick<BridgeFact, "originBridge" | "destBridge"> {
  return { ...(originBridge === undefined ? {} : { originBridge }), ...(destBridge === undefined ? {} : { destBridge }) };
}

function bridgeInfoFacts(bridgeInfo: unknown): BridgeFact[] {
  const facts: BridgeFact[] = [];
  for (const [id, info] of Object.entries(isJsonObject(bridgeInfo) ? bridgeInfo : {}).slice(0, BRIDGES_MAX)) {
    const chainId = /^[1-9]\d{0,15}$/.test(id) ? ownChainId(Number(id)) : 0;
    const address = isJsonObject(info) ? addressOf(info.tokenAddress) : undefined;
    if (isJsonObject(info) && address !== undefined && chainId >= 1 && chainId <= CHAIN_ID_MAX && isAddressOn(chainId, address)) {
      const bridges = bridgesOf(addressOf(info.originBridgeAddress), addressOf(info.destBridgeAddress));
      facts.push({ kind: "bridgeInfo", chainId, address, ...bridges });
    }
  }
  return facts;
}

/** The bridges in extensions. Malformed ones are ignored. */
export function bridgeFacts(chainId: number, extensions: JsonObject): BridgeFact[] {
  const facts = bridgeInfoFacts(extensions.bridgeInfo);
  const parentId = parentOf(chainId);
  const l1Address = addressOf(extensions.l1Address);
  if (parentId !== undefined && l1Address !== undefined && isAddressOn(parentId, l1Address)) {
    const bridges = bridgesOf(addressOf(extensions.l2GatewayAddress), addressOf(extensions.l1GatewayAddress));
    facts.push({ kind: "l1Address", chainId: parentId, address: l1Address, ...bridges });
  }
  return facts.filter((fact) => fact.chainId !== chainId);
}

/** The group of tokens on several chains that the entry says it belongs to. */
export function bridgeGroup(extensions: JsonObject): string | undefined {
  const { opTokenId } = extensions;
  return typeof opTokenId === "string" && opTokenId.length <= GROUP_CHARACTERS_MAX ? opTokenId : undefined;
}
