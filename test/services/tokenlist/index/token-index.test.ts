import { toJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { type Token, TokenSchema } from "../../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { address, indexOf, row } from "../lists.ts";

const json = (token: Token | undefined): unknown => token && toJson(TokenSchema, token, { useProtoFieldName: true });
const place = (number: number, chainId = 1) => ({ chainId, address: address(number) });

describe("a token in several lists", () => {
  test("takes each field from the majority, and names the lists that differ on decimals", async () => {
    const index = await indexOf({
      one: [row(1, { symbol: "OLD", decimals: 8, logoURI: "https://example.org/one.png" })],
      two: [row(1, { name: "Renamed", logoURI: "https://example.org/shared.png" })],
      three: [row(1, { logoURI: "https://example.org/shared.png" })],
    });
    expect(json(index.find(place(1)))).toEqual({
      name: "Token 1",
      symbol: "T1",
      decimals: 18,
      logo: "https://example.org/shared.png",
      chain_id: "1",
      chain: "ethereum",
      address: address(1),
      id: `ethereum:${address(1)}`,
      lists: ["one", "two", "three"],
      conflicts: [{ list: "one", decimals: 8 }],
    });
  });

  test("takes each field from the first list on a tie, and a logo from any list that has one", async () => {
    const index = await indexOf({
      one: [row(1, { symbol: "ONE", decimals: 6 })],
      two: [row(1, { symbol: "TWO", decimals: 18, logoURI: "ipfs://Qm/two.png" })],
    });
    expect(json(index.find(place(1)))).toEqual({
      name: "Token 1",
      symbol: "ONE",
      decimals: 6,
      logo_ipfs: "ipfs://Qm/two.png",
      chain_id: "1",
      chain: "ethereum",
      address: address(1),
      id: `ethereum:${address(1)}`,
      lists: ["one", "two"],
      conflicts: [{ list: "two", decimals: 18 }],
    });
  });

  test("keeps each list's own values in that list, with those of the others", async () => {
    const index = await indexOf({ one: [row(1)], two: [row(2), row(1, { symbol: "TWO", decimals: 6 })] });
    const [, two] = index.lists;
    expect(
      two?.tokens.map((token) => [token.symbol, token.decimals, token.lists, token.conflicts.map(({ list }) => list)]),
    ).toEqual([
      ["T2", 18, ["two"], []],
      ["TWO", 6, ["one", "two"], ["one"]],
    ]);
  });

  test("counts once for a list that has it twice, with all values of that list", async () => {
    const index = await indexOf({
      one: [row(1, { symbol: "OLD", decimals: 6 })],
      two: [row(1), row(1, { name: "Renamed" }), row(1, { decimals: 6 }), row(1, { decimals: 6 }), row(2), row(3)],
    });
    expect(index.lists.map(({ checked, tokens }) => [tokens.length, checked?.dropped])).toEqual([
      [1, 0],
      [3, 3],
    ]);
    expect(json(index.find(place(1)))).toEqual({
      name: "Token 1",
      symbol: "OLD",
      decimals: 6,
      chain_id: "1",
      chain: "ethereum",
      address: address(1),
      id: `ethereum:${address(1)}`,
      lists: ["one", "two"],
      conflicts: [{ list: "two", decimals: 18 }],
    });
    expect(index.search.find("renamed", 0, 10)).toEqual({ total: 1, page: [0] });
  });

  test("does not count as being in more lists because it is twice in one", async () => {
    const index = await indexOf({ one: [row(1), row(1), row(1), row(2)], two: [row(2)] });
    expect(index.tokens.map(({ symbol, lists }) => [symbol, lists])).toEqual([
      ["T2", ["one", "two"]],
      ["T1", ["one"]],
    ]);
  });

  test("gains nothing from being in a list more than eleven times", async () => {
    const rows = Array.from({ length: 300 }, (_, at) => row(1, { name: `Name ${at}`, decimals: at % 256 }));
    const index = await indexOf({ one: [...rows, ...Array.from({ length: 300 }, (_, at) => row(at + 2))] });
    expect(index.lists.map(({ checked, tokens }) => [tokens.length, checked?.repeats.length, checked?.dropped])).toEqual([
      [301, 10, 299],
    ]);
    expect(index.find(place(1))?.conflicts.length).toBe(10);
  });

  test.each<[string, object, unknown]>([
    ["name", { name: "Other" }, ["Other", "T1", 18, undefined]],
    ["symbol", { symbol: "OTHER" }, ["Token 1", "OTHER", 18, undefined]],
    ["decimals", { decimals: 6 }, ["Token 1", "T1", 6, undefined]],
    ["logo", { logoURI: "https://example.org/a.png" }, ["Token 1", "T1", 18, "https://example.org/a.png"]],
  ])("keeps a list's own %s if nothing else differs", async (_, changes, expected) => {
    const index = await indexOf({ one: [row(1)], two: [row(1)], three: [row(1, changes)] });
    const said = index.lists.flatMap(({ tokens }) =>
      tokens.map(({ name, symbol, decimals, logo }) => [name, symbol, decimals, logo]),
    );
    expect(said).toEqual([["Token 1", "T1", 18, undefined], ["Token 1", "T1", 18, undefined], expected]);
  });

  test("is the same token in any case of its address, and a different one on another chain", async () => {
    const lower = `0x${"ab".repeat(20)}`;
    const index = await indexOf({
      one: [row(1, { address: lower })],
      two: [row(1, { address: `0x${"AB".repeat(20)}` }), row(1, { address: lower, chainId: 123456 })],
    });
    expect(index.tokens.map(({ chain, address, lists }) => [chain, address, lists])).toEqual([
      ["ethereum", "0xABaBaBaBABabABabAbAbABAbABabababaBaBABaB", ["one", "two"]],
      ["123456", "0xABaBaBaBABabABabAbAbABAbABabababaBaBABaB", ["two"]],
    ]);
  });

  test("is the same token on Solana only in the same case", async () => {
    const mint = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
    const index = await indexOf({ one: [row(1, { chainId: 501000101, address: mint })] });
    const found = [mint, mint.toLowerCase()].map((each) => index.find({ chainId: 501000101, address: each })?.address);
    expect(found).toEqual([mint, undefined]);
  });
});

describe("an index", () => {
  test("orders tokens by their number of lists, then by the order of the lists", async () => {
    const index = await indexOf({ one: [row(5), row(3)], two: [row(9), row(3), row(4)], three: [row(4), row(3)] });
    expect(index.tokens.map(({ symbol }) => symbol)).toEqual(["T3", "T4", "T5", "T9"]);
  });

  test("keeps each list's order, and its tokens by chain", async () => {
    const index = await indexOf({ one: [row(5), row(3, { chainId: 10 }), row(1)] });
    const [list] = index.lists;
    expect(list?.tokens.map(({ symbol }) => symbol)).toEqual(["T5", "T3", "T1"]);
    expect([...(list?.tokensByChain ?? [])].map(([id, tokens]) => [id, tokens.map(({ symbol }) => symbol)])).toEqual([
      [1, ["T5", "T1"]],
      [10, ["T3"]],
    ]);
    expect(index.chainIds).toEqual(new Set([1, 10]));
  });

  test("has an entry for a list that has not been read", async () => {
    const index = await indexOf({ one: null, two: [row(1)] });
    expect(index.lists.map(({ name, checked, tokens }) => [name, checked === undefined, tokens.length])).toEqual([
      ["one", true, 0],
      ["two", false, 1],
    ]);
    expect(index.find(place(1))?.lists).toEqual(["two"]);
  });
});
