// The five lists of the sandbox: the known tokens as in their real counterparts, thousands of invented ones, and the errors of
// real lists: rows that break the schema, decimals that differ, addresses in any case. The same at every start. Pure.
import { seeded } from "../seeded.ts";

// Well-known tokens with their real addresses, by chain: those that people try first. Each address is from the token's issuer or
// from the chain's explorer.
interface KnownToken {
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  /** Chain id → address. */
  readonly addresses: Readonly<Record<number, string>>;
}

export const KNOWN_TOKENS: readonly KnownToken[] = [
  {
    name: "USD Coin",
    symbol: "USDC",
    decimals: 6,
    addresses: {
      1: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48",
      10: "0x0b2C639c533813f4Aa9D7837CAf62653d097Ff85",
      137: "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359",
      8453: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
      42161: "0xaf88d065e77c8cC2239327C5EDb3A432268e5831",
    },
  },
  {
    name: "Wrapped Ether",
    symbol: "WETH",
    decimals: 18,
    addresses: {
      1: "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2",
      10: "0x4200000000000000000000000000000000000006",
      8453: "0x4200000000000000000000000000000000000006",
      42161: "0x82aF49447D8a07e3bd95BD0d56f35241523fBab1",
    },
  },
  {
    name: "Tether USD",
    symbol: "USDT",
    decimals: 6,
    addresses: {
      1: "0xdAC17F958D2ee523a2206206994597C13D831ec7",
      137: "0xc2132D05D31c914a87C6611C10748AEb04B58e8F",
      42161: "0xFd086bC7CD5C481DCC9C85ebE478A1C0b69FCbb9",
    },
  },
  {
    name: "Dai Stablecoin",
    symbol: "DAI",
    decimals: 18,
    addresses: {
      1: "0x6B175474E89094C44Da98b954EedeAC495271d0F",
      10: "0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1",
      42161: "0xDA10009cBd5D07dd0CeCc66161FC93D7c9000da1",
    },
  },
  { name: "Wrapped BTC", symbol: "WBTC", decimals: 8, addresses: { 1: "0x2260FAC5E5542a773Aa44fBCfeDf7C193bc2C599" } },
  { name: "Uniswap", symbol: "UNI", decimals: 18, addresses: { 1: "0x1f9840a85d5aF5bf1D1762F925BDADdC4201F984" } },
  { name: "ChainLink Token", symbol: "LINK", decimals: 18, addresses: { 1: "0x514910771AF9Ca656af840dff83E8264EcF986CA" } },
  { name: "Aave Token", symbol: "AAVE", decimals: 18, addresses: { 1: "0x7Fc66500c84A76Ad7e9c93437bFc5Ac33E2DDaE9" } },
];

/**
 * USDC as bridges issued it, under other names, before its own issuer was on these chains: chain id → address.
 */
export const BRIDGED_USDC: KnownToken = {
  name: "Bridged USDC",
  symbol: "USDC.e",
  decimals: 6,
  addresses: {
    10: "0x7F5c764cBc14f9669B88837ca1490cCa17c31607",
    8453: "0xd9aAEc86B65D86f6A7B5B1b0c42FFA531710b6CA",
  },
};

/** A token on Solana, whose addresses are base58. */
const SOLANA_TOKEN = {
  chainId: 501_000_101,
  address: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
  name: "USD Coin",
  symbol: "USDC",
  decimals: 6,
};

/** A list as in its publisher's JSON. */
export interface SandboxDocument {
  readonly name: string;
  readonly timestamp: string;
  readonly version: { readonly major: number; readonly minor: number; readonly patch: number };
  readonly tokens: readonly unknown[];
}

export interface SandboxList {
  /** The service's name for it. */
  readonly key: string;
  readonly document: SandboxDocument;
}

/** A valid row of a list. */
export interface SandboxRow {
  readonly chainId: number;
  readonly address: string;
  readonly name: string;
  readonly symbol: string;
  readonly decimals: number;
  readonly logoURI?: string;
  readonly extensions?: object;
}

