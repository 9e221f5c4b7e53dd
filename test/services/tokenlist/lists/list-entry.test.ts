import { describe, expect, test } from "vitest";
import { readListEntry } from "../../../../src/services/tokenlist/lists/list-entry.ts";
import { address, row } from "../lists.ts";

const mint = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
const entry = { chainId: 1, address: address(7), name: "Token 7", symbol: "T7", decimals: 18 };

const nested = (depth: number): object => (depth === 0 ? { leaf: 1 } : { inner: nested(depth - 1) });
const keys = (count: number): object => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k${index}`, 1]));

describe("a good entry", () => {
  test.each([
    ["only the five fields", {}, {}],
    ["an address in capitals", { address: `0x${"AB".repeat(20)}` }, { address: `0x${"ab".repeat(20)}` }],
    ["a base58 address", { chainId: 501000101, address: mint }, { chainId: 501000101, address: mint }],
    ["a chain id of more than 32 bits, such as Palm's", { chainId: 11297108109 }, { chainId: 11297108109 }],
    ["the largest chain id", { chainId: Number.MAX_SAFE_INTEGER }, { chainId: Number.MAX_SAFE_INTEGER }],
    ["CoW Swap's id for Solana", { chainId: 1000000001, address: mint }, { chainId: 501000101, address: mint }],
    ["the most decimals", { decimals: 255 }, { decimals: 255 }],
    ["no decimals", { decimals: 0 }, { decimals: 0 }],
    ["an empty name and symbol", { name: "", symbol: "" }, { name: "", symbol: "" }],
    ["a name of 60 characters", { name: "n".repeat(60) }, { name: "n".repeat(60) }],
    ["a symbol of 20 characters outside the basic plane", { symbol: "🔥".repeat(20) }, { symbol: "🔥".repeat(20) }],
    ["a name with control characters", { name: "US\u0000D \u202eCoin " }, { name: "USD Coin" }],
    ["a logo", { logoURI: "https://example.org/7.png" }, { logo: "https://example.org/7.png" }],
    ["an empty logo", { logoURI: "" }, {}],
    ["a logo that no page can show", { logoURI: "javascript:alert(1)" }, {}],
    ["tags", { tags: ["stablecoin", "a_b"] }, {}],
    ["ten tags", { tags: Array.from({ length: 10 }, (_, index) => `tag${index}`) }, {}],
    ["extensions of every kind", { extensions: { a: "text", b: 1, c: true, d: null, e: nested(1) } }, {}],
    ["ten extensions", { extensions: keys(10) }, {}],
    ["a group", { extensions: { opTokenId: "USDC" } }, { bridgeGroup: "USDC" }],
    ["a group that is not a string", { extensions: { opTokenId: 7 } }, {}],
  ])("%s", (_what, changes, read) => {
    expect(readListEntry(row(7, changes))).toEqual({ ...entry, ...read });
  });
});

describe("a bad entry", () => {
  test.each([
    ["null", null],
    ["a number", 7],
    ["an array", [row(7)]],
    ["a key that is not in the schema", row(7, { price: 1 })],
    ["no name", row(7, { name: undefined })],
    ["a chain id as a string", row(7, { chainId: "1" })],
    ["a chain id of 0", row(7, { chainId: 0 })],
    ["a chain id with a fraction", row(7, { chainId: 1.5 })],
    ["a chain id that is not a safe integer", row(7, { chainId: 2 ** 53 })],
    ["a short address", row(7, { address: "0x1234" })],
    ["a base58 address on an EVM chain", row(7, { address: mint })],
    ["an EVM address on Solana", row(7, { chainId: 501000101 })],
    ["an address with a letter that base58 lacks", row(7, { address: `0${mint.slice(1)}` })],
    ["an address as an array of bytes", row(7, { address: [0x12] })],
    ["negative decimals", row(7, { decimals: -1 })],
    ["256 decimals", row(7, { decimals: 256 })],
    ["decimals as a string", row(7, { decimals: "18" })],
    ["a name of 61 characters", row(7, { name: "n".repeat(61) })],
    ["a name with a line break", row(7, { name: "a\nb" })],
    ["a symbol of 21 characters", row(7, { symbol: "s".repeat(21) })],
    ["a symbol with a blank", row(7, { symbol: "US DC" })],
    ["a symbol of null", row(7, { symbol: null })],
    ["a logo that is not a URI", row(7, { logoURI: "logo.png" })],
    ["a logo with a blank in it", row(7, { logoURI: "https://example.org/a b.png" })],
    ["a logo of null", row(7, { logoURI: null })],
    ["11 tags", row(7, { tags: Array.from({ length: 11 }, (_, index) => `tag${index}`) })],
    ["a tag of 11 characters", row(7, { tags: ["elevenchars"] })],
    ["a tag with a hyphen", row(7, { tags: ["a-b"] })],
    ["tags in an object", row(7, { tags: {} })],
    ["extensions of null", row(7, { extensions: null })],
    ["11 extensions", row(7, { extensions: keys(11) })],
    ["an extension with a hyphen in its name", row(7, { extensions: { "a-b": 1 } })],
    ["an extension whose name has 41 characters", row(7, { extensions: { ["k".repeat(41)]: 1 } })],
    ["an empty extension", row(7, { extensions: { a: "" } })],
    ["an extension of 43 characters", row(7, { extensions: { a: "x".repeat(43) } })],
    ["an extension in an array", row(7, { extensions: { a: [1] } })],
    ["extensions nested three deep", row(7, { extensions: { a: nested(2) } })],
  ])("%s", (_what, json) => {
    expect(readListEntry(json)).toBeUndefined();
  });
});

describe("the bridges of an entry", () => {
  const [other, origin, dest] = [address(0xabc), address(1), address(2)];
  const capitals = `0x${other.slice(2).toUpperCase()}`;

  test.each([
    [
      "bridgeInfo with only an address",
      1,
      { bridgeInfo: { 10: { tokenAddress: capitals } } },
      [{ kind: "bridgeInfo", chainId: 10, address: other }],
    ],
    [
      "bridgeInfo with both bridges",
      42161,
      { bridgeInfo: { 1: { tokenAddress: other, originBridgeAddress: origin, destBridgeAddress: dest } } },
      [{ kind: "bridgeInfo", chainId: 1, address: other, originBridge: origin, destBridge: dest }],
    ],
    [
      "bridgeInfo to Solana, where the mint fits into the schema's 42 characters",
      1,
      { bridgeInfo: { 501000101: { tokenAddress: mint.slice(2) } } },
      [{ kind: "bridgeInfo", chainId: 501000101, address: mint.slice(2) }],
    ],
    [
      "l1Address on a chain that settles to Ethereum",
      42161,
      { l1Address: capitals, l2GatewayAddress: origin, l1GatewayAddress: dest },
      [{ kind: "l1Address", chainId: 1, address: other, originBridge: origin, destBridge: dest }],
    ],
  ])("%s", (_what, chainId, extensions, bridges) => {
    expect(readListEntry(row(7, { chainId, extensions }))).toEqual({ ...entry, chainId, bridges });
  });

  test.each([
    ["bridgeInfo to the entry's own chain", { bridgeInfo: { 1: { tokenAddress: other } } }],
    ["bridgeInfo to a chain that is not a number", { bridgeInfo: { one: { tokenAddress: other } } }],
    ["bridgeInfo to a chain with a leading zero", { bridgeInfo: { "010": { tokenAddress: other } } }],
    ["bridgeInfo without an address", { bridgeInfo: { 10: { originBridgeAddress: origin } } }],
    ["bridgeInfo with an invalid address", { bridgeInfo: { 10: { tokenAddress: "0x12" } } }],
    ["bridgeInfo with a base58 address on an EVM chain", { bridgeInfo: { 10: { tokenAddress: mint.slice(2) } } }],
    ["bridgeInfo that is a string", { bridgeInfo: "10" }],
    ["bridgeInfo whose chains are strings", { bridgeInfo: { 10: other } }],
    ["l1Address on a chain that does not settle to another", { l1Address: other }],
  ])("are not derived from %s", (_what, extensions) => {
    expect(readListEntry(row(7, { extensions }))).toEqual(entry);
  });
});
