// The tokens that the coins stand-in knows: real identifiers with a price of the right order, and one of each oddity of the real
// source.

/** One token of the sandbox. */
export interface SandboxToken {
  /** As it is stored: EVM addresses and slugs in lower case. */
  readonly id: string;
  readonly symbol: string;
  /** Undefined where the source does not say. */
  readonly decimals?: number;
  /** US dollars, around which the price moves. */
  readonly price: number;
  /** How far it moves: 0.3 is about 30 % up and down. */
  readonly movement: number;
  /** 0.99 where it is not given; null where the source does not say. */
  readonly confidence?: number | null;
  /** Its price is written as a string. */
  readonly priceAsString?: true;
  /** Nothing was recorded after this, in Unix seconds. */
  readonly endsSeconds?: number;
}

type Row = readonly [address: string, symbol: string, decimals: number, price: number];

const STABLE = 0.001;
const MOVING = 0.3;

const NATIVE_TOKEN = "0x0000000000000000000000000000000000000000";
const OPTIMISM_WETH = "0x4200000000000000000000000000000000000006";

const ON_CHAINS: Readonly<Record<string, readonly Row[]>> = {
  ethereum: [
    [NATIVE_TOKEN, "ETH", 18, 3100],
    ["0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2", "WETH", 18, 3100],
    ["0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48", "USDC", 6, 1],
    ["0xdac17f958d2ee523a2206206994597c13d831ec7", "USDT", 6, 1],
    ["0x6b175474e89094c44da98b954eedeac495271d0f", "DAI", 18, 1],
    ["0x2260fac5e5542a773aa44fbcfedf7c193bc2c599", "WBTC", 8, 95_000],
    ["0x1f9840a85d5af5bf1d1762f925bdaddc4201f984", "UNI", 18, 8],
    ["0x514910771af9ca656af840dff83e8264ecf986ca", "LINK", 18, 15],
    ["0x7fc66500c84a76ad7e9c93437bfc5ac33e2ddae9", "AAVE", 18, 180],
    ["0x0f5d2fb29fb7d3cfee444a200298f468908cc942", "MANA", 18, 0.3],
  ],
  bsc: [
    [NATIVE_TOKEN, "BNB", 18, 620],
    ["0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c", "WBNB", 18, 620],
    ["0x55d398326f99059ff775485246999027b3197955", "USDT", 18, 1],
    ["0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d", "USDC", 18, 1],
    ["0x0e09fabb73bd3ade0a17ecc321fd13a19e81ce82", "Cake", 18, 2],
  ],
  polygon: [
    [NATIVE_TOKEN, "POL", 18, 0.4],
    ["0x0d500b1d8e8ef31e21c99d1db9a6444d3adf1270", "WPOL", 18, 0.4],
    ["0x3c499c542cef5e3811e1192ce70d8cc03d5c3359", "USDC", 6, 1],
    ["0xc2132d05d31c914a87c6611c10748aeb04b58e8f", "USDT", 6, 1],
    ["0x7ceb23fd6bc0add59e62ac25578270cff1b9f619", "WETH", 18, 3100],
  ],
  arbitrum: [
    [NATIVE_TOKEN, "ETH", 18, 3100],
    ["0x82af49447d8a07e3bd95bd0d56f35241523fbab1", "WETH", 18, 3100],
    ["0xaf88d065e77c8cc2239327c5edb3a432268e5831", "USDC", 6, 1],
    ["0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9", "USDT", 6, 1],
    ["0x912ce59144191c1204e64559fe8253a0e49e6548", "ARB", 18, 0.5],
  ],
  optimism: [
    [NATIVE_TOKEN, "ETH", 18, 3100],
    [OPTIMISM_WETH, "WETH", 18, 3100],
    ["0x0b2c639c533813f4aa9d7837caf62653d097ff85", "USDC", 6, 1],
    ["0x4200000000000000000000000000000000000042", "OP", 18, 0.7],
  ],
  base: [
    [NATIVE_TOKEN, "ETH", 18, 3100],
    [OPTIMISM_WETH, "WETH", 18, 3100],
    ["0x833589fcd6edb6e08f4c7c32d4f71b54bda02913", "USDC", 6, 1],
  ],
  avax: [
    [NATIVE_TOKEN, "AVAX", 18, 25],
    ["0xb31f66aa3c1e785363f0875a1b74e27b85fd66c7", "WAVAX", 18, 25],
    ["0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e", "USDC", 6, 1],
  ],
  arbitrum_nova: [["0x722e8bdd2ce80a4422e880164f2079488e115365", "WETH", 18, 3100]],
  polygon_zkevm: [["0x4f9a0e7fd2bf6067db6994cf12e4495df938e6e9", "WETH", 18, 3100]],
  xdai: [["0xe91d153e0b41518a2ce8dd3d7944fa863463a97d", "WXDAI", 18, 1]],
  solana: [
    ["So11111111111111111111111111111111111111112", "SOL", 9, 170],
    ["EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v", "USDC", 6, 1],
    ["DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263", "Bonk", 5, 0.00002],
  ],
  sui: [["0x2::sui::SUI", "SUI", 9, 2]],
};

const SLUGS: readonly (readonly [slug: string, symbol: string, price: number])[] = [
  ["bitcoin", "BTC", 95_000],
  ["ethereum", "ETH", 3100],
  ["solana", "SOL", 170],
  ["binancecoin", "BNB", 620],
  ["tether", "USDT", 1],
  ["usd-coin", "USDC", 1],
  ["dogecoin", "DOGE", 0.2],
];

const ODDITIES: readonly SandboxToken[] = [
  // A stablecoin that was left behind: traded so thinly that its price is hardly believed.
  {
    id: "ethereum:0x89d24a6b4ccb1b6faa2625fe562bdd9a23260359",
    symbol: "SAI",
    decimals: 18,
    price: 12.9,
    movement: 0.05,
    confidence: 0.51,
  },
  // A tokenised share, whose price the source wrote as a string.
  {
    id: "ethereum:0xfedc5f4a6c38211c1338aa411018dfaf26612c08",
    symbol: "SPYon",
    decimals: 18,
    price: 680,
    movement: 0.05,
    priceAsString: true,
  },
  // A token that nobody trades any more, and one of which the source does not say how sure it is.
  {
    id: "ethereum:0x00000000000000000000000000000000000dead1",
    symbol: "GONE",
    decimals: 18,
    price: 0.01,
    movement: MOVING,
    endsSeconds: Date.UTC(2025, 5, 1) / 1000,
  },
  { id: "ethereum:0x00000000000000000000000000000000000dead2", symbol: "", price: 0.5, movement: MOVING, confidence: null },
];

const movementOf = (price: number): number => (price === 1 ? STABLE : MOVING);

/** Identifier → token. */
export const CATALOGUE: ReadonlyMap<string, SandboxToken> = new Map(
  [
    ...Object.entries(ON_CHAINS).flatMap(([chain, rows]) =>
      rows.map(([address, symbol, decimals, price]) => ({
        id: `${chain}:${address}`,
        symbol,
        decimals,
        price,
        movement: movementOf(price),
      })),
    ),
    ...SLUGS.map(([slug, symbol, price]) => ({ id: `coingecko:${slug}`, symbol, price, movement: movementOf(price) })),
    ...ODDITIES,
  ].map((token) => [token.id, token]),
);
