import { hashSecret, KeyFormat } from "@quintet/guard";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { generateKey, keyPrefixOf, parseKey } from "../../../src/guard/keys/key.ts";
import { systemRandomness } from "../../../src/runtime/randomness.ts";

const good = generateKey({ bytes: (count) => new Uint8Array(count).map((_, index) => index) });

test("a key consists of the prefix, 32 random characters and the checksum", () => {
  expect(good).toEqual({
    secret: "qk_live_0123456789ABCDEFGHIJKLMNOPQRSTUV4PkJsa",
    hash: hashSecret("qk_live_0123456789ABCDEFGHIJKLMNOPQRSTUV4PkJsa"),
    prefix: "qk_live_",
    lastFour: "kJsa",
  });
});

const inCell = generateKey(
  { bytes: (count) => new Uint8Array(count).map((_, index) => index) },
  keyPrefixOf({ isSandbox: false, cell: "07" }),
);

test("a key of a cell has its two digits after the prefix, covered by the checksum", () => {
  expect(inCell.prefix).toBe("qk_live_07");
  expect(inCell.secret.slice(0, -6)).toBe("qk_live_070123456789ABCDEFGHIJKLMNOPQRSTUV");
  expect(parseKey(inCell.secret)).toEqual({ kind: "ok", key: inCell.secret });
  expect(parseKey(inCell.secret.replace("_07", "_08")).kind).toBe("malformed");
  // It is longer than a key without a cell, so a proxy cannot take random digits for a cell.
  expect([inCell.secret.length, good.secret.length]).toEqual([48, 46]);
});

test.each([
  [{ isSandbox: false, cell: undefined }, "qk_live_"],
  [{ isSandbox: true, cell: undefined }, "qk_test_"],
  [{ isSandbox: true, cell: "42" }, "qk_test_42"],
])("keys of a server with %j begin with %s", (config, prefix) => {
  expect(keyPrefixOf(config)).toBe(prefix);
});

test("every generated key is well formed and unique", () => {
  const secrets = Array.from({ length: 500 }, () => generateKey(systemRandomness).secret);
  expect(secrets.map((key) => parseKey(key))).toEqual(secrets.map((key) => ({ kind: "ok", key })));
  expect(new Set(secrets).size).toBe(500);
});

test("a key with one character changed is never accepted as a key", () => {
  fc.assert(
    fc.property(fc.nat(37), fc.constantFrom(..."09AZaz-_ ,é"), (place, character) => {
      const at = 8 + place;
      fc.pre(good.secret[at] !== character);
      const typo = good.secret.slice(0, at) + character + good.secret.slice(at + 1);
      expect(parseKey(typo).kind).toBe("malformed");
    }),
  );
});

const mistyped = "The API key is mistyped: its checksum does not match. Copy the whole key again.";
const notAKey =
  "The x-gateway-key header does not contain a Quintet API key: a key is qk_live_ (qk_test_ in a sandbox) followed by 38 or 40 letters and digits.";
const several = "Send exactly one API key, in one x-gateway-key header.";

describe("a header without a valid key", () => {
  test.each([
    ["undefined", undefined, { kind: "missing" }],
    ["empty", "", { kind: "missing" }],
    ["blank", " ", { kind: "malformed", message: notAKey }],
    ["a word", "secret", { kind: "malformed", message: notAKey }],
    ["another prefix", good.secret.replace("qk_live_", "qk_prod_"), { kind: "malformed", message: notAKey }],
    ["upper-case prefix", good.secret.replace("qk_live_", "QK_LIVE_"), { kind: "malformed", message: notAKey }],
    ["one character short", good.secret.slice(0, -1), { kind: "malformed", message: notAKey }],
    [
      "letters in place of a cell",
      new KeyFormat("qk_live_a7").generate("qk_live_a7").secret,
      { kind: "malformed", message: notAKey },
    ],
    ["one character long", `${good.secret}0`, { kind: "malformed", message: notAKey }],
    ["a wrong checksum", `${good.secret.slice(0, -1)}B`, { kind: "malformed", message: mistyped }],
    ["two keys", `${good.secret}, ${good.secret}`, { kind: "malformed", message: several }],
    ["a megabyte", "q".repeat(1_000_000), { kind: "malformed", message: notAKey }],
  ])("%s", (_, header, expected) => {
    expect(parseKey(header)).toEqual(expected);
  });
});
