// The price source's names of chains, and how it writes their addresses. Requests may name a chain as token lists do, by a
// short name or by its id. An unknown chain is passed on unchanged.
import { chainById, chainIdOf, chainName } from "../../chains/chains.ts";

/**
 * The price source's names by chain id, where they are not the usual names with underscores instead of hyphens. Each is also one of the
 * chain's aliases, so that a token has the same id however it was given.
 */
export const SOURCE_NAMES: ReadonlyMap<number, string> = new Map([
  [30, "rsk"],
  [61, "ethereumclassic"],
  [66, "okexchain"],
  [88, "tomochain"],
  [100, "xdai"],
  [148, "shimmer_evm"],
  [204, "op_bnb"],
  [248, "oas"],
  [324, "era"],
  [369, "pulse"],
  [478, "formnetwork"],
  [480, "wc"],
  [888, "wan"],
  [999, "hyperliquid"],
  [1514, "sty"],
  [1890, "lightlink_phoenix"],
  [1923, "swellchain"],
  [3637, "btnx"],
  [5330, "sseed"],
  [7000, "zeta"],
  [7560, "cyeth"],
  [8217, "klaytn"],
  [8822, "iotaevm"],
  [13371, "imx"],
  [42793, "etlk"],
  [43114, "avax"],
  [55244, "spn"],
  [88888, "chz"],
  [98866, "plume_mainnet"],
  [200901, "btr"],
  [245022934, "neon_evm"],
]);

// Chains whose addresses are always 0x and 40 hexadecimal digits, by the price source's names.
const EVM_CHAINS: ReadonlySet<string> = new Set([
  "ethereum",
  "bsc",
  "polygon",
  "arbitrum",
  "arbitrum_nova",
  "optimism",
  "base",
  "avax",
  "xdai",
  "fantom",
  "era",
  "scroll",
  "mantle",
  "blast",
  "polygon_zkevm",
  "metis",
  "linea",
  "celo",
  "unichain",
  "sonic",
  "wc",
  "cronos",
  "moonbeam",
  "moonriver",
  "aurora",
  "manta",
  "mode",
  "zora",
  "taiko",
  "berachain",
]);

/** How a chain writes its addresses. */
export type AddressKind = "evm" | "solana" | "other";

/** The price source's name for a chain, given by a name in lower case or by its id in digits. */
export function sourceNameOf(chain: string): string {
  const id = chainIdOf(chain);
  const known = id === undefined ? undefined : chainById(id);
  return known === undefined ? chain : (SOURCE_NAMES.get(known.id) ?? known.name.replaceAll("-", "_"));
}

/** The token list service's name for a chain, given by the price source's name. */
export function listNameOf(sourceName: string): string {
  const id = chainIdOf(sourceName);
  return id === undefined ? sourceName : chainName(id);
}

/** How a chain, given by the price source's name, writes its addresses. */
export function addressKindOf(chain: string): AddressKind {
  return EVM_CHAINS.has(chain) ? "evm" : chain === "solana" ? "solana" : "other";
}

// On these chains an address is a number of up to 64 hexadecimal digits, written with or without leading zeros, and perhaps followed by a
// type as in `0x2::sui::SUI`. The source has some tokens in one form and some in the other.
const NUMBER_ADDRESS = /^((?:starknet|sui|aptos|move|movement|iota):0x)0*([0-9a-f]{1,64})((?:::.*)?)$/i;

/** A token's identifier, without leading zeros in an address that is a number. */
export const shortSpelling = (id: string): string =>
  id.replace(NUMBER_ADDRESS, (_, start: string, digits: string, type: string) => start + digits.toLowerCase() + type);

/** A token's identifier in all forms in which the source may have it. */
export function sourceSpellings(id: string): readonly string[] {
  const long = id.replace(
    NUMBER_ADDRESS,
    (_, start: string, digits: string, type: string) => start + digits.padStart(64, "0") + type,
  );
  return [...new Set([id, long])];
}
