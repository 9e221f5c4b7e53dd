// Finds chains by id and by name. An id is a number from 1 to 4294967295: all chains of the lists, and all but a handful of those that
// exist, fit; an entry with a larger one is left out of its list.
import { nearestName } from "../../nearest-name.ts";
import { isBase58Address, isEvmAddress } from "./address.ts";
import { type Chain, chainTable, solanaId } from "./chain-table.ts";

/** The largest chain id. */
export const chainIdMax = 0xffff_ffff;

const byId = new Map<number, Chain>(chainTable.map((chain) => [chain.id, chain]));
const idsByName = new Map<string, number>(
  chainTable.flatMap(({ id, name, aliases = [] }) => [name, ...aliases].map((each): [string, number] => [each, id])),
);

/** The chain's name; its id in digits where it has none here. */
export const chainName = (chainId: number): string => byId.get(chainId)?.name ?? String(chainId);

/** Whether the chain has a name here. */
export const isNamedChain = (chainId: number): boolean => byId.has(chainId);

/**
 * Whether tokens of the chain can have such an address: base58 on Solana, hexadecimal on the other chains that have a name here, either of
 * them elsewhere.
 */
export function isAddressOn(chainId: number, address: string): boolean {
  if (chainId === solanaId) {
    return isBase58Address(address);
  }
  return isEvmAddress(address) || (!isNamedChain(chainId) && isBase58Address(address));
}

/** The chain that it settles to, where that is known. */
export const parentOf = (chainId: number): number | undefined => byId.get(chainId)?.parentId;

/** The test network that it belongs to, by the id of its first layer; 0 for chains where tokens have worth. */
export const testNetworkOf = (chainId: number): number => byId.get(chainId)?.testNetwork ?? 0;

/** The id that a text stands for: digits, or a name in any case, with blanks and underscores read as hyphens. Undefined for neither. */
export function chainIdOf(text: string): number | undefined {
  const trimmed = text.trim();
  if (/^\d{1,10}$/.test(trimmed)) {
    const id = Number(trimmed);
    return id >= 1 && id <= chainIdMax ? id : undefined;
  }
  return idsByName.get(trimmed.toLowerCase().replaceAll(/[ _]+/g, "-"));
}

/** The name that a misspelt one was meant to be, where one is near. */
export const nearestChainName = (text: string): string | undefined => nearestName(text, idsByName.keys());
