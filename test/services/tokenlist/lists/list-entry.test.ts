import { describe, expect, test } from "vitest";
import { readListEntry } from "../../../../src/services/tokenlist/lists/list-entry.ts";
import { address, row } from "../lists.ts";

const mint = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";
const entry = { chainId: 1, address: address(7), name: "Token 7", symbol: "T7", decimals: 18 };

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
    ["a name of 128 characters", { name: "n".repeat(128) }, { name: "n".repeat(128) }],
    ["a symbol of 22 characters, as in Aave's list", { symbol: "stataAvaWAVAXUmbrella2" }, { symbol: "stataAvaWAVAXUmbrella2" }],
    ["a symbol of 64 characters outside the basic plane", { symbol: "🔥".repeat(64) }, { symbol: "🔥".repeat(64) }],
    ["a symbol with a blank", { symbol: "US DC" }, { symbol: "US DC" }],
    ["a name with control characters", { name: "US\u0000D \u202eCoin " }, { name: "USD Coin" }],
    ["a logo", { logoURI: "https://example.org/7.png" }, { logo: "https://example.org/7.png" }],
    ["an empty logo", { logoURI: "" }, {}],
    ["a logo that no page can show", { logoURI: "javascript:alert(1)" }, {}],
    ["a logo that is not a URI", { logoURI: "logo.png" }, {}],
    ["a logo of null", { logoURI: null }, {}],
    ["a logo in IPFS", { logoURI: "ipfs://Qm/7.png" }, { logoIpfs: "ipfs://Qm/7.png" }],
    ["a key that is not in the schema", { price: 1 }, {}],
    ["tags", { tags: ["stablecoin", "a_b", "elevenchars", "a-b"] }, {}],
    ["tags in an object", { tags: {} }, {}],
    ["extensions of every kind", { extensions: { a: "text", b: 1, c: true, d: null, e: [{ f: {} }], "g-h": "x".repeat(99) } }, {}],
    ["extensions of null", { extensions: null }, {}],
    ["a group", { extensions: { opTokenId: "USDC" } }, { bridgeGroup: "USDC" }],
    ["a group that is not a string", { extensions: { opTokenId: 7 } }, {}],
    ["a group of 65 characters", { extensions: { opTokenId: "g".repeat(65) } }, {}],
  ])("%s", (_what, changes, read) => {
    expect(readListEntry(row(7, changes))).toEqual({ ...entry, ...read });
  });
});

describe("a bad entry is refused with the rule that it breaks:", () => {
  const chainRule = "chainId must be a whole number from 1 to 9007199254740991";
  const evmRule = "address must be 0x and 40 hexadecimal digits";
  const solanaRule = "address must be 32 to 44 base58 characters on solana";
  const nameRule = "name must be a line of at most 128 characters";
  const symbolRule = "symbol must be a line of at most 64 characters";
  const decimalsRule = "decimals must be a whole number from 0 to 255";
  test.each([
    ["null", null, "an entry must be an object"],
    ["a number", 7, "an entry must be an object"],
    ["an array", [row(7)], "an entry must be an object"],
    ["no name", row(7, { name: undefined }), nameRule],
    ["a chain id as a string", row(7, { chainId: "1" }), chainRule],
    ["a chain id of 0", row(7, { chainId: 0 }), chainRule],
    ["a chain id with a fraction", row(7, { chainId: 1.5 }), chainRule],
    ["a chain id that is not a safe integer", row(7, { chainId: 2 ** 53 }), chainRule],
    ["a short address", row(7, { address: "0x1234" }), evmRule],
    ["a base58 address on an EVM chain", row(7, { address: mint }), evmRule],
    ["an EVM address on Solana", row(7, { chainId: 501000101 }), solanaRule],
    ["an address with a letter that base58 lacks", row(7, { address: `0${mint.slice(1)}` }), evmRule],
    ["an address as an array of bytes", row(7, { address: [0x12] }), evmRule],
    ["negative decimals", row(7, { decimals: -1 }), decimalsRule],
    ["256 decimals", row(7, { decimals: 256 }), decimalsRule],
    ["decimals as a string", row(7, { decimals: "18" }), decimalsRule],
    ["a name of 129 characters", row(7, { name: "n".repeat(129) }), nameRule],
    ["a name with a line break", row(7, { name: "a\nb" }), nameRule],
    ["a symbol of 65 characters", row(7, { symbol: "s".repeat(65) }), symbolRule],
    ["a symbol with a line break", row(7, { symbol: "US\nDC" }), symbolRule],
    ["a symbol of null", row(7, { symbol: null }), symbolRule],
  ])("%s", (_what, json, rule) => {
    expect(readListEntry(json)).toBe(rule);
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
      "bridgeInfo to Solana, though a mint is longer than values in the schema may be",
      1,
      { bridgeInfo: { 501000101: { tokenAddress: mint } } },
      [{ kind: "bridgeInfo", chainId: 501000101, address: mint }],
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
