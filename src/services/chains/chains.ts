// Finds chains by id and by name. An id is a number from 1 to 4294967295: all chains of the lists, and all but a handful of those
// that exist, fit; an entry with a larger one is left out of its list.
import { nearestName } from "../../runtime/nearest-name.ts";
import type { Chain } from "./chain.ts";
import { MAIN_NETWORKS } from "./main-networks.ts";
import { TEST_NETWORKS } from "./test-networks.ts";

/** The largest chain id. */
export const CHAIN_ID_MAX = 0xffff_ffff;

/** Every chain that has a name here: main networks first, each part by id. */
export const CHAINS: readonly Chain[] = [...MAIN_NETWORKS, ...TEST_NETWORKS];

const CHAINS_BY_ID = new Map<number, Chain>(CHAINS.map((chain) => [chain.id, chain]));
const CHAINS_BY_NAME = new Map<string, Chain>(
  CHAINS.flatMap((chain) => [chain.name, ...(chain.aliases ?? [])].map((name): [string, Chain] => [name, chain])),
);

/** The chain with this id, where it has a name here. */
export const chainById = (chainId: number): Chain | undefined => CHAINS_BY_ID.get(chainId);

/** The chain's name; its id in digits where it has none here. */
export const chainName = (chainId: number): string => CHAINS_BY_ID.get(chainId)?.name ?? String(chainId);

/** Whether the chain has a name here. */
export const isNamedChain = (chainId: number): boolean => CHAINS_BY_ID.has(chainId);

/** The chain that it settles to, where that is known. */
export const parentOf = (chainId: number): number | undefined => CHAINS_BY_ID.get(chainId)?.parentId;

/** What a chain is for. A chain that no table knows may be either. */
export type NetworkKind = "main" | "unknown" | "test";

/** Whether tokens of the chain have worth. */
export function networkKindOf(chainId: number): NetworkKind {
  const chain = CHAINS_BY_ID.get(chainId);
  if (chain === undefined) {
    return "unknown";
  }
  return chain.testNetwork === undefined ? "main" : "test";
}

/**
 * The network that it belongs to: one for all main networks, one for each test network with its layers. A chain that no table knows
 * may be a layer of any, and is taken for a network of its own.
 */
export function networkOf(chainId: number): string {
  const kind = networkKindOf(chainId);
  return kind === "main" ? kind : `${kind} ${CHAINS_BY_ID.get(chainId)?.testNetwork ?? chainId}`;
}

/**
 * Whether a token of one chain can never be the same as a token of the other: both chains are known, and they are on different networks.
 * A token of a test network is never a token of a main network, nor of another test network.
 */
export const areApart = (oneId: number, otherId: number): boolean =>
  isNamedChain(oneId) && isNamedChain(otherId) && networkOf(oneId) !== networkOf(otherId);

/**
 * The id that a text stands for: digits, or a name in any case, with blanks and underscores read as hyphens. Undefined for neither.
 */
export function chainIdOf(text: string): number | undefined {
  const trimmed = text.trim();
  if (/^\d{1,10}$/.test(trimmed)) {
    const id = Number(trimmed);
    return id >= 1 && id <= CHAIN_ID_MAX ? id : undefined;
  }
  return CHAINS_BY_NAME.get(trimmed.toLowerCase().replaceAll(/[ _]+/g, "-"))?.id;
}

/** The name that a misspelt one was meant to be, where one is near. */
export const nearestChainName = (text: string): string | undefined => nearestName(text, CHAINS_BY_NAME.keys());
