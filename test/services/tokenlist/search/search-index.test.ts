import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../../../src/runtime/clock.ts";
import { createYielder } from "../../../../src/services/tokenlist/cooperative-yield.ts";
import type { SearchedToken } from "../../../../src/services/tokenlist/search/search-columns.ts";
import { buildSearchIndex, type SearchIndex } from "../../../../src/services/tokenlist/search/search-index.ts";
import { foldText } from "../../../../src/services/tokenlist/text.ts";

const build = (tokens: readonly SearchedToken[]): Promise<SearchIndex> => buildSearchIndex(tokens, createYielder(systemClock));

/** A token of a main network that is not the first of its symbol. Of its symbols and names the first are its own. */
const token = (symbols: readonly string[], names: readonly string[], changes: Partial<SearchedToken> = {}): SearchedToken => ({
  symbol: symbols[0] ?? "",
  otherSymbols: symbols.slice(1),
  names: names.slice(0, 1),
  otherNames: names.slice(1),
  network: "main",
  home: false,
  ...changes,
});

// Token by token: symbols, names.
const catalogue: readonly (readonly [symbols: string[], names: string[]])[] = [
  [["AUSDC"], ["Aave USDC"]],
  [["BRIDGED"], ["Bridged USDC"]],
  [["USDC.e"], ["Bridged Coin"]],
  [["X"], ["USDC of somebody"]],
  [["USDC"], ["USD Coin"]],
  [["LP"], ["AaveUSDC-pool"]],
  [["KEY"], ["Key (USDC)"]],
  [
    ["OLD", "USDC"],
    ["Old", "USD Coin (old)"],
  ],
  [["DAI"], ["Dai Stablecoin"]],
  [["USD₮0"], ["USD₮0"]],
  [["❤️"], ["Heart • Token"]],
  [["", ""], [""]],
];
const symbolsOf = (page: readonly number[]): string[] => page.map((number) => catalogue[number]?.[0].join("/") ?? "");

describe("a search", () => {
  const index = build(catalogue.map(([symbols, names]) => token(symbols, names)));

  test.each([
    ["usdc", ["USDC", "OLD/USDC", "USDC.e", "X", "AUSDC", "BRIDGED", "KEY", "LP"]],
    ["usd", ["USDC.e", "USDC", "OLD/USDC", "USD₮0", "X", "AUSDC", "BRIDGED", "KEY", "LP"]],
    ["usdc.e", ["USDC.e"]],
    ["usd coin", ["USDC", "OLD/USDC"]],
    ["coin", ["USDC.e", "USDC", "OLD/USDC", "DAI"]],
    ["usdt0", ["USD₮0"]],
    ["❤", ["❤️"]],
    ["token", ["❤️"]],
    ["(usdc)", ["KEY"]],
    ["d", ["DAI", "AUSDC", "BRIDGED", "USDC.e", "X", "USDC", "LP", "KEY", "OLD/USDC", "USD₮0"]],
    ["nothing like it", []],
  ])("for %j finds %j, best first", async (query, expected) => {
    const { total, page } = (await index).find(query, 0, 100);
    expect(symbolsOf(page)).toEqual(expected);
    expect(total).toBe(expected.length);
  });

  test("counts only what is accepted", async () => {
    const { total, page } = (await index).find("usdc", 0, 2, (number) => number > 4);
    expect([total, symbolsOf(page)]).toEqual([3, ["OLD/USDC", "KEY"]]);
  });

  test.each([
    [0, 3, ["USDC", "OLD/USDC", "USDC.e"]],
    [1, 2, ["OLD/USDC", "USDC.e"]],
    [2, 3, ["USDC.e", "X", "AUSDC"]],
    [7, 3, ["LP"]],
    [8, 3, []],
    [100_000, 500, []],
  ])("from %i has %i of a page", async (offset, limit, expected) => {
    const { total, page } = (await index).find("usdc", offset, limit);
    expect([total, symbolsOf(page)]).toEqual([8, expected]);
  });

  test("of no tokens finds nothing", async () => {
    expect((await build([])).find("a", 0, 10)).toEqual({ total: 0, page: [] });
  });
});

