// Finds chains by id and by name. An id is a number from 1 to 9007199254740991, the largest that every JSON reader keeps exactly.
// No known chain has a larger one.
import type { MessageInitShape } from "@bufbuild/protobuf";
import { nearestName } from "@quintet/transcoding";
import type { ChainSchema } from "../../../gen/quintet/common/v1/chain_pb.js";
import { isOneEditAway } from "../../runtime/one-edit.ts";
import type { Chain } from "./chain.ts";
import { MAIN_NETWORKS } from "./main-networks.ts";
import { TEST_NETWORKS } from "./test-networks.ts";

export const CHAIN_ID_MAX = Number.MAX_SAFE_INTEGER;

/** Every chain with a name: main networks first, then test networks, each sorted by id. */
export const CHAINS: readonly Chain[] = [...MAIN_NETWORKS, ...TEST_NETWORKS];

const CHAINS_BY_ID = new Map<number, Chain>(CHAINS.map((chain) => [chain.id, chain]));
const CHAINS_BY_NAME = new Map<string, Chain>(
  CHAINS.flatMap((chain) => [chain.name, ...(chain.aliases ?? [])].map((name): [string, Chain] => [name, chain])),
);

const OWN_IDS_BY_OTHER = new Map<number, number>(
  CHAINS.flatMap(({ id, otherIds = [] }) => otherIds.map((other) => [other, id] as const)),
);

/** The id that we use for a chain. A list may use another. */
export const ownChainId = (chainId: number): number => OWN_IDS_BY_OTHER.get(chainId) ?? chainId;

/** The chain with this id, if we have a name for it. */
export const chainById = (chainId: number): Chain | undefined => CHAINS_BY_ID.get(chainId);

/** Every chain with a name, as both token services list them. */
export const chainMessages = (): MessageInitShape<typeof ChainSchema>[] =>
  CHAINS.map(({ id, name, aliases = [], otherIds = [], testNetwork }) => ({
    name,
    chainId: BigInt(id),
    aliases: [...aliases],
    otherChainIds: otherIds.map(BigInt),
    testnet: testNetwork !== undefined,
  }));

/** The chain's name, or its id in digits if we have none. */
export const chainName = (chainId: number): string => CHAINS_BY_ID.get(chainId)?.name ?? String(chainId);

/** Whether we have a name for the chain. */
export const isNamedChain = (chainId: number): boolean => CHAINS_BY_ID.has(chainId);

/** The chain that it settles to, if known. */
export const parentOf = (chainId: number): number | undefined => CHAINS_BY_ID.get(chainId)?.parentId;

/** What a chain is for. An unknown chain may be either. */
export type NetworkKind = "main" | "unknown" | "test";

/** Whether tokens of the chain have value. */
export function networkKindOf(chainId: number): NetworkKind {
  const chain = CHAINS_BY_ID.get(chainId);
  if (chain === undefined) {
    return "unknown";
  }
  return chain.testNetwork === undefined ? "main" : "test";
}

/**
 * The network that a chain belongs to: one for all main networks, one for each test network with its layers. An unknown chain may
 * be a layer of any network, and counts as a separate network.
 */
export function networkOf(chainId: number): string {
  const kind = networkKindOf(chainId);
  return kind === "main" ? kind : `${kind} ${CHAINS_BY_ID.get(chainId)?.testNetwork ?? chainId}`;
}

/**
 * Whether a token of one chain can never be the same as a token of the other: both chains are known, and on different networks. A
 * token of a test network is never a token of a main network, nor of another test network.
 */
export const areOnDifferentNetworks = (oneId: number, otherId: number): boolean =>
  isNamedChain(oneId) && isNamedChain(otherId) && networkOf(oneId) !== networkOf(otherId);

/**
 * The chain id that a string means: digits, or a name in any case, with spaces and underscores read as hyphens. Undefined for anything
 * else.
 */
export function chainIdOf(text: string): number | undefined {
  const trimmed = text.trim();
  if (/^\d{1,16}$/.test(trimmed)) {
    const id = Number(trimmed);
    return id >= 1 && id <= CHAIN_ID_MAX ? ownChainId(id) : undefined;
  }
  return CHAINS_BY_NAME.get(trimmed.toLowerCase().replaceAll(/[ _]+/g, "-"))?.id;
}

/** The name that is closest to a misspelt one, if any is close. */
export const nearestChainName = (text: string): string | undefined => nearestName(text, CHAINS_BY_NAME.keys());

// A short name with one letter changed is often another name.
const MISTYPED_LETTERS_MIN = 5;

/** The chain whose name is one typing mistake away. */
export function mistypedChainId(text: string): number | undefined {
  if (text.length < MISTYPED_LETTERS_MIN) {
    return undefined;
  }
  for (const [name, { id }] of CHAINS_BY_NAME) {
    if (name.length >= MISTYPED_LETTERS_MIN && isOneEditAway(text, name)) {
      return id;
    }
  }
  return undefined;
}
