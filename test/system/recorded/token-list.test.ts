// Four of the five lists as recorded, processed by the reader, the index and the search. They are not part of this repository: set
// QUINTET_RECORDED_DATA to a folder that has them, as `tokenlists/*.json`.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { create } from "@bufbuild/protobuf";
import { beforeAll, describe, expect, test } from "vitest";
import { SearchTokensRequestSchema } from "../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { systemClock } from "../../../src/runtime/clock.ts";
import { chainIdOf, chainName, networkKindOf } from "../../../src/services/chains/chains.ts";
import { createYielder } from "../../../src/services/tokenlist/cooperative-yield.ts";
import { searchTokens } from "../../../src/services/tokenlist/handlers/search-tokens.ts";
import { reachFrom } from "../../../src/services/tokenlist/index/bridge-search.ts";
import type { Place } from "../../../src/services/tokenlist/index/place-table.ts";
import { buildTokenIndex, type TokenIndex } from "../../../src/services/tokenlist/index/token-index.ts";
import { checkList } from "../../../src/services/tokenlist/lists/checked-list.ts";
import { readListDocument, versionText } from "../../../src/services/tokenlist/lists/list-document.ts";
import { checked } from "../../services/tokenlist/lists.ts";
import { deceptions, lookAlikes } from "../../services/tokenlist/search/decorated-symbols.ts";
import { formsNotFound } from "../../services/tokenlist/search/pasted-forms.ts";
import { searchMisses } from "../../services/tokenlist/search/search-misses.ts";

const folder = process.env.QUINTET_RECORDED_DATA;
const files = {
  uniswap: "uniswap-default-22.21.0.tokenlist.json",
  superchain: "optimism-superchain-10.0.1764.tokenlist.json",
  cow: "CowSwap.json",
  aave: "aave-address-book-4.44.22.tokenlist.json",
};

/** What the tests read of a recorded list. */
interface RecordedList {
  readonly tokens: readonly {
    readonly chainId: number;
    readonly address: string;
    readonly symbol: string;
    readonly extensions?: { readonly bridgeInfo?: Readonly<Record<string, { readonly tokenAddress: string }>> };
  }[];
}