describe("a search puts", () => {
  // Each row: what is searched for, the tokens as they are numbered, and the numbers in the order of the answer.
  test.each<[what: string, query: string, tokens: readonly SearchedToken[], expected: readonly number[]]>([
    [
      "the first of a symbol before the others with it",
      "arb",
      [token(["ARB"], ["Arbitrum"]), token(["ARB"], ["Arbitrum"], { home: true })],
      [1, 0],
    ],
    [
      "a symbol that all give before one that only some give, and both before a name",
      "eth",
      [token(["X"], ["ETH"]), token(["WETH", "ETH"], ["Wrapped Ether"]), token(["ETH"], ["Ether"])],
      [2, 1, 0],
    ],
    [
      "the whole name before the beginning of a symbol",
      "uni",
      [token(["UNIX"], ["X"]), token(["Y"], ["Unicorn"]), token(["Z"], ["Uni"])],
      [2, 0, 1],
    ],
    [
      "the name that all give before one that only some give",
      "coin",
      [token(["A"], ["A", "Coin"]), token(["B"], ["Coin"]), token(["C"], ["Coin"], { home: true })],
      [2, 1, 0],
    ],
    [
      "main networks before chains that nobody knows, and test networks last, however well they match",
      "usdc",
      [
        token(["USDC"], ["USD Coin"], { network: "test" }),
        token(["USDC"], ["USD Coin"], { network: "unknown" }),
        token(["X"], ["Some USDC"]),
        token(["USDC"], ["USD Coin"]),
      ],
      [3, 2, 1, 0],
    ],
  ])("%s", async (_what, query, tokens, expected) => {
    expect((await build(tokens)).find(query, 0, 100)).toEqual({ total: expected.length, page: expected });
  });
});

describe("one typo is forgiven:", () => {
  test.each([
    ["usdcc", "USDC", "X"],
    ["usc", "USDC", "X"],
    ["usfc", "USDC", "X"],
    ["sudc", "USDC", "X"],
    ["sdc", "USDC", "X"],
    ["wehth", "WETH", "X"],
    ["etherium", "X", "Ethereum"],
    ["etherium", "X", "The Ethereum Name"],
    ["wraped ether", "X", "Wrapped Ether"],
    ["wrapped etherr", "X", "Wrapped Ether (Bridged)"],
    ["usdcc", "USDC.e", "X"],
  ])("%j finds %s, %s", async (query, symbol, name) => {
    const index = await build([token(["QQQ"], ["Other"]), token([symbol], [name])]);
    expect(index.find(query, 0, 10)).toEqual({ total: 1, page: [1] });
  });

  test.each([
    ["two typos", "uxdx", "USDC", "X"],
    ["two swaps", "sucd", "USDC", "X"],
    ["a part of a word", "etherib", "X", "Ethereal"],
    ["a text of two letters", "xy", "XZ", "X"],
    ["two words for one", "us dk", "USDC", "X"],
  ])("not %s", async (_what, query, symbol, name) => {
    expect((await build([token([symbol], [name])])).find(query, 0, 10)).toEqual({ total: 0, page: [] });
  });

  test("whole symbols first, then whole names, then words; the first of a symbol before the others", async () => {
    const tokens = [
      token(["A"], ["Some Mode Token"]),
      token(["B"], ["Mode"]),
      token(["MODE"], ["C"]),
      token(["MODE"], ["D"], { home: true }),
    ];
    expect((await build(tokens)).find("modde", 0, 10).page).toEqual([3, 2, 1, 0]);
  });

  test("only where nothing is called like the query, nor begins so", async () => {
    const usds = token(["USDS"], ["X"]);
    const found = async (query: string, other: SearchedToken): Promise<readonly number[]> =>
      (await build([usds, other])).find(query, 0, 10).page;
    expect(await found("usdc", token(["USDC"], ["Y"]))).toEqual([1]);
    expect(await found("usdc", token(["USDCx"], ["Y"]))).toEqual([1]);
    expect(await found("usdc", token(["Y"], ["Some USDC"]))).toEqual([1]);
    expect(await found("usdc", token(["xUSDC"], ["Y"]))).toEqual([1, 0]);
  });

  test("only among what is accepted", async () => {
    const index = await build([token(["USDC"], ["X"]), token(["USDC"], ["X"])]);
    expect(index.find("usdcc", 0, 10, (number) => number === 1)).toEqual({ total: 1, page: [1] });
  });
});

