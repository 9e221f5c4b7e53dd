import { describe, expect, test } from "vitest";
import { visibleText } from "../../src/services/visible-text.ts";

describe("a visible text", () => {
  test.each([
    ["plain", "USD Coin", "USD Coin"],
    ["blanks at the ends", "  SOL Wormhole ", "SOL Wormhole"],
    ["control characters", "US\u0000D\u001b[31mC\u007f\u0085", "USD[31mC"],
    ["characters that change the text direction", "\u202eCDSU\u2066", "CDSU"],
    ["zero-width characters", "U\u200bS\ufeffD\u00adC", "USDC"],
    ["a joiner between letters", "US\u200dDC", "USDC"],
    ["a joiner within an emoji", "❤️\u200d🔥", "❤️\u200d🔥"],
    ["a joiner after a single emoji", "USDC\u200d", "USDC"],
    ["variation selectors after a letter and a digit", "USDC\ufe0f0\ufe0f\ufe00", "USDC0"],
    ["Hangul fillers", "USDC\u3164\u115f\u1160\uffa0", "USDC"],
    ["a grapheme joiner and invisible vowels", "U\u034fSD\u17b4C\u17b5", "USDC"],
    ["a Braille blank", "USDC\u2800", "USDC"],
    ["tags", "USDC\u{e0041}", "USDC"],
    ["line separators", "A\u2028B\u2029C", "ABC"],
    ["half a surrogate pair", "A\ud800B", "A\ufffdB"],
    ["other scripts", "USD₮0 プール", "USD₮0 プール"],
  ])("%s", (_what, text, cleaned) => {
    expect(visibleText(text)).toBe(cleaned);
  });
});
