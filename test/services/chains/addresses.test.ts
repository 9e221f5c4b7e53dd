import { getOption } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { text_shape } from "../../../gen/quintet/options/v1/options_pb.js";
import { GetTokenRequestSchema } from "../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import {
  isAddressOn,
  isBase58Address,
  isEvmAddress,
  plainAddress,
  shownAddress,
  tokenKey,
} from "../../../src/services/chains/addresses.ts";

// https://eips.ethereum.org/EIPS/eip-55
const checksummed = [
  "0x52908400098527886E0F7030069857D2E4169EE7",
  "0x8617E340B3D01FA5F11F306F4090FD50E238070D",
  "0xde709f2102306220921060314715629080e2fb77",
  "0x27b1fdb04752bbc536007a920d24acb045561c26",
  "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
  "0xfB6916095ca1df60bB79Ce92cE3Ea74c37c5d359",
  "0xdbF03B407c01E7cD3CBea99509d93f8DDDC8C6FB",
  "0xD1220A0cf47c7B9Be7A2E6BA89F429762e7b9aDb",
];

const mint = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v";

describe("an EVM address", () => {
  test.each(checksummed)("%s is shown with the checksum of EIP-55", (address) => {
    expect(shownAddress(plainAddress(address))).toBe(address);
  });

  test.each([
    ["0xDE709F2102306220921060314715629080E2FB77", true],
    ["0XDE709F2102306220921060314715629080E2FB77", true],
    ["0xde709f2102306220921060314715629080e2fb7", false],
    ["0xde709f2102306220921060314715629080e2fb777", false],
    ["0xde709f2102306220921060314715629080e2fb7g", false],
    ["de709f2102306220921060314715629080e2fb77", false],
    ["", false],
  ])("%j: %s", (text, expected) => {
    expect(isEvmAddress(text)).toBe(expected);
  });

  test("has one key in any case", () => {
    const keys = ["0xAB", "0xab"].map((start) => tokenKey(1, plainAddress(`${start}${"0".repeat(38)}`)));
    expect(keys).toEqual([`1:0xab${"0".repeat(38)}`, `1:0xab${"0".repeat(38)}`]);
  });
});

describe("a base58 address", () => {
  test.each([
    [mint, true],
    ["So11111111111111111111111111111111111111112", true],
    ["1".repeat(32), true],
    ["1".repeat(31), false],
    ["1".repeat(45), false],
    [`0${mint.slice(1)}`, false],
    [`l${mint.slice(1)}`, false],
  ])("%j: %s", (text, expected) => {
    expect(isBase58Address(text)).toBe(expected);
  });

  test("is kept and shown as it is", () => {
    expect(shownAddress(plainAddress(mint))).toBe(mint);
  });
});

test("the address of a request has the same rule in the contract", () => {
  const { pattern } = getOption(GetTokenRequestSchema.field.address, text_shape);
  const texts = [
    ...checksummed,
    mint,
    "1".repeat(32),
    "1".repeat(31),
    "1".repeat(45),
    `0${mint.slice(1)}`,
    `l${mint.slice(1)}`,
    "0x12",
  ];
  const letters = [..."0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"].map((letter) => letter.repeat(40));
  for (const text of [...texts, ...letters, ...letters.map((digits) => `0x${digits}`)]) {
    expect([text, new RegExp(pattern).test(text)]).toEqual([text, isEvmAddress(text) || isBase58Address(text)]);
  }
});

describe("a chain", () => {
  const evm = "0x00000000000000000000000000000000000000aa";
  test.each([
    ["ethereum", 1, true, false],
    ["solana", 501000101, false, true],
    ["a chain without a name", 123456, true, true],
  ])("can have its own form of addresses: %s", (_which, id, hexadecimal, base58) => {
    expect([isAddressOn(id, evm), isAddressOn(id, mint), isAddressOn(id, "0x12")]).toEqual([hexadecimal, base58, false]);
  });
});
