// Well-known tokens with their real addresses, by chain: those that people try first. Each address is from the token's issuer or
// from the chain's explorer.

export interface KnownToken {
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
export const SOLANA_TOKEN = {
  chainId: 501_000_101,
  address: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
  name: "USD Coin",
  symbol: "USDC",
  decimals: 6,
};
