import { describe, expect, test } from "vitest";
import { chainTable } from "../../../src/services/tokenlist/chain-table.ts";
import { chainIdOf, chainName, isAddressOn, nearestChainName } from "../../../src/services/tokenlist/chains.ts";

describe("a chain", () => {
  test.each([
    ["1", 1],
    ["8453", 8453],
    ["4294967295", 4294967295],
    ["4294967296", undefined],
    ["0", undefined],
    ["-1", undefined],
    ["1e3", undefined],
    ["0x1", undefined],
    ["ethereum", 1],
    [" Ethereum ", 1],
    ["BASE", 8453],
    ["avax", 43114],
    ["arbitrum one", 42161],
    ["op_mainnet", 10],
    ["solana", 501000101],
    ["nowhere", undefined],
    ["", undefined],
  ])("%j is %s", (text, id) => {
    expect(chainIdOf(text)).toBe(id);
  });

  test.each([
    ["etherium", "ethereum"],
    ["arbitrun", "arbitrum"],
    ["polygn", "polygon"],
    ["xyzzyxyzzy", undefined],
  ])("%j was meant to be %s", (text, name) => {
    expect(nearestChainName(text)).toBe(name);
  });

  const evm = "0x00000000000000000000000000000000000000aa";
  const mint = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
  test.each([
    ["ethereum", 1, true, false],
    ["solana", 501000101, false, true],
    ["one without a name", 123456, true, true],
  ])("can have addresses of its own form: %s", (_which, id, hexadecimal, base58) => {
    expect([isAddressOn(id, evm), isAddressOn(id, mint), isAddressOn(id, "0x12")]).toEqual([hexadecimal, base58, false]);
  });

  test("without a name goes by its id", () => {
    expect(chainName(123456)).toBe("123456");
  });

  test("has an id and names of its own", () => {
    const names = chainTable.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(chainTable.map(({ id }) => id)).size).toBe(chainTable.length);
    expect(chainTable.map(({ name }) => chainName(chainIdOf(name) ?? 0))).toEqual(chainTable.map(({ name }) => name));
  });
});
