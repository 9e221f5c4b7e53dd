import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../../src/clock.ts";
import { buildSearchIndex, type SearchIndex, type TokenTexts } from "../../../src/services/tokenlist/search-index.ts";
import { foldText } from "../../../src/services/tokenlist/text.ts";
import { createTurns } from "../../../src/services/tokenlist/turns.ts";

const build = (tokens: readonly TokenTexts[]): Promise<SearchIndex> => buildSearchIndex(tokens, createTurns(systemClock));

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
const symbolsOf = (page: readonly number[]): string[] => page.map((token) => catalogue[token]?.[0].join("/") ?? "");

describe("a search", () => {
  const index = build(catalogue.map(([symbols, names]) => ({ symbols, names })));

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
    const { total, page } = (await index).find("usdc", 0, 2, (token) => token > 4);
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

describe("any search", () => {
  const rankByHand = ({ symbols, names }: TokenTexts, query: string): number => {
    const [foldedSymbols, foldedNames] = [symbols, names].map((texts) => texts.map(foldText)) as [string[], string[]];
    const wordStart = (name: string): boolean =>
      [...name].some((_, at) => at > 0 && name.startsWith(query, at) && !/[a-z0-9]/.test(name.charAt(at - 1)));
    const ranks = [
      foldedSymbols.includes(query),
      foldedSymbols.some((symbol) => symbol.startsWith(query)),
      foldedNames.some((name) => name.startsWith(query)),
      foldedNames.some(wordStart),
      [...foldedSymbols, ...foldedNames].some((text) => text.includes(query)),
      true,
    ];
    return ranks.indexOf(true);
  };
  const text = fc.string({ unit: fc.constantFrom("a", "b", "B", "1", " ", "-", "."), maxLength: 6 });
  const texts = fc.array(text, { minLength: 1, maxLength: 2 });
  const token = fc.record({ symbols: texts, names: texts });
  const query = fc.string({ unit: fc.constantFrom("a", "b", "1", " ", "-"), minLength: 1, maxLength: 3 });

  test("agrees with ranking each token by hand", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(token, { maxLength: 12 }), query, async (tokens, wanted) => {
        const { page } = (await build(tokens)).find(wanted, 0, 100);
        const expected = tokens
          .map((each, number) => ({ number, rank: rankByHand(each, wanted) }))
          .filter(({ rank }) => rank < 5)
          .sort((one, other) => one.rank - other.rank || one.number - other.number)
          .map(({ number }) => number);
        expect(page).toEqual(expected);
      }),
      { numRuns: 500 },
    );
  });
});
