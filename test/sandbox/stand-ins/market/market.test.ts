import { expect, test } from "vitest";
import { BITCOIN, inventedAsset, knownAsset } from "../../../../src/sandbox/stand-ins/market/assets.ts";
import { DAY_SECONDS, dayOf } from "../../../../src/sandbox/stand-ins/market/days.ts";
import { candleOf, firstDayOf, priceAt } from "../../../../src/sandbox/stand-ins/market/market.ts";
import { sandboxTokens } from "../../../../src/sandbox/stand-ins/tokenlist/lists.ts";

const today = dayOf("2026-11-21");
const assets = ["BTC", "ETH", "USDC", "DOGE"].map((symbol) => knownAsset(symbol) ?? BITCOIN);

test.each(assets)("an asset's day begins on its open, ends on its close, and stays between its low and high: %#", (asset) => {
  const { open, close, low, high } = candleOf(asset, 1, today);
  const prices = Array.from({ length: 24 * 60 }, (_, minute) => priceAt(asset, 1, today * DAY_SECONDS + minute * 60));
  expect([prices[0], priceAt(asset, 1, (today + 1) * DAY_SECONDS)]).toEqual([open, close]);
  // Rounded like the prices.
  expect(Math.min(...prices)).toBeGreaterThanOrEqual(low * 0.999_99);
  expect(Math.max(...prices)).toBeLessThanOrEqual(high * 1.000_01);
});

test("a price moves every few seconds, by little", () => {
  const prices = Array.from({ length: 100 }, (_, step) => priceAt(BITCOIN, 1, today * DAY_SECONDS + 40_000 + step * 4));
  const steps = prices.slice(1).map((price, index) => Math.abs(price / (prices[index] ?? price) - 1));
  expect(steps.filter((step) => step === 0).length).toBeLessThan(5);
  expect(Math.max(...steps)).toBeLessThan(0.002);
});

test("prices are the same for the same seed and different for another", () => {
  const at = today * DAY_SECONDS + 12_345;
  expect(priceAt(BITCOIN, 1, at)).toBe(priceAt(BITCOIN, 1, at));
  expect(priceAt(BITCOIN, 1, at)).not.toBe(priceAt(BITCOIN, 2, at));
});

test("a wrapped or bridged token is the same asset", () => {
  expect([knownAsset("WBTC"), knownAsset("weth"), knownAsset("USDC.e"), knownAsset("AMBAD1")]).toEqual([
    BITCOIN,
    knownAsset("ETH"),
    knownAsset("USDC"),
    undefined,
  ]);
});

test("every token of the lists is traded by now, and has a price", () => {
  const odd = sandboxTokens(1)
    .filter((_, index) => index % 10 === 0)
    .map(({ symbol, address }) => knownAsset(symbol) ?? inventedAsset(address, 1))
    .filter((asset) => firstDayOf(asset) > today || !(priceAt(asset, 1, today * DAY_SECONDS) > 0));
  expect(odd).toEqual([]);
});
