import { expect, test } from "vitest";
import { changeBetween } from "../../../../src/services/tokenprice/handlers/get-price-changes.ts";
import type { Quote } from "../../../../src/services/tokenprice/source/coins-response.ts";

const quote = (price: number, atSeconds: number, confidence: number | undefined = 0.9): Quote => ({
  symbol: "A",
  decimals: 18,
  price,
  atSeconds,
  confidence,
});
const day = { startSeconds: 100_000, endSeconds: 186_400 };

test.each<[string, Quote, Quote, unknown]>([
  ["up by half", quote(2, 100_000), quote(3, 186_400), { percent: 50, confidence: 0.9 }],
  ["down to half", quote(2, 100_000), quote(1, 186_400), { percent: -50, confidence: 0.9 }],
  ["many times over", quote(1, 100_000), quote(21, 186_400), { percent: 2000, confidence: 0.9 }],
  ["the lower confidence counts", quote(2, 100_000, 0.5), quote(2, 186_400), { percent: 0, confidence: 0.5 }],
  ["samples at a quarter of the period", quote(2, 121_600), quote(2, 164_800), { percent: 0, confidence: 0.9 }],
  ["a start too far away", quote(2, 121_601), quote(2, 186_400), undefined],
  ["an end too far away", quote(2, 100_000), quote(2, 164_799), undefined],
  ["a change that is not a finite number", quote(Number.MIN_VALUE, 100_000), quote(1, 186_400), undefined],
])("%s", (_name, start, end, change) => {
  expect(changeBetween(start, end, day)).toEqual(change);
});

test("the confidence is unknown if either one is", () => {
  const unsure = { ...quote(2, 100_000), confidence: undefined };
  expect(changeBetween(unsure, quote(2, 186_400), day)).toEqual({ percent: 0, confidence: undefined });
});

test("over fifteen minutes the latest record and an earlier one show a change, and a single record does not", () => {
  const short = { startSeconds: 1000, endSeconds: 1900 };
  expect(changeBetween(quote(2, 1150), quote(3, 1600), short)).toEqual({ percent: 50, confidence: 0.9 });
  expect(changeBetween(quote(2, 1300), quote(2, 1600), short)).toBeUndefined();
});
