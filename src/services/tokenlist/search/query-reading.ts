// Parses a query: its words, the chains that it names, and the words that add nothing.
import { chainIdOf } from "../../chains/chains.ts";
import { SOLANA_ID } from "../../chains/main-networks.ts";
import { CHAIN_WORDS, FILLER_WORDS, PREPOSITIONS } from "./popular-names.ts";
import { wordsOf } from "./words.ts";

/** A chain that a query names, and the rest of the query. */
interface NamedChain {
  readonly chainId: number;
  /** The other words, without those that belong to the chain's name, such as `on` and `chain`. */
  readonly rest: readonly string[];
  /** The other words with those, if there are any: `the` may be part of a token's name. */
  readonly restWithChainWords?: readonly string[];
}

export interface QueryReading {
  readonly words: readonly string[];
  /** The most likely chain first; at most two. */
  readonly chains: readonly NamedChain[];
  /** The two parts of a pair such as `usdc/weth`. */
  readonly pair: readonly (readonly string[])[];
}

// Further words are ignored.
const WORDS_MAX = 8;
/** The most words in the name of a chain, as in `bnb smart chain`. */
const CHAIN_NAME_WORDS_MAX = 3;
const CHAINS_MAX = 2;
/** The fewest letters of a token, and of a chain's name, that are written as one word. */
const GLUED_MIN = 3;

// What exchanges call a chain: the standard of its tokens.
const TOKEN_STANDARDS: ReadonlyMap<string, number> = new Map([
  ["erc20", 1],
  ["bep20", 56],
  ["spl", SOLANA_ID],
]);

/** The chain of a name or id, or of the standard of its tokens. */
export const chainNamed = (name: string): number | undefined => TOKEN_STANDARDS.get(name) ?? chainIdOf(name);

/** The ways to split one word into a token and the name of a chain, such as `usdcbase`: the longest names first. */
export function splitChain(word: string, isToken: (text: string) => boolean): readonly NamedChain[] {
  const found: (NamedChain & { readonly length: number })[] = [];
  for (let at = GLUED_MIN; at <= word.length - GLUED_MIN; at += 1) {
    const [start, end] = [word.slice(0, at), word.slice(at)];
    for (const [rest, name] of [
      [start, end],
      [end, start],
    ] as const) {
      const chainId = isToken(rest) && !/^\d+$/.test(name) ? chainNamed(name) : undefined;
      if (chainId !== undefined) {
        found.push({ chainId, rest: [rest], length: name.length });
      }
    }
  }
  return found.sort((one, other) => other.length - one.length).slice(0, CHAINS_MAX);
}

/** Parses a query. `chainOf` returns the chain of one or several words, by default that of the name or id. */
export function readQuery(text: string, chainOf: (name: string) => number | undefined = chainNamed): QueryReading {
  const words = wordsOf(text, WORDS_MAX);
  const parts = text.split(/[/_+|,&]|-/);
  return {
    words,
    chains: words.length > 1 ? namedChains(words, chainOf) : [],
    pair: parts.length === 2 ? parts.map((part) => wordsOf(part, WORDS_MAX)) : [],
  };
}

/** The words without fillers, or all words if all are fillers. */
export function withoutFillers(words: readonly string[]): readonly string[] {
  const kept = words.filter((word) => !FILLER_WORDS.has(word));
  return kept.length === 0 ? words : kept;
}

function namedChains(words: readonly string[], chainOf: (name: string) => number | undefined): readonly NamedChain[] {
  const found: NamedChain[] = [];
  let afterPreposition: NamedChain | undefined;
  for (let from = 0; from < words.length; ) {
    const length = chainNameAt(words, from, chainOf);
    if (length === 0) {
      from += 1;
      continue;
    }
    const chainId = chainOf(words.slice(from, from + length).join("-")) as number;
    const others = [...words.slice(0, from), ...words.slice(from + length)];
    const rest = others.filter((word) => !CHAIN_WORDS.has(word));
    if (rest.length > 0) {
      const named = others.length === rest.length ? { chainId, rest } : { chainId, rest, restWithChainWords: others };
      found.unshift(named);
      afterPreposition = PREPOSITIONS.has(words[from - 1] ?? "") ? named : afterPreposition;
    }
    from += length;
  }
  return afterPreposition === undefined ? found.slice(0, CHAINS_MAX) : [afterPreposition];
}

// How many words the longest chain name that begins at this index has.
function chainNameAt(words: readonly string[], from: number, chainOf: (name: string) => number | undefined): number {
  for (let length = Math.min(CHAIN_NAME_WORDS_MAX, words.length - from); length > 0; length -= 1) {
    if (chainOf(words.slice(from, from + length).join("-")) !== undefined) {
      return length;
    }
  }
  return 0;
}
