// The tokens of the coins stand-in: real identifiers of what is traded in the sandbox's market, all tokens of the sandbox's lists,
// and one token for each quirk of the real source.
import { sourceNameOf } from "../../../services/tokenprice/source/chains.ts";
import { type Asset, inventedAsset, knownAsset, numberOf, steadyAsset } from "../market/assets.ts";
import { type SandboxRow, sandboxTokens } from "../tokenlist/lists.ts";

export interface SandboxToken {
  /** As stored: EVM addresses and slugs in lower case. */
  readonly id: string;
  readonly symbol: string;
  /** Undefined if the source does not say. */
  readonly decimals?: number;
  /** The asset that gives its price. */
  readonly asset: Asset;
  /** Default 0.99; null if the source does not say. */
  readonly confidence?: number | null;
  /** Whether its price is written as a string. */
  readonly priceAsString?: true;
  /** The time of the last record, in Unix seconds. */
  readonly endsSeconds?: number;
}

type Row = readonly [address: string, symbol: string, decimals: number];

const NATIVE_TOKEN = "0x0000000000000000000000000000000000000000";
const OPTIMISM_WETH = "0x4200000000000000000000000000000000000006";

const ROWS_BY_CHAIN: Readonly<Record<string, readonly Row[]>> = {
  ethereum: [
    [NATIVE_TOKEN, "ETH", 18],
    ["0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2", "WETH", 18],
    ["0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48", "USDC", 6],
    ["0xdac17f958d2ee523a2206206994597c13d831ec7", "USDT", 6],
    ["0x6b175474e89094c44da98b954eedeac495271d0f", "DAI", 18],
    ["0x2260fac5e5542a773aa44fbcfedf7c193bc2c599", "WBTC", 8],
    ["0x1f9840a85d5af5bf1d1762f925bdaddc4201f984", "UNI", 18],
    ["0x514910771af9ca656af840dff83e8264ecf986ca", "LINK", 18],
    ["0x7fc66500c84a76ad7e9c93437bfc5ac33e2ddae9", "AAVE", 18],
    ["0x0f5d2fb29fb7d3cfee444a200298f468908cc942", "MANA", 18],
  ],
  bsc: [
    [NATIVE_TOKEN, "BNB", 18],
    ["0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c", "WBNB", 18],
    ["0x55d398326f99059ff775485246999027b3197955", "USDT", 18],
    ["0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d", "USDC", 18],
    ["0x0e09fabb73bd3ade0a17ecc321fd13a19e81ce82", "Cake", 18],
  ],
  polygon: [
    [NATIVE_TOKEN, "POL", 18],
    ["0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270", "WPOL", 18],
    ["0x3c499c542cef5e3811e1192ce70d8cc03d5c3359", "USDC", 6],
    ["0xc2132d05d31c914a87c6611c10748aeb04b58e8f", "USDT", 6],
    ["0x7ceb23fd6bc0add59e62ac25578270cff1b9f619", "WETH", 18],
  ],
  arbitrum: [
    [NATIVE_TOKEN, "ETH", 18],
    ["0x82af49447d8a07e3bd95bd0d56f35241523fbab1", "WETH", 18],
    ["0xaf88d065e77c8cc2239327c5edb3a432268e5831", "USDC", 6],
    ["0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9", "USDT", 6],
    ["0x912ce59144191c1204e64559fe8253a0e49e6548", "ARB", 18],
  ],
  optimism: [
    [NATIVE_TOKEN, "ETH", 18],
    [OPTIMISM_WETH, "WETH", 18],
    ["0x0b2c639c533813f4aa9d7837caf62653d097ff85", "USDC", 6],
    ["0x4200000000000000000000000000000000000042", "OP", 18],
  ],
  base: [
    [NATIVE_TOKEN, "ETH", 18],
    [OPTIMISM_WETH, "WETH", 18],
    ["0x833589fcd6edb6e08f4c7c32d4f71b54bda02913", "USDC", 6],
  ],
  avax: [
    [NATIVE_TOKEN, "AVAX", 18],
    ["0xb31f66aa3c1e785363f0875a1b74e27b85fd66c7", "WAVAX", 18],
    ["0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e", "USDC", 6],
  ],
  arbitrum_nova: [["0x722e8bdd2ce80a4422e880164f2079488e115365", "WETH", 18]],
  polygon_zkevm: [["0x4f9a0e7fd2bf6067db6994cf12e4495df938e6e9", "WETH", 18]],
  xdai: [["0xe91d153e0b41518a2ce8dd3d7944fa863463a97d", "WXDAI", 18]],
  solana: [
    ["So11111111111111111111111111111111111111112", "SOL", 9],
    ["EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", "USDC", 6],
    ["DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263", "Bonk", 5],
  ],
  sui: [
    ["0x2::sui::SUI", "SUI", 9],
    ["0x06864a6f921804860930db6ddbe2e16acdf8504495ea7481637a1c8b9a8fe54b::cetus::CETUS", "CETUS", 9],
  ],
  starknet: [["0x049d36570d4e46f48e99674bd3fcc84644ddd6b96f7c741b1562b82f9e004dc7", "ETH", 18]],
};

