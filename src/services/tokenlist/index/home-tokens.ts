// Finds the home of each symbol: of several tokens with that symbol, the one that a search most likely means. A token on ten chains
// has its home where it was issued first, but lists do not say where that is. The chains' own tokens are known here. For others,
// being on more lists counts, and being on Ethereum, from where most tokens are bridged.
import type { Token } from "../../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { networkKindOf } from "../../chains/chains.ts";
import { SOLANA_ID } from "../../chains/main-networks.ts";
import { plainAddress } from "../address.ts";
import type { Yielder } from "../cooperative-yield.ts";
import { foldText } from "../text.ts";
import type { BridgeLinks, Place } from "./bridge-links.ts";

const ETHEREUM_ID = 1;
// The most links that are followed for one symbol. Lists are untrusted.
const LOOKS_MAX = 1000;

// Chain id → the folded symbols of its own coin, wrapped or not, and of the token that its users vote with, where lists have it
// elsewhere too.
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

/** The place of a token among those of an index: those that more lists carry first. */
type TokenNumber = number;

/**
 * The first tokens of their symbols, in turns, each with the shorter names that it has elsewhere: who searches for `Chainlink`
 * means `ChainLink Token` on Ethereum. `tokens` are those that more lists carry first. A home is never on a test network.
 */
export async function findHomeTokens(
  tokens: readonly Token[],
  links: BridgeLinks,
  turns: Yielder,
): Promise<ReadonlyMap<TokenNumber, readonly string[]>> {
  const bySymbol = new Map<string, TokenNumber[]>();
  for (const [number, { symbol, chainId }] of tokens.entries()) {
    if (symbol !== "" && networkKindOf(chainId) === "main") {
      const folded = foldText(symbol);
      const same = bySymbol.get(folded);
      if (same === undefined) {
        bySymbol.set(folded, [number]);
      } else {
        same.push(number);
      }
    }
    if (turns.due()) {
      await turns.next();
    }
  }
  const homes = new Map<TokenNumber, readonly string[]>();
  for (const [symbol, same] of bySymbol) {
    const home = homeOf(symbol, same, tokens, links);
    homes.set(home, shorterNames(home, same, tokens));
    if (turns.due()) {
      await turns.next();
    }
  }
  return homes;
}

/** Whether it is a token of the chain's own coin, or that its users vote with. */
export const isOwnToken = ({ chainId, symbol }: Token): boolean => OWN_SYMBOLS.get(chainId)?.includes(foldText(symbol)) === true;

function homeOf(symbol: string, same: readonly TokenNumber[], tokens: readonly Token[], links: BridgeLinks): TokenNumber {
  const chainOf = (number: TokenNumber): number => tokens[number]?.chainId ?? 0;
  const best = same[0] as TokenNumber;
  const own = same.find((number) => OWN_SYMBOLS.get(chainOf(number))?.includes(symbol) === true);
  const onEthereum = same.find((number) => chainOf(number) === ETHEREUM_ID);
  if (own !== undefined || onEthereum === undefined) {
    return own ?? best;
  }
  const [bestToken, ethereumToken] = [tokens[best] as Token, tokens[onEthereum] as Token];
  const asGood = ethereumToken.lists.length === bestToken.lists.length;
  return asGood || areLinked(placeOf(ethereumToken), placeOf(bestToken), links) ? onEthereum : best;
}

// Names of the others that its own name begins with, as whole words.
function shorterNames(home: TokenNumber, same: readonly TokenNumber[], tokens: readonly Token[]): readonly string[] {
  const nameOf = (number: TokenNumber): string => foldText(tokens[number]?.name ?? "");
  const own = nameOf(home);
  const names = same.map(nameOf).filter((name) => name !== "" && own.startsWith(`${name} `));
  return [...new Set(names)];
}

const placeOf = ({ chainId, address }: Token): Place => ({ chainId, address: plainAddress(address) });

function areLinked(one: Place, other: Place, links: BridgeLinks): boolean {
  let looks = 0;
  for (const { place } of links.from(one)) {
    looks += 1;
    if (looks > LOOKS_MAX || (place.chainId === other.chainId && place.address === other.address)) {
      return looks <= LOOKS_MAX;
    }
  }
  return false;
}
