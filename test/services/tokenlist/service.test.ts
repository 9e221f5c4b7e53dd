// Complete responses of the service over the sandbox's stand-in, and over small lists for responses that can be read at a glance.
import { type DescMessage, type MessageShape, toJson } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  BatchGetTokensResponseSchema,
  GetBridgesResponseSchema,
  GetListResponseSchema,
  GetTokenResponseSchema,
  ListListsResponseSchema,
  SearchTokensResponseSchema,
} from "../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { systemClock } from "../../../src/runtime/clock.ts";
import { sandboxLists } from "../../../src/sandbox/stand-ins/tokenlist/lists.ts";
import { startTokenListStandIn, type TokenListStandIn } from "../../../src/sandbox/stand-ins/tokenlist/stand-ins.ts";
import { chainIdOf, chainName } from "../../../src/services/chains/chains.ts";
import { address, row } from "./lists.ts";
import { serve, sourcesOf } from "./serve-lists.ts";
import { type StartedTokenList, startTokenList } from "./start-token-list.ts";

const fetchedAt = "2026-11-21T12:00:00Z";
const usdc = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
const mint = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";

const names = ["uniswap", "superchain", "arbitrum", "cow", "aave"];
async function responded<Desc extends DescMessage>(schema: Desc, response: Promise<MessageShape<Desc>>): Promise<unknown> {
  return toJson(schema, await response, { useProtoFieldName: true });
}