describe("any search", () => {
  const isWord = (character: string | undefined): boolean => character !== undefined && /[a-z0-9]/.test(character);
  const startsOfWords = (text: string): number[] => [...text].flatMap((_, at) => (isWord(text[at - 1]) ? [] : [at]));
  // Damerau's distance at most 1, by trying every typo.
  const isTypo = (text: string, query: string): boolean => {
    const letters = [...new Set(query)];
    const typed = new Set<string>([text]);
    for (let at = 0; at <= text.length; at += 1) {
      const [before, after] = [text.slice(0, at), text.slice(at)];
      typed.add(before + after.slice(1));
      typed.add(before + after.slice(1, 2) + after.slice(0, 1) + after.slice(2));
      for (const letter of letters) {
        typed.add(before + letter + after);
        typed.add(before + letter + after.slice(1));
      }
    }
    return typed.has(query);
  };
  const isTypoOfWords = (text: string, query: string): boolean =>
    startsOfWords(text).some((from) =>
      [-1, 0, 1].some((longer) => {
        const to = from + query.length + longer;
        return to <= text.length && !isWord(text[to]) && isTypo(text.slice(from, to), query);
      }),
    );
  const rankByHand = ({ symbol, otherSymbols, names, otherNames, home }: SearchedToken, query: string): number => {
    const [symbols, others, own, more] = [[symbol], otherSymbols, names, otherNames].map((texts) => texts.map(foldText)) as [
      string[],
      string[],
      string[],
      string[],
    ];
    const all = [...symbols, ...others, ...own, ...more];
    const ranks = [
      home && symbols.includes(query),
      symbols.includes(query),
      others.includes(query),
      home && own.includes(query),
      own.includes(query),
      more.includes(query),
      [...symbols, ...others].some((text) => text.startsWith(query)),
      [...own, ...more].some((text) => text.startsWith(query)),
      [...own, ...more].some((text) => startsOfWords(text).some((at) => at > 0 && text.startsWith(query, at))),
      all.some((text) => text.includes(query)),
      home && symbols.some((text) => isTypo(text, query)),
      symbols.some((text) => isTypo(text, query)),
      home && own.some((text) => isTypo(text, query)),
      own.some((text) => isTypo(text, query)),
      all.some((text) => isTypoOfWords(text, query)),
      true,
    ];
    return ranks.indexOf(true);
  };
  const text = fc.string({ unit: fc.constantFrom("a", "b", "B", "1", " ", "-", "."), maxLength: 6 });
  const texts = fc.array(text, { maxLength: 1 });
  const anyToken = fc.record({
    symbol: text,
    otherSymbols: texts,
    names: texts,
    otherNames: texts,
    network: fc.constantFrom("main", "unknown", "test"),
    home: fc.boolean(),
  });
  const query = fc.string({ unit: fc.constantFrom("a", "b", "1", "c", " ", "-"), minLength: 1, maxLength: 4 });
  const networks = ["main", "unknown", "test"];

  test("agrees with ranking each token by hand", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyToken, { maxLength: 12 }), query, async (tokens, wanted) => {
        const { page } = (await build(tokens)).find(wanted, 0, 100);
        const ranked = tokens.map((each, number) => ({ number, network: each.network, rank: rankByHand(each, wanted) }));
        const forgiven = wanted.length >= 3 && ranked.every(({ rank }) => rank >= 9);
        const expected = ranked
          .filter(({ rank }) => rank < (forgiven ? 15 : 10))
          .sort(
            (one, other) =>
              networks.indexOf(one.network) - networks.indexOf(other.network) || one.rank - other.rank || one.number - other.number,
          )
          .map(({ number }) => number);
        expect(page).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });
});
