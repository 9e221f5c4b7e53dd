// What is known of chains: other names for some, and which of them have EVM addresses. A chain that is not here is asked for as it is.

/** Names that people use → the price source's own. */
const sourceNames: ReadonlyMap<string, string> = new Map([
  ["avalanche", "avax"],
  ["binance", "bsc"],
  ["matic", "polygon"],
  ["gnosis", "xdai"],
  ["zksync", "era"],
  ["worldchain", "wc"],
]);

// Chains whose addresses are 0x and 40 hexadecimal digits without exception, by the price source's names.
const evmChains: ReadonlySet<string> = new Set([
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

/** The price source's name for a chain; `chain` is in lower case. */
export function sourceNameOf(chain: string): string {
  return sourceNames.get(chain) ?? chain;
}

/** How a chain, by the price source's name, writes its addresses. */
export function addressKindOf(chain: string): AddressKind {
  return evmChains.has(chain) ? "evm" : chain === "solana" ? "solana" : "other";
}
