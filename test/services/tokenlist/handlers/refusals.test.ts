import { Code } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { address, row } from "../lists.ts";
import { failure, serve } from "../serve-lists.ts";

const mint = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";

describe("the error names what is wrong:", () => {
  const chain = (text: string, suggestion = "") => ({
    field: "chain",
    description: `must be the ID or name of a chain that a token list includes; "${text}" is not${suggestion}`,
  });
  const digits = { field: "address", description: "must be 0x and 40 hexadecimal digits" };
  const base58 = { field: "address", description: "must be 32 to 44 base58 characters on solana" };

  test.each([
    ["a misspelt chain", { chain: "etherium", address: address(1) }, [chain("etherium", "; did you mean `ethereum`?")]],
    ["a chain that is similar to none", { chain: "x".repeat(12), address: address(1) }, [chain("x".repeat(12))]],
    ["an id that is in no list", { chain: "999999", address: address(1) }, [chain("999999")]],
    ["a short address", { chain: "1", address: "0x1234" }, [digits]],
    ["a mint on an EVM chain", { chain: "base", address: mint }, [digits]],
    ["an EVM address on Solana", { chain: "solana", address: address(1) }, [base58]],
    ["both", { chain: "bse", address: "0x1234" }, [chain("bse", "; did you mean `bsc`?"), digits]],
  ])("%s", async (_what, request, violations) => {
    const client = await serve({ one: [row(1)] });
    expect(await failure(client.getToken(request))).toEqual({ reason: "INVALID_ARGUMENT", violations });
    expect(await failure(client.getBridges(request))).toEqual({ reason: "INVALID_ARGUMENT", violations });
  });

  test("each wrong token of a batch, by its place", async () => {
    const client = await serve({ one: [row(1)] });
    const form = "must be chain:address, such as ethereum:0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48";
    const tokens = [`1:${address(1)}`, "usdc", `etherium:${address(1)}`, `solana:${address(1)}`, "base:0x12"];
    expect(await failure(client.batchGetTokens({ tokens }))).toEqual({
      reason: "INVALID_ARGUMENT",
      violations: [
        { field: "tokens[1]", description: form },
        {
          field: "tokens[2]",
          description: chain("etherium", "; did you mean `ethereum`?").description.replace("be", "begin with"),
        },
        { field: "tokens[3]", description: "must have an address of 32 to 44 base58 characters on solana" },
        { field: "tokens[4]", description: "must have an address of 0x and 40 hexadecimal digits" },
      ],
    });
  });

  test("a token that is in no list, with the chains that have a token at this address", async () => {
    const client = await serve({ one: [row(1), row(1, { chainId: 8453 })] });
    const elsewhere = `No list contains ${address(1)} on optimism. That address is a token on ethereum, base.`;
    expect(await failure(client.getToken({ chain: "10", address: address(1) }))).toEqual({
      reason: "NOT_FOUND",
      message: elsewhere,
    });
    const nowhere = `No list contains ${address(2)} on ethereum.`;
    expect(await failure(client.getBridges({ chain: "1", address: address(2) }))).toEqual({
      reason: "NOT_FOUND",
      message: nowhere,
    });
  });

  test("a token whose only entry a list has wrong, with the rule that it breaks", async () => {
    const good = [row(2), row(3)];
    const lists = { aave: [row(1, { symbol: "s".repeat(65) }), ...good], cow: [...good, row(1, { decimals: 256 })], uniswap: good };
    const message =
      `No list contains ${address(1)} on ethereum.` +
      " An entry of the list aave was left out: its symbol must be a line of at most 64 characters." +
      " An entry of the list cow was left out: its decimals must be a whole number from 0 to 255.";
    const client = await serve(lists);
    expect(await failure(client.getToken({ chain: "1", address: address(1) }))).toEqual({ reason: "NOT_FOUND", message });
    const [aave] = (await client.listLists({})).results;
    expect(aave?.droppedEntries).toMatchObject([
      { reason: "symbol must be a line of at most 64 characters", count: 1, examples: [`1:${address(1)} ${"s".repeat(65)}`] },
    ]);
  });

  test.each([
    ["unisap", 'There is no list called "unisap". Did you mean `uniswap`? The lists are uniswap, cow.'],
    ["coingecko", 'There is no list called "coingecko". The lists are uniswap, cow.'],
    ["k4v7-0q2m-x9ta-83hd", 'There is no list called "(not shown)". The lists are uniswap, cow.'],
  ])("the list %s", async (list, message) => {
    const client = await serve({ uniswap: [row(1)], cow: [row(2)] });
    expect(await failure(client.getList({ list }))).toEqual({ reason: "NOT_FOUND", message });
  });

  test("a query of blanks", async () => {
    const client = await serve({ one: [row(1)] });
    const violations = [{ field: "query", description: "must not be blank" }];
    expect(await failure(client.searchTokens({ query: " \u200b " }))).toEqual({ reason: "INVALID_ARGUMENT", violations });
  });

  test.each([
    ["no query", { query: "" }],
    ["a long query", { query: "q".repeat(257) }],
    ["a limit of 0", { query: "a", limit: 0 }],
    ["a limit of 501", { query: "a", limit: 501 }],
    ["a negative offset", { query: "a", offset: -1 }],
    ["an offset of 100,001", { query: "a", offset: 100_001 }],
  ])("%s", async (_what, request) => {
    const client = await serve({ one: [row(1)] });
    await expect(client.searchTokens(request)).rejects.toMatchObject({ code: Code.InvalidArgument });
  });
});
