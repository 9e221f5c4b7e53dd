import { describe, expect, test } from "vitest";
import { lowerOf, numberOf, upperOf, wordOf, wordOfHalves } from "../../../src/guard/memory/slots.ts";

const HALF_MAX = 2 ** 32 - 1;

describe("a word of two halves", () => {
  test.each([
    [0, 0, 0n],
    [0, 7, 7n],
    [1, 0, 2n ** 32n],
    [2 ** 21 - 1, HALF_MAX, 2n ** 53n - 1n],
    [HALF_MAX, 1, 1n - 2n ** 32n],
  ])("of %d and %d is %d", (upper, lower, word) => {
    expect({ word: wordOfHalves(upper, lower), upper: upperOf(word), lower: lowerOf(word) }).toEqual({ word, upper, lower });
  });
});

describe("a word of a number", () => {
  test.each([0, 1, HALF_MAX, 2 ** 32, 1_795_000_123_456_789, Number.MAX_SAFE_INTEGER, -1, -(2 ** 32), -1_795_000_123_456_789])(
    "%d equals its BigInt",
    (value) => {
      expect({ word: wordOf(value), value: numberOf(BigInt(value)) }).toEqual({ word: BigInt(value), value });
    },
  );
});
