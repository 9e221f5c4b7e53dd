// No decorated symbol, and no copied name, comes before the token that it imitates.
import { expect, test } from "vitest";
import { systemClock } from "../../../../src/runtime/clock.ts";
import { sandboxLists } from "../../../../src/sandbox/stand-ins/tokenlist/lists.ts";
import { createYielder } from "../../../../src/services/tokenlist/cooperative-yield.ts";
import { buildTokenIndex } from "../../../../src/services/tokenlist/index/token-index.ts";
import { checkList } from "../../../../src/services/tokenlist/lists/checked-list.ts";
import { readListDocument } from "../../../../src/services/tokenlist/lists/list-document.ts";
import { checked, row } from "../lists.ts";
import { serve } from "../serve-lists.ts";
import { deceptions, lookAlikes } from "./decorated-symbols.ts";

test("a look-alike in a list of its own never comes before the token, for any of 25 decorations", async () => {
  const turns = createYielder(systemClock);
  const lists = await Promise.all(
    sandboxLists(1)
      .slice(1, 4)
      .map(async ({ key, document }) => ({ name: key, checked: await checkList(readListDocument(document), turns) })),
  );
  // So that all decorations occur in turn.
  const all = lookAlikes(await buildTokenIndex(lists, turns)).filter((_, number) => number % 16 === 0);
  expect(all.length).toBeGreaterThan(200);
  const faked = [...lists, { name: "fake", checked: await checked(all.map((each) => each.row)) }];
  expect(deceptions(await buildTokenIndex(faked, turns), all)).toEqual([]);
});

const usdc = (chainId: number): object => row(1, { chainId, symbol: "USDC", name: "USD Coin" });

test.each([
  ["usdc base", "USDC!", "Coin"],
  ["usdc base", "USDC~", "Coin"],
  ["base usdc", "$USDC", "Coin"],
  ["usdc base", "US-DC", "Coin"],
  ["usdc base", "XYZ", "USDC Base"],
  ["usdc on base", "USDC-BASE", "Coin"],
  ["usd coin base", "ZZZ1", "USD Coin"],
  ["usd coin base", "USDbC", "USD Base Coin"],
  ["usd coin on base", "USD", "Coin USD"],
])("for %s the token on two lists comes before %s on one", async (query, symbol, name) => {
  const fake = row(2, { chainId: 8453, symbol, name });
  const client = await serve({ one: [usdc(8453), fake], two: [usdc(8453), usdc(1)], three: [usdc(1)] });
  const [first] = (await client.searchTokens({ query })).results;
  expect([first?.symbol, first?.chain]).toEqual(["USDC", "base"]);
});

test.each([
  ["USDС", ["USDC ethereum", "USDС ethereum"], "usdc"],
  ["usdс ethereum", ["USDC ethereum", "USDС ethereum"], "usdc ethereum"],
  ["USDC", ["USDC ethereum", "USDС ethereum"], undefined],
  ["UЅDС", ["USDC ethereum", "USDС ethereum"], "usdc"],
  ["usdcc", ["USDC ethereum", "USDС ethereum"], "usdc"],
  ["usdc ethereun", ["USDC ethereum", "USDС ethereum"], "usdc ethereum"],
  ["ビットコイン", ["WBTC ethereum"], undefined],
])("%s finds the token with Latin letters first, and says what was searched for", async (query, expected, corrected) => {
  const fake = row(2, { symbol: "USDС", name: "Fake" });
  const client = await serve({ one: [fake, usdc(1), row(3, { symbol: "WBTC", name: "Wrapped BTC" })] });
  const { results, correctedQuery } = await client.searchTokens({ query });
  expect([results.map(({ symbol, chain }) => `${symbol} ${chain}`), correctedQuery]).toEqual([expected, corrected]);
});

test.each(["near", "bch", "dot", "xlm"])(
  "%s finds no token that is only one letter away, or only begins with it",
  async (query) => {
    const strangers = ["FEAR", "ACH", "DOG", "GLM"].map((symbol, number) => row(number, { symbol, name: `Stranger ${number}` }));
    const client = await serve({ one: [...strangers, row(9, { symbol: "MOOV", name: `${query}moovs` })] });
    expect((await client.searchTokens({ query })).total).toBe(0);
  },
);
