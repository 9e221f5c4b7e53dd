// Finds the home of each symbol: the token that a search for the symbol most likely means, if several have it. A token on ten chains has
// its home on the chain where it was issued first, but lists do not say which that is. The native tokens of chains are known here. For
// other tokens, being on more lists counts, then a plain symbol, then being on Ethereum or Solana, from which most tokens are bridged.
import type { Token } from "../../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { chainById, networkKindOf } from "../../chains/chains.ts";
import { SOLANA_ID } from "../../chains/main-networks.ts";
import type { Yielder } from "../cooperative-yield.ts";
import { isPlainSymbol, wordsOf } from "../search/words.ts";
import { foldText } from "../text.ts";

const ETHEREUM_ID = 1;

// Chain id → the folded symbols of its native coin, wrapped or not, and of its governance token, if lists have that on other chains too.
const OWN_SYMBOLS: ReadonlyMap<number, readonly string[]> = new Map([
  [ETHEREUM_ID, ["eth", "weth"]],
  [10, ["op"]],
  [25, ["wcro"]],
  [56, ["bnb", "wbnb"]],
  [100, ["xdai", "wxdai"]],
  [137, ["wpol", "wmatic"]],
  [143, ["mon", "wmon"]],
  [146, ["s", "ws"]],
  [250, ["wftm"]],
  [324, ["zk"]],
  [999, ["hype", "whype"]],
  [1284, ["glmr", "wglmr"]],
  [1329, ["sei", "wsei"]],
  [2020, ["ron", "wron"]],
  [5000, ["wmnt"]],
  [9745, ["xpl", "wxpl"]],
  [34443, ["mode"]],
  [42161, ["arb"]],
  [42220, ["celo"]],
  [43114, ["avax", "wavax"]],
  [59144, ["linea"]],
  [80094, ["bera", "wbera"]],
  [81457, ["blast"]],
  [534352, ["scr"]],
  [SOLANA_ID, ["sol", "wsol"]],
]);

/** The index of a token. Tokens on more lists come first. */
type TokenNumber = number;

export interface HomeTokens {
  /** Whether it is the home of its symbol; `own` if its chain is the one whose coin or token it is. */
  kindOf(token: TokenNumber): "no" | "home" | "own";
  /** Whether several lists have its symbol's home: a token that only copies a name has a symbol of its own. */
  isFamiliar(token: TokenNumber): boolean;
  /**
   * Further names of a home: its shorter names on other chains (a search for `Chainlink` means `ChainLink Token` on Ethereum), and the
   * names of the chain whose native coin it is. Empty for other tokens.
   */
  namesOf(token: TokenNumber): readonly string[];
  /** If this is a home's token on another chain: the home's names, without the names of chains. */
  homeNamesOf(token: TokenNumber): readonly string[];
}

/**
 * Finds the homes, and yields to the event loop as it goes. `tokens` are sorted by the number of lists. A home is never on a test
 * network.
 */
export async function findHomeTokens(tokens: readonly Token[], turns: Yielder): Promise<HomeTokens> {
  const bySymbol = new Map<string, TokenNumber[]>();
  for (const [number, { symbol, chainId }] of tokens.entries()) {
    if (symbol !== "" && networkKindOf(Number(chainId)) === "main") {
      // As search compares them: USDC! is not another symbol, with a home of its own.
      const compared = wordsOf(symbol).join("");
      const same = bySymbol.get(compared);
      if (same === undefined) {
        bySymbol.set(compared, [number]);
      } else {
        same.push(number);
      }
    }
    if (turns.due()) {
      await turns.next();
    }
  }
  const names = new Map<TokenNumber, readonly string[]>();
  const homeNames = new Map<TokenNumber, readonly string[]>();
  const own = new Set<TokenNumber>();
  const familiar = new Set<TokenNumber>();
  for (const [symbol, same] of bySymbol) {
    const { home, isOwn } = homeOf(symbol, same, tokens);
    const homeToken = tokens[home] as Token;
    const homeWords = new Set(wordsOf(homeToken.name));
    const ownName = foldText(homeToken.name);
    const shorter = new Set<string>();
    const namedLike: TokenNumber[] = [];
    // Yields here too, because a list may give all of its tokens the same symbol.
    for (const number of same) {
      const token = tokens[number] as Token;
      if (homeToken.lists.length > 1) {
        familiar.add(number);
      }
      if (isShorter(foldText(token.name), ownName)) {
        shorter.add(foldText(token.name));
      }
      if (number !== home && isNamedLike(token, homeWords)) {
        namedLike.push(number);
      }
      if (turns.due()) {
        await turns.next();
      }
    }
    names.set(home, [...shorter, ...(isOwn ? chainNames(homeToken) : [])]);
    if (isOwn) {
      own.add(home);
    }
    const namesOfHome = [homeToken.name, ...shorter];
    for (const number of namedLike) {
      homeNames.set(number, namesOfHome);
    }
  }
  return {
    kindOf: (token) => (own.has(token) ? "own" : names.has(token) ? "home" : "no"),
    isFamiliar: (token) => familiar.has(token),
    namesOf: (token) => names.get(token) ?? [],
    homeNamesOf: (token) => homeNames.get(token) ?? [],
  };
}

// A search for the name of a chain means its coin.
function chainNames({ chainId }: Token): readonly string[] {
  const { name, aliases = [] } = chainById(Number(chainId)) ?? {};
  return name === undefined ? [] : [name, ...aliases];
}

// Two tokens may share a symbol by chance. They count as the same if their names share a word, or if one name is only the symbol.
function isNamedLike(token: Token, homeWords: ReadonlySet<string>): boolean {
  return foldText(token.name) === foldText(token.symbol) || wordsOf(token.name).some((word) => homeWords.has(word));
}

function homeOf(
  symbol: string,
  same: readonly TokenNumber[],
  tokens: readonly Token[],
): { readonly home: TokenNumber; readonly isOwn: boolean } {
  const plain = same.filter((number) => isPlainSymbol(tokens[number]?.symbol ?? ""));
  const chainOf = (number: TokenNumber): number => Number(tokens[number]?.chainId);
  const own = plain.find((number) => OWN_SYMBOLS.get(chainOf(number))?.includes(symbol) === true);
  const listCount = tokens[same[0] as TokenNumber]?.lists.length;
  const best = same.filter((number) => tokens[number]?.lists.length === listCount);
  const bestPlain = plain.filter((number) => tokens[number]?.lists.length === listCount);
  const candidates = bestPlain.length > 0 ? bestPlain : best;
  const preferred = [ETHEREUM_ID, SOLANA_ID].flatMap((id) => candidates.find((number) => chainOf(number) === id) ?? []);
  return { home: own ?? preferred[0] ?? (candidates[0] as TokenNumber), isOwn: own !== undefined };
}

// A prefix of the home's own name, in whole words.
const isShorter = (name: string, ownName: string): boolean => name !== "" && ownName.startsWith(`${name} `);
