import { crc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hashSecret, KeyFormat, type RandomSource } from "../src/key-format.ts";

const format = new KeyFormat("ek_");
const counting: RandomSource = { bytes: (count) => new Uint8Array(count).map((_, index) => index) };
const good = format.generate("ek_", counting);

test("a key consists of the prefix, 32 random characters and the checksum", () => {
  const secret = `ek_0123456789ABCDEFGHIJKLMNOPQRSTUV${good.secret.slice(-6)}`;
  expect(good).toEqual({ secret, hash: hashSecret(secret), prefix: "ek_", lastFour: secret.slice(-4) });
});

test("the checksum is the CRC-32 of what precedes it, in base 62, padded with zeros", () => {
  const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  const value = [...good.secret.slice(-6)].reduce((sum, digit) => sum * 62 + digits.indexOf(digit), 0);
  expect(value).toBe(crc32(good.secret.slice(0, -6)));
});

test("the hash is SHA-256 in lower-case hex", () => {
  expect(hashSecret("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

test("random bytes that would favour some characters are discarded", () => {
  const batches = [new Uint8Array(32).fill(255), new Uint8Array(32).fill(248), new Uint8Array(32).fill(247)];
  const { secret } = format.generate("ek_", { bytes: () => batches.shift() ?? new Uint8Array(0) });
  expect(secret.slice(3, 35)).toBe("z".repeat(32));
});

test("every generated key is well formed and unique", () => {
  const secrets = Array.from({ length: 500 }, () => format.generate("ek_").secret);
  expect(secrets.map((key) => format.parse(key))).toEqual(secrets.map((key) => ({ kind: "ok", key })));
  expect(new Set(secrets).size).toBe(500);
});

test("a key with one character changed is never accepted as a key", () => {
  fc.assert(
    fc.property(fc.nat(37), fc.constantFrom(..."09AZaz-_ ,é"), (place, character) => {
      const at = 3 + place;
      fc.pre(good.secret[at] !== character);
      expect(format.parse(good.secret.slice(0, at) + character + good.secret.slice(at + 1)).kind).not.toBe("ok");
    }),
  );
});

test("a format may have several prefixes, and makes keys with no other", () => {
  const two = new KeyFormat(/e(?:live|test)_/);
  expect(["elive_", "etest_"].map((prefix) => two.parse(two.generate(prefix).secret).kind)).toEqual(["ok", "ok"]);
  expect(() => two.generate("edev_")).toThrow(new RangeError("Keys of this format do not begin with edev_."));
  // Not a pattern, but a text with special characters.
  expect(new KeyFormat("e.k").parse(new KeyFormat("eek").generate("eek").secret).kind).toBe("shape");
});

describe("a header without a valid key", () => {
  test.each([
    ["undefined", undefined, "missing"],
    ["empty", "", "missing"],
    ["a word", "secret", "shape"],
    ["one character short", good.secret.slice(0, -1), "shape"],
    ["one character long", `${good.secret}0`, "shape"],
    ["a wrong checksum", `${good.secret.slice(0, -1)}${good.secret.endsWith("B") ? "C" : "B"}`, "checksum"],
    ["two keys", `${good.secret}, ${good.secret}`, "several"],
    ["a megabyte", "q".repeat(1_000_000), "shape"],
  ])("%s", (_, header, kind) => {
    expect(format.parse(header)).toEqual({ kind });
  });
});
