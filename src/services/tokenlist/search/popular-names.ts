// Popular names of tokens that lists call by another name, and words in a query that add nothing to its meaning.
import { isOneEditAway } from "../../../runtime/one-edit.ts";

// A short name with one letter changed is often another name.
const POPULAR_LETTERS_MIN = 5;

/**
 * Popular names, in words, and the symbols of the tokens that they mean, best first: the first one on the chain in question is
 * meant. They come before tokens that have such a symbol or name by chance.
 */
export const POPULAR_NAMES: ReadonlyMap<string, readonly string[]> = new Map(
  [
    { names: ["bitcoin", "btc", "wrapped bitcoin", "wrapped btc"], symbols: ["wbtc", "cbbtc", "btcb", "btc b", "tbtc"] },
    { names: ["coinbase bitcoin", "coinbase btc"], symbols: ["cbbtc"] },
    { names: ["eth", "ether"], symbols: ["eth", "weth"] },
    { names: ["ethereum", "wrapped eth", "wrapped ethereum"], symbols: ["weth"] },
    { names: ["staked eth", "staked ether", "lido eth", "lido staked eth", "lido staked ether"], symbols: ["steth", "wsteth"] },
    { names: ["coinbase eth", "coinbase staked eth"], symbols: ["cbeth"] },
    { names: ["bnb", "binance coin"], symbols: ["bnb", "wbnb"] },
    { names: ["polygon"], symbols: ["pol", "wpol"] },
    { names: ["matic"], symbols: ["matic", "pol", "wpol", "wmatic"] },
    { names: ["avax", "avalanche"], symbols: ["avax", "wavax"] },
    { names: ["sol", "solana"], symbols: ["sol", "wsol"] },
    { names: ["gnosis"], symbols: ["gno"] },
    { names: ["xdai"], symbols: ["xdai", "wxdai"] },
    { names: ["usdt", "tether"], symbols: ["usdt", "usdt0", "usdt e"] },
    { names: ["circle", "circle usd"], symbols: ["usdc"] },
    { names: ["maker", "makerdao"], symbols: ["mkr"] },
    { names: ["gold"], symbols: ["paxg", "xaut"] },
    { names: ["euro"], symbols: ["eurc", "eure", "eurs"] },
  ].flatMap(({ names, symbols }) => names.map((name): [string, readonly string[]] => [name, symbols])),
);

/** The popular names that are one typing mistake away. */
export const popularNamesLike = (phrase: string): readonly string[] =>
  phrase.length < POPULAR_LETTERS_MIN
    ? []
    : [...POPULAR_NAMES.keys()].filter((name) => name.length >= POPULAR_LETTERS_MIN && isOneEditAway(phrase, name));

/** Words before the name of a chain. */
export const PREPOSITIONS: ReadonlySet<string> = new Set(["on", "in", "at"]);

/** Words around the name of a chain that add nothing to it. */
export const CHAIN_WORDS: ReadonlySet<string> = new Set([
  ...PREPOSITIONS,
  ...["the", "from", "for", "chain", "network", "mainnet", "blockchain", "l2"],
]);

/** Words that can be left out if no name contains them. */
export const FILLER_WORDS: ReadonlySet<string> = new Set([
  ...CHAIN_WORDS,
  ...["a", "of", "to", "is", "what", "token", "tokens", "coin", "coins", "crypto", "contract", "address", "ca", "price", "ticker"],
  ...["symbol", "native", "erc20", "bep20", "spl", "buy", "swap"],
]);
