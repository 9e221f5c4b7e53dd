import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../../../src/runtime/clock.ts";
import { createYielder } from "../../../../src/services/tokenlist/cooperative-yield.ts";
import { buildSearchIndex, type SearchIndex } from "../../../../src/services/tokenlist/search/search-index.ts";
import type { SearchedToken } from "../../../../src/services/tokenlist/search/search-texts.ts";
import { wordsOf } from "../../../../src/services/tokenlist/search/words.ts";

const build = (tokens: readonly SearchedToken[]): Promise<SearchIndex> =>
  buildSearchIndex(tokens.length, (number) => tokens[number] as SearchedToken, createYielder(systemClock));

/** A token on a main network that is not the first of its symbol. Its own symbol and name come first. */
const token = (symbols: readonly string[], names: readonly string[], changes: Partial<SearchedToken> = {}): SearchedToken => ({
  chainId: 1,
  symbol: symbols[0] ?? "",
  otherSymbols: symbols.slice(1),
  names: names.slice(0, 1),
  otherNames: names.slice(1),
  network: "main",
  listCount: 1,
  plain: true,
  familiar: false,
  home: "no",
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
  const index = build(catalogue.map(([symbols, names], number) => token(symbols, names, { chainId: number > 4 ? 10 : 1 })));

  test.each([
    ["usdc", ["USDC", "OLD/USDC", "USDC.e", "X", "AUSDC", "BRIDGED", "KEY", "LP"]],
    ["usd", ["USDC", "OLD/USDC", "USDC.e", "USD₮0", "X", "AUSDC", "BRIDGED", "KEY", "LP"]],
    ["usdc.e", ["USDC.e"]],
    ["usd coin", ["USDC", "OLD/USDC", "USDC.e"]],
    ["coin", ["USDC.e", "USDC", "OLD/USDC", "DAI"]],
    ["usdt0", ["USD₮0"]],
    ["❤", ["❤️"]],
    ["token", ["❤️"]],
    ["(usdc)", ["USDC", "OLD/USDC", "USDC.e", "X", "AUSDC", "BRIDGED", "KEY", "LP"]],
    ["d", ["DAI"]],
    ["dc", ["AUSDC", "USDC.e", "USDC", "OLD/USDC", "X", "LP", "BRIDGED", "KEY"]],
    ["nothing like it", []],
  ])("for %j finds %j, best first", async (query, expected) => {
    const { total, page } = (await index).find(query, 0, 100);
    expect(symbolsOf(page)).toEqual(expected);
    expect(total).toBe(expected.length);
  });

  test("counts only what is on the requested chain", async () => {
    const { total, page } = (await index).find("usdc", 0, 2, 10);
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
  // Each row: the query, the tokens in the order of their numbers, and the numbers in the order of the response.
  test.each<[what: string, query: string, tokens: readonly SearchedToken[], expected: readonly number[]]>([
    [
      "the first token of a symbol before the others with that symbol",
      "arb",
      [token(["ARB"], ["Arbitrum"]), token(["ARB"], ["Arbitrum"], { home: "home" })],
      [1, 0],
    ],
    [
      "a symbol that all lists give before one that only some give, and both before a name",
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
      "the name that all lists give before one that only some give",
      "coin",
      [token(["A"], ["A", "Coin"]), token(["B"], ["Coin"]), token(["C"], ["Coin"], { home: "home" })],
      [2, 1, 0],
    ],
    [
      "the token on more lists first, whatever is the home of its symbol",
      "usdc",
      [token(["USDC"], ["X"], { home: "home" }), token(["USDC"], ["X"], { listCount: 2 })],
      [1, 0],
    ],
    [
      "the coin or token of a chain before its symbol elsewhere, even on more lists",
      "sol",
      [token(["SOL"], ["Wormhole"], { listCount: 3 }), token(["SOL"], ["Solana"], { home: "own" })],
      [1, 0],
    ],
    [
      "the symbol to the letter before a decorated one, even on more lists, unless that is what was typed",
      "weth",
      [token(["$WETH"], ["X"], { listCount: 3, plain: false, home: "home" }), token(["WETH"], ["Y"])],
      [1, 0],
    ],
    [
      "a decorated symbol first if it is what was typed, even if others are on more lists",
      "usdc+",
      [token(["USDC"], ["Y"], { listCount: 3, home: "home" }), token(["USDC+"], ["X"], { plain: false })],
      [1, 0],
    ],
    [
      "the plain symbol first if it was typed after a dollar sign",
      "$weth",
      [token(["$WETH"], ["X"], { plain: false }), token(["WETH"], ["Y"])],
      [1, 0],
    ],
    [
      "a plain symbol first for a name that a decorated one has too",
      "usd coin",
      [token(["USDC+"], ["USD Coin"], { plain: false, home: "home" }), token(["USDC"], ["USD Coin"])],
      [1, 0],
    ],
    [
      "a symbol that several lists have first for a name that another has copied",
      "usd coin",
      [token(["ZZZ"], ["USD Coin"], { home: "home" }), token(["USDC"], ["USD Coin"], { familiar: true })],
      [1, 0],
    ],
    [
      "main networks before unknown chains, and test networks last, however well they match",
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
    expect(index.find(query, 0, 10)).toMatchObject({ total: 1, page: [1] });
  });

  test.each([
    ["two typos", "uxdx", "USDC", "X"],
    ["two swaps", "sucd", "USDC", "X"],
    ["a part of a word", "etherib", "X", "Ethereal"],
    ["a string of two letters", "xy", "XZ", "X"],
    ["two words for one", "us dk", "USDC", "X"],
  ])("not %s", async (_what, query, symbol, name) => {
    expect((await build([token([symbol], [name])])).find(query, 0, 10)).toEqual({ total: 0, page: [] });
  });

  test("whole symbols first, then whole names, then words; the first token of a symbol before the others", async () => {
    const tokens = [
      token(["A"], ["Some Mode Token"]),
      token(["B"], ["Mode"]),
      token(["MODE"], ["C"]),
      token(["MODE"], ["D"], { home: "home" }),
    ];
    expect((await build(tokens)).find("modde", 0, 10).page).toEqual([3, 2, 1, 0]);
  });

  test("only if nothing is called or begins like the query", async () => {
    const susdc = token(["SUDC"], ["X"]);
    const found = async (query: string, other: SearchedToken): Promise<readonly number[]> =>
      (await build([susdc, other])).find(query, 0, 10).page;
    expect(await found("usdc", token(["USDC"], ["Y"]))).toEqual([1]);
    expect(await found("usdc", token(["USDCx"], ["Y"]))).toEqual([1]);
    expect(await found("usdc", token(["Y"], ["Some USDC"]))).toEqual([1]);
    expect(await found("usdc", token(["xUSDC"], ["Y"]))).toEqual([0, 1]);
  });

  test("only on the requested chain", async () => {
    const index = await build([token(["USDC"], ["X"]), token(["USDC"], ["X"], { chainId: 10 })]);
    expect(index.find("usdcc", 0, 10, 10)).toEqual({ total: 1, page: [1], corrected: "usdc" });
  });
});

describe("a chain in a query", () => {
  const on = (chainId: number, symbol: string, name: string): SearchedToken => token([symbol], [name], { chainId });
  const tokens = [
    on(1, "USDC", "USD Coin"),
    on(8453, "aBasUSDC", "Aave Base USDC"),
    on(8453, "USDC", "USD Coin"),
    on(1, "ENS", "Ethereum Name Service"),
    on(84532, "USDC", "USD Coin"),
    on(42220, "cUSD", "Celo Dollar"),
    on(42220, "DOLLAR", "Another Dollar"),
  ];

  test.each([
    ["means the token there", "usdc base", [2, 1]],
    ["may come first", "base usdc", [2, 1]],
    ["may be given by another of its names", "usdc on base-mainnet", [2, 1]],
    ["may be a test network", "usdc base sepolia", [4]],
    ["may be given by its id", "usdc 8453", [2, 1]],
    ["may be mistyped", "usdc on sepoliaa", [0, 2, 4]],
    ["is only part of a name if a token has that name", "celo dollar", [5, 6]],
    ["goes with the words of a name", "ethereum name", [3]],
    ["is ignored if no token there matches", "usdc on polygon", [0, 2, 4]],
  ])("%s: %j", async (_what, query, expected) => {
    expect((await build(tokens)).find(query, 0, 10).page).toEqual(expected);
  });
});

describe("words", () => {
  const tokens = [
    token(["LDO"], ["Lido DAO"]),
    token(["stETH"], ["Liquid Staked Ether", "Staked Ether by Lido"]),
    token(["USDT"], ["Tether USD"]),
    token(["MKR"], ["Maker DAO"]),
  ];

  test.each([
    ["in another order", "usd tether", [2]],
    ["that several names of a token have", "lido liquid", [1]],
    ["with a meaningless one", "tether usd token", [2]],
    ["with one that no token has", "tether xyz usd", [2]],
    ["written as one", "makerdao", [3]],
    ["that mean the same", "staked eth by lido", [1]],
    ["in quotes", "\u201ctether usd\u201d", [2]],
    ["as a pair, the first of them first", "usdt/mkr", [2, 3]],
  ])("%s: %j", async (_what, query, expected) => {
    expect((await build(tokens)).find(query, 0, 10).page).toEqual(expected);
  });
});

describe("any search", () => {
  // One typo, found by trying all of them.
  const isTypo = (text: string, query: string): boolean => {
    const typed = new Set<string>();
    for (let at = 0; at <= text.length; at += 1) {
      const [before, after] = [text.slice(0, at), text.slice(at)];
      typed.add(before + after.slice(1));
      typed.add(before + after.slice(1, 2) + after.slice(0, 1) + after.slice(2));
      for (const letter of new Set(query)) {
        typed.add(before + letter + after);
        typed.add(before + letter + after.slice(1));
      }
    }
    const isOther = query.length === text.length && [...query].sort().join() !== [...text].sort().join();
    const [first, last] = [query[0] === text[0], query.at(-1) === text.at(-1)];
    // In a short word, another letter or one too many makes another symbol.
    const isLikely = isOther ? query.length > (first && last ? 3 : 4) : query.length <= text.length || query.length > 3;
    return text !== query && typed.has(query) && isLikely;
  };
  const allWords = ({ symbol, otherSymbols, names, otherNames }: SearchedToken): string[] => {
    const symbols = [symbol, ...otherSymbols].map((text) => wordsOf(text));
    return [
      ...symbols.flat(),
      ...symbols.map((words) => words.join("")),
      ...[...names, ...otherNames].flatMap((text) => wordsOf(text)),
    ];
  };
  const text = fc.string({ unit: fc.constantFrom("a", "b", "B", "1", " ", "-", "."), maxLength: 6 });
  const texts = fc.array(text, { maxLength: 1 });
  const anyToken = fc.record({
    chainId: fc.constantFrom(1, 10, 84532),
    symbol: text,
    otherSymbols: texts,
    names: texts,
    otherNames: texts,
    network: fc.constantFrom("main", "unknown", "test"),
    listCount: fc.integer({ min: 1, max: 4 }),
    plain: fc.boolean(),
    familiar: fc.boolean(),
    home: fc.constantFrom("no", "home", "own"),
  });
  const oneWord = fc.string({ unit: fc.constantFrom("a", "b", "1", "c"), minLength: 2, maxLength: 4 });

  test("for one word finds all that contain it, and those with a typo if none begins with it", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(anyToken, { maxLength: 12 }), oneWord, async (tokens, wanted) => {
        const has = (test: (word: string) => boolean): number[] =>
          tokens.flatMap((each, number) => (allWords(each).some(test) ? [number] : []));
        const joined = tokens.map(({ names, otherNames }) => [...names, ...otherNames].map((name) => wordsOf(name).join("")));
        const named = joined.flatMap((each, number) => (each.includes(wanted) ? [number] : []));
        const known = new Set(tokens.flatMap(allWords));
        const nearlyNamed = joined.flatMap((each, number) =>
          each.some((name) => known.has(name) && isTypo(name, wanted)) ? [number] : [],
        );
        const begins = [...named, ...has((word) => word.startsWith(wanted))];
        const contains = has((word) => word.includes(wanted));
        const typos = wanted.length >= 3 ? [...nearlyNamed, ...has((word) => isTypo(word, wanted))] : [];
        const expected = new Set(begins.length > 0 ? [...named, ...contains] : [...contains, ...typos]);
        const { page } = (await build(tokens)).find(wanted, 0, 100);
        expect(new Set(page)).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });

  test("has pages that together contain all matches, each once, main networks first", async () => {
    const anyText = fc.string({ unit: fc.constantFrom("a", "b", "1", "c", " ", "-", "op", "base"), minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyToken, { maxLength: 12 }),
        anyText,
        fc.integer({ min: 1, max: 5 }),
        async (tokens, query, limit) => {
          const index = await build(tokens);
          const { total, page } = index.find(query, 0, 100);
          const pages = Array.from({ length: 13 }, (_, at) => index.find(query, at * limit, limit));
          expect(pages.map((each) => each.total)).toEqual(pages.map(() => total));
          expect(pages.flatMap((each) => each.page).slice(0, total)).toEqual(page.slice(0, 13 * limit));
          expect([new Set(page).size, page.length]).toEqual([total, total]);
        },
      ),
      { numRuns: 500 },
    );
  });
});