describe("over the sandbox's lists", () => {
  let standIn: TokenListStandIn;
  let service: StartedTokenList;
  let client: StartedTokenList["client"];

  beforeAll(async () => {
    standIn = await startTokenListStandIn({ seed: 1, clock: systemClock });
    service = startTokenList(sourcesOf(standIn, names));
    client = service.client;
  });
  afterAll(async () => {
    await service.close();
    await standIn.standIn.close();
  });

  test("a token is resolved by the chain's id and its address in any case", async () => {
    expect(await responded(GetTokenResponseSchema, client.getToken({ chain: "1", address: usdc.toLowerCase() }))).toEqual({
      name: "USD Coin",
      symbol: "USDC",
      decimals: 6,
      logo: `${standIn.standIn.origin}/logos/usdc.svg`,
      chain_id: "1",
      chain: "ethereum",
      address: usdc,
      id: `ethereum:${usdc.toLowerCase()}`,
      lists: ["uniswap", "superchain", "cow", "aave"],
      freshness: { fetched_at: fetchedAt },
    });
  });

  test("tokens of many chains are answered in order, each under the spelling it was asked with, and the unknown are missing", async () => {
    const asked = [
      `solana:${mint}`,
      `1:${usdc}`,
      `ETH: ${usdc.toLowerCase()}`,
      `base:${address(9)}`,
      `987654:${usdc}`,
      `1:${usdc}`,
    ];
    const { results, missing, freshness } = await client.batchGetTokens({ tokens: asked });
    expect(results.map(({ token, id, symbol, lists }) => [token, id, symbol, lists.length > 0])).toEqual([
      [asked[0], `solana:${mint}`, "USDC", true],
      [asked[1], `ethereum:${usdc.toLowerCase()}`, "USDC", true],
      [asked[2], `ethereum:${usdc.toLowerCase()}`, "USDC", true],
    ]);
    expect(missing).toEqual([asked[3], asked[4]]);
    const alone = await client.getToken({ chain: "1", address: usdc });
    expect(toJson(BatchGetTokensResponseSchema, await client.batchGetTokens({ tokens: [`1:${usdc}`] }))).toMatchObject({
      results: [{ name: alone.name, symbol: alone.symbol, logo: alone.logo, address: usdc }],
    });
    expect(freshness?.fetchedAt).toBeDefined();
    // The shared message of the token is unchanged.
    expect((await client.searchTokens({ query: usdc })).results[0]?.token).toBeUndefined();
  });

  test("each name and ID of the listed chains can be given for it, and chains without a name are listed by their IDs", async () => {
    const { results } = await client.listChains({});
    const spellings = results.flatMap(({ name, chainId, aliases, otherChainIds }) =>
      [name, String(chainId), ...aliases, ...otherChainIds.map(String)].map((spelling) => ({ name, spelling })),
    );
    expect(new Set(spellings.map(({ spelling }) => spelling)).size).toBeGreaterThan(results.length * 2);
    for (const { name, spelling } of spellings) {
      expect({ spelling, name: chainName(chainIdOf(spelling) ?? 0) }).toEqual({ spelling, name });
    }
    const ofLists = (await client.listLists({})).results.flatMap(({ chains }) => chains.map(({ chain }) => chain));
    expect(results.map(({ name }) => name)).toEqual(expect.arrayContaining(ofLists));
    expect(results.find(({ name }) => name === "sepolia")).toMatchObject({ testnet: true });
  });

  test("a token with wrong decimals in one list names that list", async () => {
    const link = "0x514910771AF9Ca656af840dff83E8264EcF986CA";
    expect(await responded(GetTokenResponseSchema, client.getToken({ chain: "Ethereum", address: link }))).toEqual({
      name: "ChainLink Token",
      symbol: "LINK",
      decimals: 18,
      logo: `${standIn.standIn.origin}/logos/link.svg`,
      chain_id: "1",
      chain: "ethereum",
      address: link,
      id: `ethereum:${link.toLowerCase()}`,
      lists: ["uniswap", "superchain", "cow", "aave"],
      conflicts: [{ list: "cow", decimals: 8 }],
      freshness: { fetched_at: fetchedAt },
    });
  });

  test("a token of Solana is resolved by its mint", async () => {
    expect(await responded(GetTokenResponseSchema, client.getToken({ chain: "solana", address: mint }))).toEqual({
      name: "USD Coin",
      symbol: "USDC",
      decimals: 6,
      chain_id: "501000101",
      chain: "solana",
      address: mint,
      id: `solana:${mint}`,
      lists: ["uniswap"],
      freshness: { fetched_at: fetchedAt },
    });
  });

  test("a list is returned page by page, in its own order", async () => {
    const rows = sandboxLists(1)[0]?.document.tokens ?? [];
    const pages = [];
    for (let offset = 0; offset < rows.length; offset += 500) {
      pages.push(await client.getList({ list: "Uniswap", limit: 500, offset }));
    }
    expect(pages.flatMap(({ results }) => results.map(({ symbol }) => symbol))).toEqual(
      rows.map((each) => (each as { symbol: string }).symbol),
    );
    expect(new Set(pages.map(({ total }) => total))).toEqual(new Set([rows.length]));
  });

  test("a list is filtered by chain", async () => {
    const request = { list: "uniswap", chain: "arbitrum", limit: 1, offset: 1 };
    const response = await responded(GetListResponseSchema, client.getList(request));
    const rows = sandboxLists(1)[0]?.document.tokens ?? [];
    expect(response).toEqual({
      total: rows.filter((each) => (each as { chainId: number }).chainId === 42161).length,
      next_offset: 2,
      list: {
        name: "uniswap",
        title: "Sandbox Uniswap Default",
        version: `1.${rows.length}.0`,
        published_at: "2026-11-01T00:00:00Z",
      },
      results: [
        {
          name: "Wrapped Ether",
          symbol: "WETH",
          decimals: 18,
          logo: `${standIn.standIn.origin}/logos/weth.svg`,
          chain_id: "42161",
          chain: "arbitrum",
          address: "0x82aF49447D8a07e3bd95BD0d56f35241523fBab1",
          id: "arbitrum:0x82af49447d8a07e3bd95bd0d56f35241523fbab1",
          lists: ["uniswap", "arbitrum"],
        },
      ],
      freshness: { fetched_at: fetchedAt },
    });
  });

  test("a search finds the whole symbol first, and on the requested chain", async () => {
    const { total, results } = await client.searchTokens({ query: " usdc ", limit: 5 });
    expect(total).toBe(8);
    expect(results.map(({ symbol, chain, lists }) => [symbol, chain, lists.length])).toEqual([
      ["USDC", "ethereum", 4],
      ["USDC", "optimism", 2],
      ["USDC", "base", 2],
      ["USDC", "arbitrum", 2],
      ["USDC", "polygon", 1],
    ]);
    expect(await responded(SearchTokensResponseSchema, client.searchTokens({ query: "usdc", chain: "polygon" }))).toEqual({
      total: 1,
      results: [
        {
          name: "USD Coin",
          symbol: "USDC",
          decimals: 6,
          logo: `${standIn.standIn.origin}/logos/usdc.svg`,
          chain_id: "137",
          chain: "polygon",
          address: "0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359",
          id: "polygon:0x3c499c542cef5e3811e1192ce70d8cc03d5c3359",
          lists: ["uniswap"],
        },
      ],
      freshness: { fetched_at: fetchedAt },
    });
  });

  test.each([
    ["usdcc", "USDC"],
    ["wehth", "WETH"],
    ["chainlnk", "LINK"],
    ["tether", "USDT"],
    ["ethereum", "WETH"],
    ["etherium", "WETH"],
  ])("a search for %s finds %s on Ethereum first", async (query, symbol) => {
    const [first] = (await client.searchTokens({ query, limit: 1 })).results;
    expect([first?.symbol, first?.chain]).toEqual([symbol, "ethereum"]);
  });

  test("the bridges of a token are found by all three kinds of link", async () => {
    const weth = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2";
    const via = { via_chain_id: "1", via_address: weth };
    const bridgeInfo = { list: "uniswap", kind: "BRIDGE_KIND_BRIDGE_INFO", ...via };
    const opTokenId = { list: "superchain", kind: "BRIDGE_KIND_OP_TOKEN_ID", ...via };
    const l1Address = {
      list: "arbitrum",
      kind: "BRIDGE_KIND_L1_ADDRESS",
      ...via,
      bridge_address: "0x09e9222E96E7B4AE2a407B98d48e330053351EEe",
      via_bridge_address: "0xa3A7B6F88361F48403514059F1F16C8E78d60EeC",
    };
    const known = { name: "Wrapped Ether", symbol: "WETH", decimals: 18, hops: 1 };
    const onOpChains = "0x4200000000000000000000000000000000000006";
    const onArbitrum = "0x82aF49447D8a07e3bd95BD0d56f35241523fBab1";
    expect(await responded(GetBridgesResponseSchema, client.getBridges({ chain: "ethereum", address: weth }))).toEqual({
      chain_id: "1",
      chain: "ethereum",
      address: weth,
      id: `ethereum:${weth.toLowerCase()}`,
      results: [
        {
          chain_id: "10",
          chain: "optimism",
          address: onOpChains,
          id: `optimism:${onOpChains}`,
          ...known,
          links: [bridgeInfo, opTokenId],
        },
        {
          chain_id: "8453",
          chain: "base",
          address: onOpChains,
          id: `base:${onOpChains}`,
          ...known,
          links: [bridgeInfo, opTokenId],
        },
        {
          chain_id: "42161",
          chain: "arbitrum",
          address: onArbitrum,
          id: `arbitrum:${onArbitrum.toLowerCase()}`,
          ...known,
          links: [bridgeInfo, l1Address],
        },
      ],
      freshness: { fetched_at: fetchedAt },
    });
  });

  test("a token that a list has twice, in two groups, has the bridges of both", async () => {
    const { results } = await client.getBridges({ chain: "eth", address: usdc });
    const onSuperchain = results.filter(({ links }) => links.some(({ list }) => list === "superchain"));
    expect(onSuperchain.map(({ chain, symbol, hops }) => [chain, symbol, hops])).toEqual([
      ["optimism", "USDC", 1],
      ["optimism", "USDC.e", 1],
      ["base", "USDC", 1],
      ["base", "USDC.e", 1],
    ]);
  });

  test("the five lists are counted, with the number of entries dropped from each", async () => {
    const { results } = await client.listLists({});
    const sizes = sandboxLists(1).map(({ key, document }) => [key, document.tokens.length]);
    expect(results.map(({ name, tokenCount, dropped }) => [name, tokenCount + dropped])).toEqual(sizes);
    expect(results.map(({ dropped }) => dropped)).toEqual([0, 1, 0, 0, 5]);
    expect(results.reduce((sum, { tokenCount }) => sum + tokenCount, 0)).toBeGreaterThan(10_000);
  });
});