/** The origin of the lists' logos, which the stand-in replaces with its own. */
export const LOGO_ORIGIN = "https://logos.example.org";

const ETHEREUM = 1;
const ARBITRUM = 42_161;
const OP_CHAINS = [1, 10, 8453];
// Parts of invented names; each combination is one token.
const ADJECTIVES = "Amber Brave Crystal Dapper Electric Frozen Golden Hidden Ivory Jade Lunar Mellow".split(" ");
const NOUNS = "Badger Comet Dolphin Ember Falcon Glacier Harbor Island Jungle Kraken Lantern Meadow".split(" ");
const SUFFIXES = ["", " Token", " Coin", " Finance", " Protocol", " DAO", " Network", " Gold"];

const hex = (draw: () => number): string => Array.from({ length: 40 }, () => Math.floor(draw() * 16).toString(16)).join("");

function inventedRows(draw: () => number, chainIds: readonly number[], count: number): SandboxRow[] {
  return Array.from({ length: count }, (_, index) => {
    const adjective = ADJECTIVES[Math.floor(draw() * ADJECTIVES.length)] ?? "";
    const noun = NOUNS[Math.floor(draw() * NOUNS.length)] ?? "";
    const suffix = SUFFIXES[Math.floor(draw() * SUFFIXES.length)] ?? "";
    const chainId = chainIds[Math.floor(draw() * chainIds.length)] ?? ETHEREUM;
    const address = hex(draw);
    const symbol = `${adjective.slice(0, 2)}${noun.slice(0, 3)}${index}`.toUpperCase();
    return {
      chainId,
      // As in the real lists, some are in capitals and most have no checksum.
      address: `0x${draw() < 0.1 ? address.toUpperCase() : address}`,
      name: `${adjective} ${noun}${suffix} ${index}`,
      symbol,
      decimals: draw() < 0.9 ? 18 : 6,
      ...(draw() < 0.8 && {
        logoURI: draw() < 0.1 ? `ipfs://Qm${address.slice(0, 20)}` : `${LOGO_ORIGIN}/logos/${symbol.toLowerCase()}.svg`,
      }),
    };
  });
}

const rowOf = (
  { name, symbol, decimals }: KnownToken,
  chainId: number,
  address: string,
  more: Partial<SandboxRow> = {},
): SandboxRow => ({
  chainId,
  address,
  name,
  symbol,
  decimals,
  logoURI: `${LOGO_ORIGIN}/logos/${symbol.toLowerCase()}.svg`,
  ...more,
});

const chainsOf = ({ addresses }: KnownToken): [number, string][] =>
  Object.entries(addresses).map(([id, address]) => [Number(id), address]);

// Each row says where the token is on the other chains, as in Uniswap's list.
function uniswapRows(): SandboxRow[] {
  return KNOWN_TOKENS.flatMap((token) =>
    chainsOf(token).map(([chainId, address]) => {
      const others = chainsOf(token).filter(([other]) => other !== chainId);
      const bridgeInfo = Object.fromEntries(others.map(([id, tokenAddress]) => [String(id), { tokenAddress }]));
      return rowOf(token, chainId, address, others.length === 0 ? {} : { extensions: { bridgeInfo } });
    }),
  );
}

// A group name on every row, as in the Superchain's list. Also as in that list, USDC on Ethereum appears twice: once in the group of its
// bridged forms, once in that of the native tokens.
function superchainRows(): SandboxRow[] {
  const groupOf = (token: KnownToken, opTokenId: string): SandboxRow[] =>
    chainsOf(token)
      .filter(([chainId]) => OP_CHAINS.includes(chainId))
      .map(([chainId, address]) => rowOf(token, chainId, address.toLowerCase(), { extensions: { opTokenId } }));
  const usdcOnEthereum = KNOWN_TOKENS.filter(({ symbol }) => symbol === "USDC")
    .flatMap((token) => groupOf(token, "BridgedUSDC"))
    .filter(({ chainId }) => chainId === ETHEREUM);
  return [
    ...usdcOnEthereum,
    ...groupOf(BRIDGED_USDC, "BridgedUSDC"),
    ...KNOWN_TOKENS.flatMap((token) => groupOf(token, token.symbol)),
  ];
}

