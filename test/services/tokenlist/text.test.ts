import { describe, expect, test } from "vitest";
import { foldText } from "../../../src/services/tokenlist/text.ts";

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
