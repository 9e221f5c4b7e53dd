// Symbols and names that look like those of other tokens, as anybody who gets into a list may choose them.
import { create } from "@bufbuild/protobuf";
import { SearchTokensRequestSchema, type Token } from "../../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { networkKindOf } from "../../../../src/services/chains/chains.ts";
import { searchTokens } from "../../../../src/services/tokenlist/handlers/search-tokens.ts";
import type { TokenIndex } from "../../../../src/services/tokenlist/index/token-index.ts";
import { row } from "../lists.ts";

const CYRILLIC: Readonly<Record<string, string>> = {
  A: "А",
  B: "В",
  C: "С",
  E: "Е",
  H: "Н",
  K: "К",
  M: "М",
  O: "О",
  P: "Р",
  T: "Т",
  X: "Х",
};
const inCyrillic = (text: string): string => Array.from(text, (letter) => CYRILLIC[letter] ?? letter).join("");

/** By name: the symbol of a token, decorated. */
const DECORATIONS: ReadonlyMap<string, (symbol: string) => string> = new Map([
  ...["!", "~", "*", "+", "-", "_", ".", "'", "™", "🔥", ".e", ".x", "-1"].map((after): [string, (symbol: string) => string] => [
    `with ${after} after it`,
    (symbol) => symbol + after,
  ]),
  ...["$", "~", "*", "+", ".", "@", "🚀"].map((before): [string, (symbol: string) => string] => [
    `with ${before} before it`,
    (symbol) => before + symbol,
  ]),
  ["with a hyphen in it", (symbol) => `${symbol.slice(0, 2)}-${symbol.slice(2)}`],
  ["with a dot in it", (symbol) => `${symbol.slice(0, 1)}.${symbol.slice(1)}`],
  ["with an accent", (symbol) => `${symbol}\u0301`],
  ["in full-width letters", (symbol) => symbol.replace(/[!-~]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0))],
  ["with a letter of another script", inCyrillic],
  ["with the chain after it", (symbol) => `${symbol}-BASE`],
  ["with other letters", (symbol) => `ZZZ${symbol.length}`],
]);

/** A look-alike of a token: a list of its own, and the queries for which the token itself must come first. */
export interface LookAlike {
  readonly symbol: string;
  readonly row: object;
  readonly victim: Token;
  readonly queries: readonly (readonly [query: string, chain: string])[];
}

/**
 * The look-alikes of all tokens on main networks whose plain symbol no other token on the chain has: each decoration of some of them in turn.
 */
export function lookAlikes(index: TokenIndex): readonly LookAlike[] {
  const counts = new Map<string, number>();
  const keyOf = ({ chain, symbol }: Token): string => `${chain} ${symbol.toLowerCase()}`;
  for (const token of index.tokens) {
    counts.set(keyOf(token), (counts.get(keyOf(token)) ?? 0) + 1);
  }
  const victims = index.tokens.filter(
    (token) =>
      /^[A-Za-z0-9]{3,12}$/.test(token.symbol) && networkKindOf(Number(token.chainId)) === "main" && counts.get(keyOf(token)) === 1,
  );
  const decorations = [...DECORATIONS.values()];
  const known = new Set(index.tokens.map(({ symbol }) => symbol.toLowerCase()));
  return victims.flatMap((victim, number) => {
    const { chain, chainId, name, symbol } = victim;
    const decorate = decorations[number % decorations.length] as (symbol: string) => string;
    const decorated = decorate(symbol);
    if (known.has(decorated.toLowerCase())) {
      return [];
    }
    return [
      {
        symbol: decorated,
        row: row(0x100000 + number, { chainId: Number(chainId), symbol: decorated, name }),
        victim,
        queries: [
          [symbol, ""],
          [symbol.toLowerCase(), chain],
          [`${symbol} ${chain}`, ""],
          [`${chain} ${symbol}`, ""],
          [name, chain],
          [`${name} ${chain}`, ""],
          [symbol.slice(0, 3), chain],
        ],
      } satisfies LookAlike,
    ];
  });
}

/** The queries for which a look-alike comes before the token that it imitates. */
export function deceptions(index: TokenIndex, all: readonly LookAlike[]): string[] {
  const freshness = index.lists.map(() => ({ confirmedAtMs: 0, stale: false }));
  return all.flatMap(({ symbol, victim, queries }) =>
    queries.flatMap(([query, chain]) => {
      const { results = [] } = searchTokens(create(SearchTokensRequestSchema, { query, chain, limit: 500 }), { index, freshness });
      const real = results.findIndex((token) => token.address === victim.address && token.chainId === victim.chainId);
      const fake = results.findIndex((token) => token.symbol === symbol && token.chainId === victim.chainId);
      return fake !== -1 && (real === -1 || fake < real) ? [`${query}|${chain}: ${symbol} before ${victim.symbol}`] : [];
    }),
  );
}
