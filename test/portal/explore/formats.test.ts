// Numbers as the pages of Explore write them.
import { expect, test } from "vitest";
import { formatRatio, formatRatioTick, formatScore, formatUsdTick } from "../../../portal/explore/formats.ts";

test("ratios have three decimals, ticks of a plot as many as they need, and scores at most one", () => {
  expect([0.9, 0.864, 170.749_3].map(formatRatio)).toEqual(["0.900", "0.864", "170.749"]);
  expect([0.8, 1, 1.25].map(formatRatioTick)).toEqual(["0.8", "1", "1.25"]);
  expect([10.6, 5, 10.64].map(formatScore)).toEqual(["10.6", "5", "10.6"]);
});

test("prices on the axis of a plot have no cents if they are whole dollars", () => {
  expect([0, 3050, 92_400, 2.5, 0.9995].map(formatUsdTick)).toEqual(["$0", "$3,050", "$92,400", "$2.50", "$0.9995"]);
});