describe("over small lists", () => {
  test("lists are described", async () => {
    const client = await serve({ one: [row(1), row(2, { chainId: 10 }), row(3), { bad: true }], two: [row(1, { chainId: 777 })] });
    const shared = {
      title: "A List",
      version: "1.2.3",
      published_at: "2026-11-01T00:00:00Z",
      freshness: { fetched_at: fetchedAt },
    };
    expect(await responded(ListListsResponseSchema, client.listLists({}))).toEqual({
      results: [
        {
          ...shared,
          name: "one",
          token_count: 3,
          dropped: 1,
          dropped_entries: [{ reason: "chainId must be a whole number from 1 to 9007199254740991", count: 1, examples: ["?:?"] }],
          chains: [
            { chain_id: "1", chain: "ethereum", token_count: 2 },
            { chain_id: "10", chain: "optimism", token_count: 1 },
          ],
        },
        { ...shared, name: "two", token_count: 1, chains: [{ chain_id: "777", chain: "777", token_count: 1 }] },
      ],
    });
  });

  test("an address that is only linked to is found, without a name", async () => {
    const client = await serve({ one: [row(1, { extensions: { bridgeInfo: { 10: { tokenAddress: address(2) } } } })] });
    const link = { list: "one", kind: "BRIDGE_KIND_BRIDGE_INFO" };
    const one = { chain_id: "1", chain: "ethereum", address: address(1), id: `ethereum:${address(1)}` };
    const two = { chain_id: "10", chain: "optimism", address: address(2), id: `optimism:${address(2)}` };
    expect(await responded(GetBridgesResponseSchema, client.getBridges({ chain: "op", address: address(2) }))).toEqual({
      ...two,
      results: [
        {
          ...one,
          name: "Token 1",
          symbol: "T1",
          decimals: 18,
          hops: 1,
          links: [{ ...link, via_chain_id: "10", via_address: address(2) }],
        },
      ],
      freshness: { fetched_at: fetchedAt },
    });
    expect(await responded(GetBridgesResponseSchema, client.getBridges({ chain: "1", address: address(1) }))).toEqual({
      ...one,
      results: [{ ...two, hops: 1, links: [{ ...link, via_chain_id: "1", via_address: address(1) }] }],
      freshness: { fetched_at: fetchedAt },
    });
  });

  test("a page says whether more pages follow", async () => {
    const client = await serve({ one: [row(1), row(2), row(3)] });
    const pages = [
      [0, 1, 1],
      [1, 1, 2],
      [1, 2, undefined],
      [2, 1, undefined],
      [3, 1, undefined],
      [0, 3, undefined],
    ] as const;
    for (const [offset, limit, nextOffset] of pages) {
      const responses = [
        await client.searchTokens({ query: "token", offset, limit }),
        await client.getList({ list: "one", offset, limit }),
      ];
      for (const response of responses) {
        expect([response.total, response.nextOffset]).toEqual([3, nextOffset]);
      }
    }
    expect((await client.listLists({})).results.length).toBe(1);
    expect(await client.getBridges({ chain: "1", address: address(1) })).toMatchObject({ results: [], hasMore: false });
  });

  test("a token without bridges returns an empty response, and so does a chain without tokens", async () => {
    const client = await serve({ one: [row(1)] });
    expect(await client.getBridges({ chain: "1", address: address(1) })).toMatchObject({ results: [] });
    expect(await client.getList({ list: "one", chain: "fantom" })).toMatchObject({ total: 0, results: [] });
    expect(await client.searchTokens({ query: "t1", chain: "fantom" })).toMatchObject({ total: 0, results: [] });
  });
});