const SLUGS: Readonly<Record<string, string>> = {
  bitcoin: "BTC",
  ethereum: "ETH",
  solana: "SOL",
  binancecoin: "BNB",
  tether: "USDT",
  "usd-coin": "USDC",
  dogecoin: "DOGE",
  "boringdao-[old]": "BOR",
  "academy token": "ACAD",
};

const QUIRKY_TOKENS: readonly SandboxToken[] = [
  // An abandoned stablecoin: traded so little that its price has low confidence.
  {
    id: "ethereum:0x89d24a6b4ccb1b6faa2625fe562bdd9a23260359",
    symbol: "SAI",
    decimals: 18,
    asset: steadyAsset("SAI", "2018-01-01", 12.9, 0.5),
    confidence: 0.51,
  },
  // A tokenised share whose price the source writes as a string.
  {
    id: "ethereum:0xfedc5f4a6c38211c1338aa411018dfaf26612c08",
    symbol: "SPYon",
    decimals: 18,
    asset: steadyAsset("SPYon", "2025-09-01", 680, 0.3),
    priceAsString: true,
  },
  // A token that is no longer traded, and one without a confidence.
  {
    id: "ethereum:0x00000000000000000000000000000000000dead1",
    symbol: "GONE",
    decimals: 18,
    asset: steadyAsset("GONE", "2020-01-01", 0.01, 3),
    endsSeconds: Date.UTC(2025, 5, 1) / 1000,
  },
  {
    id: "ethereum:0x00000000000000000000000000000000000dead2",
    symbol: "",
    asset: steadyAsset("nameless", "2020-01-01", 0.5, 3),
    confidence: null,
  },
];

/** The asset of a token with this symbol; `id` identifies unknown ones. */
const assetOf = (symbol: string, id: string, seed: number): Asset => knownAsset(symbol) ?? inventedAsset(id, seed);

/** The tokens that a person tries first, by identifier. */
export const CATALOGUE: ReadonlyMap<string, SandboxToken> = new Map(
  [
    ...Object.entries(ROWS_BY_CHAIN).flatMap(([chain, rows]) =>
      rows.map(([address, symbol, decimals]): SandboxToken => {
        const id = `${chain}:${address}`;
        return { id, symbol, decimals, asset: assetOf(symbol, id, 0) };
      }),
    ),
    ...Object.entries(SLUGS).map(([slug, symbol]): SandboxToken => {
      const id = `coingecko:${slug}`;
      return { id, symbol, asset: assetOf(symbol, id, 0) };
    }),
    ...QUIRKY_TOKENS,
  ].map((token) => [token.id, token]),
);

/** One in this many listed tokens has a price of low confidence. */
const LOW_CONFIDENCE_ONE_IN = 25;

/**
 * The tokens of the sandbox's token lists. There are thousands, so the lists are read at the first lookup, and each lookup creates its
 * token.
 */
export function createListedTokens(seed: number): (id: string) => SandboxToken | undefined {
  let listed: Map<string, SandboxRow> | undefined;
  return (id) => {
    listed ??= new Map(
      sandboxTokens(seed)
        .toReversed()
        .map((row) => [idOf(row), row]),
    );
    const row = listed.get(id);
    if (row === undefined) {
      return undefined;
    }
    const { symbol, decimals } = row;
    const hasLowConfidence = numberOf(id, seed) % LOW_CONFIDENCE_ONE_IN === 0;
    return { id, symbol, decimals, asset: assetOf(symbol, id, seed), ...(hasLowConfidence && { confidence: 0.4 }) };
  };
}

const idOf = ({ chainId, address }: SandboxRow): string =>
  `${sourceNameOf(String(chainId))}:${address.startsWith("0x") ? address.toLowerCase() : address}`;
