import { describe, expect, test } from "vitest";
import { cleanText, foldText } from "../../../src/services/tokenlist/text.ts";

describe("a cleaned text", () => {
  test.each([
    ["plain", "USD Coin", "USD Coin"],
    ["blanks at the ends", "  SOL Wormhole ", "SOL Wormhole"],
    ["control characters", "US\u0000D\u001b[31mC\u007f\u0085", "USD[31mC"],
    ["characters that turn the direction", "\u202eCDSU\u2066", "CDSU"],
    ["characters of no width", "U\u200bS\ufeffD\u00adC", "USDC"],
    ["a joiner between letters", "US\u200dDC", "USDC"],
    ["a joiner within an emoji", "❤️\u200d🔥", "❤️\u200d🔥"],
    ["line separators", "A\u2028B\u2029C", "ABC"],
    ["half a surrogate pair", "A\ud800B", "A\ufffdB"],
    ["other scripts", "USD₮0 プール", "USD₮0 プール"],
  ])("%s", (_what, text, cleaned) => {
    expect(cleanText(text)).toBe(cleaned);
  });
});

describe("a folded text", () => {
  test.each([
    ["USDC", "usdc"],
    ["USD₮0", "usdt0"],
    ["Café", "cafe"],
    ["ＷＥＴＨ", "weth"],
    ["❤️", "❤"],
    ["ﬁ", "fi"],
  ])("%s is %s", (text, folded) => {
    expect(foldText(text)).toBe(folded);
  });
});