describe.skipIf(folder === undefined)("the recorded lists (skipped unless QUINTET_RECORDED_DATA names their folder)", () => {
  let index: TokenIndex;
  let recorded: readonly RecordedList[];

  beforeAll(async () => {
    recorded = Object.values(files).map((file) => JSON.parse(readFileSync(join(folder ?? "", "tokenlists", file), "utf8")));
    const lists = Object.keys(files).map(async (name, at) => {
      return { name, checked: await checkList(readListDocument(recorded[at]), createYielder(systemClock)) };
    });
    index = await buildTokenIndex(await Promise.all(lists), createYielder(systemClock));
  });

  const mint = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
  const found = (query: string): string[] => {
    const freshness = index.lists.map(() => ({ confirmedAtMs: 0, stale: false }));
    const { results = [] } = searchTokens(create(SearchTokensRequestSchema, { query, limit: 500 }), { index, freshness });
    return results.map(({ symbol, chain }) => `${symbol} ${chain}`);
  };

  test("are all read, with the symbols of up to 23 characters; only the one repeated entry is dropped", () => {
    const counts = index.lists.map(({ name, checked, tokens }) => [
      name,
      checked?.title,
      checked && versionText(checked.version),
      tokens.length,
      checked?.dropped,
    ]);
    expect(counts).toEqual([
      ["uniswap", "Uniswap Labs Default", "22.21.0", 1723, 0],
      ["superchain", "Superchain Token List", "10.0.1764", 1167, 1],
      ["cow", "CoW Swap", "7.10.0", 275, 0],
      ["aave", "Aave token list", "3.0.162", 857, 0],
    ]);
    expect(index.tokens.length).toBe(3504);
  });

  // Addresses in mixed case were written with a checksum by whoever made the list, so they test ours.
  test("have the checksums that their publishers wrote", () => {
    const written = recorded.flatMap(({ tokens }) =>
      tokens.flatMap(({ address }) => (/^0x(?=.*[A-F])(?=.*[a-f])/.test(address) ? [address] : [])),
    );
    const ours = new Set(index.tokens.map(({ address }) => address));
    expect([written.length, written.filter((address) => !ours.has(address))]).toEqual([3321, []]);
  });

  test("are linked in both directions wherever an entry has a bridge", () => {
    const pairs = recorded.flatMap(({ tokens }) =>
      tokens.flatMap(({ chainId, address, extensions }) =>
        Object.entries(extensions?.bridgeInfo ?? {}).map(([other, { tokenAddress }]): readonly [Place, Place] => [
          { chainId, address: address.toLowerCase() },
          { chainId: Number(other), address: tokenAddress.toLowerCase() },
        ]),
      ),
    );
    const isLinked = (from: Place, to: Place): boolean =>
      reachFrom(from, index.bridgeLinks).places.some(
        ({ hops, place }) => hops === 1 && place.chainId === to.chainId && place.address === to.address,
      );
    const missing = pairs.filter(([one, other]) => !(isLinked(one, other) && isLinked(other, one)));
    expect([pairs.length, missing]).toEqual([1358, []]);
  });

  test("disagree on the decimals of one token", () => {
    const conflicts = index.tokens.filter(({ conflicts: each }) => each.length > 0);
    expect(
      conflicts.map(({ symbol, chain, decimals, conflicts: each }) => [
        symbol,
        chain,
        decimals,
        each.map(({ decimals: other }) => other),
      ]),
    ).toEqual([["FLUX", "ethereum", 18, [8]]]);
  });

  test("have a name for every chain", () => {
    expect(index.tokens.filter(({ chain }) => /^\d/.test(chain))).toEqual([]);
  });

  test.each([
    ["usdc", ["USDC ethereum", "USDC base", "USDC optimism"]],
    ["weth", ["WETH ethereum", "WETH optimism", "WETH base"]],
    ["dai", ["DAI ethereum", "DAI optimism", "DAI polygon"]],
    ["aave", ["AAVE ethereum", "AAVE optimism", "AAVE avalanche"]],
    ["arb", ["ARB arbitrum", "ARB ethereum", "ARB unichain"]],
    ["op", ["OP optimism"]],
    ["eth", ["ETH ethereum", "ETH optimism"]],
    ["sol", ["SOL solana", "SOL ethereum"]],
    ["chainlink", ["LINK ethereum"]],
    ["tether", ["USDT ethereum"]],
    ["usd coin", ["USDC ethereum", "USDC base", "USDC optimism"]],
    ["ethereum", ["WETH ethereum"]],
    ["etherium", ["WETH ethereum"]],
    ["usdcc", ["USDC ethereum"]],
    ["wehth", ["WETH ethereum"]],
    ["uniswp", ["UNI ethereum"]],
    ["usdt0", ["USD₮0 ink", "USDT0 optimism"]],
    ["michi", ["$MICHI solana"]],
    ["0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48", ["USDC ethereum"]],
    [mint, ["USDC solana"]],
  ])("a search for %s finds %j first", (query, expected) => {
    expect(found(query).slice(0, expected.length)).toEqual(expected);
  });

  test("put the token that people mean first for at least 327 of 329 queries", () => {
    const { tried, misses } = searchMisses(index);
    expect(tried).toBe(329);
    expect(tried - misses.length, JSON.stringify(misses)).toBeGreaterThanOrEqual(327);
  });

  test("have every token found by its address in every form that people paste", () => {
    expect(formsNotFound(index, index.tokens)).toEqual([]);
  });

  test("have no look-alike before the token that it imitates", async () => {
    const all = lookAlikes(index);
    const lists = [...index.lists, { name: "fake", checked: await checked(all.map((each) => each.row)) }];
    expect(all.length).toBeGreaterThan(3000);
    expect(deceptions(await buildTokenIndex(lists, createYielder(systemClock)), all)).toEqual([]);
  });

  test("of test networks are found last", () => {
    const kinds = found("uni").map((each) => networkKindOf(chainIdOf(each.split(" ")[1] ?? "") ?? 0));
    expect(new Set(kinds)).toEqual(new Set(["main", "test"]));
    expect(kinds.indexOf("test")).toBeGreaterThan(kinds.lastIndexOf("main"));
  });

  // Its Superchain entry is repeated with two groups: one of the bridged forms, one of the native ones.
  test("link USDC on Ethereum to both its bridged and its native forms on the Superchain's chains", () => {
    const place = { chainId: 1, address: "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48" };
    const grouped = reachFrom(place, index.bridgeLinks).places.filter(
      ({ hops, links }) => hops === 1 && links.some(({ kind }) => kind === "opTokenId"),
    );
    expect(grouped.map(({ place: { chainId, address } }) => `${chainName(chainId)} ${address}`)).toEqual([
      "optimism 0x0b2c639c533813f4aa9d7837caf62653d097ff85",
      "optimism 0x7f5c764cbc14f9669b88837ca1490cca17c31607",
      "unichain 0x078d782b760474a361dda0af3839290b0ef57ad6",
      "redstone 0xd5d59fc063e7548b6015a36feb10b875924a19be",
      "lisk 0xf242275d3a6527d877f2c927a82d9b057609cc71",
      "base 0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
      "base 0xd9aaec86b65d86f6a7b5b1b0c42ffa531710b6ca",
      "mode 0xd988097fb8612cc24eec14542bc03424c656005f",
    ]);
  });

  test("link USDC on Ethereum to twelve chains, by eight direct links of one list and eight of another", () => {
    const place = { chainId: 1, address: "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48" };
    const reached = reachFrom(place, index.bridgeLinks).places;
    expect(new Set(reached.map(({ place: { chainId } }) => chainId)).size).toBe(12);
    const kinds = reached.filter(({ hops }) => hops === 1).flatMap(({ links }) => links.map(({ kind }) => kind));
    expect([kinds.length, kinds.filter((kind) => kind === "opTokenId").length]).toEqual([16, 8]);
  });
});