// The address on the first layer, and the gateways of both sides, as in Arbitrum's list.
function arbitrumRows(): SandboxRow[] {
  return KNOWN_TOKENS.flatMap((token) => {
    const l1Address = token.addresses[ETHEREUM];
    const address = token.addresses[ARBITRUM];
    if (l1Address === undefined || address === undefined) {
      return [];
    }
    const gateways = {
      l1GatewayAddress: "0xa3A7B6F88361F48403514059F1F16C8E78d60EeC",
      l2GatewayAddress: "0x09e9222E96E7B4AE2a407B98d48e330053351EEe",
    };
    return [rowOf(token, ARBITRUM, address, { extensions: { l1Address, ...gateways } })];
  });
}

const mainnetRows = (change: (token: KnownToken) => Partial<SandboxRow> = () => ({})): SandboxRow[] =>
  KNOWN_TOKENS.map((token) => rowOf(token, ETHEREUM, (token.addresses[ETHEREUM] ?? "").toLowerCase(), change(token)));

// Rows that every reader should refuse.
const BAD_ROWS: readonly object[] = [
  { chainId: "1", address: "0x1111111111111111111111111111111111111111", name: "Chain as text", symbol: "BAD1", decimals: 18 },
  { chainId: 1, address: "0x1234", name: "Short address", symbol: "BAD2", decimals: 18 },
  { chainId: 1, address: "0x2222222222222222222222222222222222222222", name: "Decimals", symbol: "BAD3", decimals: 256 },
  {
    chainId: 1,
    address: "0x3333333333333333333333333333333333333333",
    name: "Long",
    symbol: "A".repeat(65),
    decimals: 18,
  },
  {
    chainId: 1,
    address: "0x4444444444444444444444444444444444444444",
    name: "Two\nlines",
    symbol: "BAD5",
    decimals: 18,
  },
];

export function sandboxLists(seed: number): readonly SandboxList[] {
  const draw = seeded(seed);
  const common = inventedRows(draw, [1, 10, 8453], 800);
  const list = (key: string, name: string, rows: readonly object[]): SandboxList => ({
    key,
    document: { name, timestamp: "2026-11-01T00:00:00.000Z", version: { major: 1, minor: rows.length, patch: 0 }, tokens: rows },
  });
  return [
    list("uniswap", "Sandbox Uniswap Default", [
      ...uniswapRows(),
      SOLANA_TOKEN,
      ...common,
      ...inventedRows(draw, [1, 10, 56, 137, 8453, 42_161], 4000),
    ]),
    list("superchain", "Sandbox Superchain", [
      ...superchainRows(),
      ...common.slice(0, 400),
      ...inventedRows(draw, [10, 130, 8453], 2000),
    ]),
    list("arbitrum", "Sandbox Arbitrum Whitelist", [...arbitrumRows(), ...inventedRows(draw, [ARBITRUM], 1500)]),
    list("cow", "Sandbox CoW Swap", [
      // This list gives one token the wrong decimals.
      ...mainnetRows(({ symbol }) => (symbol === "LINK" ? { decimals: 8 } : {})),
      ...common.slice(200, 600),
      ...inventedRows(draw, [1, 100], 1200),
    ]),
    list("aave", "Sandbox Aave", [
      ...mainnetRows(({ symbol, name }) => (symbol === "UNI" ? { name: `${name} Protocol` } : {})),
      ...BAD_ROWS,
      ...inventedRows(draw, [1, 137, 43_114], 1500),
    ]),
  ];
}

/** The valid rows of all lists; a token on several lists appears several times. */
export const sandboxTokens = (seed: number): readonly SandboxRow[] =>
  sandboxLists(seed)
    .flatMap(({ document }) => document.tokens)
    .filter((row): row is SandboxRow => !BAD_ROWS.includes(row as object));
