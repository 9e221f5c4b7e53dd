// The results for what people type or paste, over small lists.
import { describe, expect, test } from "vitest";
import { address, row } from "../lists.ts";
import { serve } from "../serve-lists.ts";

const mint = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
const letters = `0x${"ab".repeat(20)}`;

type Lists = Parameters<typeof serve>[0];

/** What a search finds: `SYMBOL chain`, best first. */
async function found(lists: Lists, query: string, chain = ""): Promise<string[]> {
  const { results } = await (await serve(lists)).searchTokens({ query, chain });
  return results.map(({ symbol, chain: on }) => `${symbol} ${on}`);
}

describe("a pasted address", () => {
  const lists = {
    one: [
      row(1, { address: letters, chainId: 84531, symbol: "TEST" }),
      row(1, { address: letters, chainId: 8453, symbol: "ONE" }),
      row(1, { address: letters, chainId: 10, symbol: "TWO" }),
      row(2, { address: mint, chainId: 501000101, symbol: "SOLANA" }),
      row(3, { name: "2FPyTwcZLUg1MDrwsyoP4D6s1tM7hAkHYRjkNb5w6Pxk", symbol: "LIKE" }),
    ],
    two: [row(1, { address: letters, chainId: 10, symbol: "TWO" })],
  };

  test.each([
    [
      "on every chain, main networks first, then those in most lists",
      letters,
      "",
      ["TWO optimism", "ONE base", "TEST base-goerli"],
    ],
    ["in any case", `  ${letters.toUpperCase()} `, "", ["TWO optimism", "ONE base", "TEST base-goerli"]],
    ["on the requested chain", letters, "base", ["ONE base"]],
    ["on the chain written before it", `base:${letters}`, "", ["ONE base"]],
    ["on the chain whose short name is written before it", `OETH:${letters}`, "", ["TWO optimism"]],
    ["on no chain if two are named", `base:${letters}`, "optimism", []],
    ["as a mint of Solana", mint, "", ["SOLANA solana"]],
    ["not as a mint in another case", mint.toLowerCase(), "", []],
    ["nowhere if no list has it", address(99), "", []],
  ])("is found %s", async (_what, query, chain, expected) => {
    expect(await found(lists, query, chain)).toEqual(expected);
  });

  test("is searched for as a name if no token has it", async () => {
    expect(await found(lists, "2FPyTwcZLUg1MDrwsyoP4D6s1tM7hAkHYRjkNb5w6Pxk")).toEqual(["LIKE ethereum"]);
  });

  test("is returned page by page", async () => {
    const client = await serve(lists);
    const { total, nextOffset, results } = await client.searchTokens({ query: letters, offset: 1, limit: 1 });
    expect([total, nextOffset, results.map(({ symbol }) => symbol)]).toEqual([3, 2, ["ONE"]]);
  });
});

describe("a symbol's home comes first:", () => {
  const on = (chainId: number, number: number, symbol: string, more: object = {}): object =>
    row(number, { chainId, symbol, ...more });
  test.each<[what: string, query: string, lists: Lists, expected: string[]]>([
    [
      "the chain whose own token it is, even if as many lists have it elsewhere",
      "arb",
      { one: [on(1, 1, "ARB"), on(42161, 2, "ARB")] },
      ["ARB arbitrum", "ARB ethereum"],
    ],
    [
      "the chain where most lists have it",
      "aero",
      { one: [on(1, 1, "AERO"), on(8453, 2, "AERO")], two: [on(8453, 2, "AERO")] },
      ["AERO base", "AERO ethereum"],
    ],
    [
      "Ethereum, if as many lists have it elsewhere",
      "gho",
      { one: [on(8453, 1, "GHO"), on(1, 2, "GHO")] },
      ["GHO ethereum", "GHO base"],
    ],
    [
      "otherwise the searched chain where most lists have it",
      "xyz",
      { one: [on(84531, 1, "XYZ"), on(123456, 2, "XYZ"), on(10, 3, "XYZ")], two: [on(84531, 1, "XYZ")] },
      ["XYZ optimism", "XYZ 123456", "XYZ base-goerli"],
    ],
  ])("%s", async (_what, query, lists, expected) => {
    expect(await found(lists, query)).toEqual(expected);
  });

  test("by a short name that it also has elsewhere", async () => {
    const lists = {
      one: [on(57073, 1, "LINK", { name: "Chainlink" }), on(1, 2, "LINK", { name: "ChainLink Token" })],
    };
    expect(await found(lists, "chainlink")).toEqual(["LINK ethereum", "LINK ink"]);
  });

  test("by the name of the chain whose own coin it is", async () => {
    const lists = {
      one: [on(1, 1, "ENS", { name: "Ethereum Name Service" }), on(1, 2, "WETH", { name: "Wrapped Ether" })],
    };
    expect(await found(lists, "ethereum")).toEqual(["WETH ethereum", "ENS ethereum"]);
    expect(await found(lists, "etherium")).toEqual(["WETH ethereum", "ENS ethereum"]);
  });
});
