// The assets in the sandbox's market. Well-known assets follow their real highs and lows, rounded; invented assets are first traded on a
// random day and move independently.
import { seeded } from "../seeded.ts";
import { dayOf, type KnownDay } from "./days.ts";

/** An asset: anything with a price. A token on several chains is one asset. */
export interface Asset {
  /** The seed of its random numbers: assets with different numbers move differently. */
  readonly number: number;
  /** US dollars on known days; the first is the day on which it was first traded. */
  readonly prices: readonly KnownDay[];
  /** How far the price moves around `prices`: 1 for Bitcoin, 0.02 for a stablecoin. */
  readonly movement: number;
}

/** Derives a number from a string. Similar strings give unrelated numbers. */
export function numberOf(text: string, seed = 0): number {
  let hash = seed ^ 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}

const MOVEMENT = { dollar: 0.02, coin: 1.6 };

/** Bitcoin. Its number is 0. */
export const BITCOIN: Asset = {
  number: 0,
  movement: 1,
  prices: knownDays(
    "2009-01-03 0.01, 2011-06-08 30, 2011-11-18 2, 2013-11-30 1100, 2015-01-14 180, 2017-12-17 19500, 2018-12-15 3200, " +
      "2019-06-26 12500, 2020-03-13 5200, 2021-04-14 63500, 2021-07-20 29800, 2021-11-09 67500, 2022-11-21 15800, 2024-03-13 73000, " +
      "2024-09-06 54000, 2025-10-06 124000, 2026-11-01 98000",
  ),
};

// Round prices of well-known days.
const PRICES_BY_SYMBOL: Readonly<Record<string, string>> = {
  ETH:
    "2015-08-07 1.2, 2016-03-13 15, 2017-01-01 8, 2017-06-12 400, 2018-01-13 1400, 2018-12-15 83, 2019-06-26 340, 2020-03-13 110, " +
    "2021-05-11 4150, 2021-07-20 1790, 2021-11-09 4810, 2022-06-18 990, 2024-03-11 4070, 2025-04-08 1470, 2025-08-24 4830, 2026-11-01 3100",
  SOL: "2020-04-11 0.8, 2021-11-06 258, 2022-12-29 9.6, 2024-03-18 202, 2025-04-08 105, 2025-09-18 247, 2026-11-01 170",
  BNB: "2017-07-25 0.1, 2018-01-12 22, 2018-12-15 4.7, 2020-03-13 9.5, 2021-05-10 680, 2022-06-18 200, 2025-10-13 1300, 2026-11-01 620",
  POL: "2019-04-29 0.004, 2021-12-26 2.9, 2022-06-18 0.35, 2023-02-18 1.5, 2025-04-08 0.17, 2026-11-01 0.4",
  ARB: "2023-03-23 1.35, 2024-01-12 2.3, 2025-04-08 0.27, 2026-11-01 0.5",
  OP: "2022-06-01 1.4, 2022-06-18 0.45, 2024-03-06 4.7, 2025-04-08 0.6, 2026-11-01 0.7",
  AVAX: "2020-09-22 4, 2021-11-21 135, 2022-12-30 10.8, 2024-03-18 62, 2025-04-08 16, 2026-11-01 25",
  UNI: "2020-09-17 3, 2021-05-03 43, 2022-06-18 3.7, 2024-12-07 18.5, 2025-04-08 4.8, 2026-11-01 8",
  LINK: "2017-09-20 0.18, 2019-06-29 4.2, 2020-08-16 18.5, 2021-05-10 51, 2023-06-10 5, 2024-12-13 29, 2025-04-08 11, 2026-11-01 15",
  AAVE: "2020-10-03 52, 2021-05-18 640, 2022-06-18 48, 2024-12-16 390, 2025-04-08 120, 2026-11-01 180",
  MANA: "2017-09-17 0.01, 2021-11-25 5.6, 2022-12-30 0.29, 2026-11-01 0.3",
  DOGE: "2013-12-15 0.0004, 2015-05-06 0.0001, 2018-01-07 0.017, 2020-03-13 0.0016, 2021-05-07 0.68, 2022-06-18 0.05, 2026-11-01 0.2",
  CAKE: "2020-09-25 1, 2021-04-30 43, 2023-10-12 1.1, 2026-11-01 2",
  SUI: "2023-05-03 1.3, 2023-10-19 0.37, 2025-01-04 5.3, 2026-11-01 2",
  BONK: "2022-12-25 0.0000004, 2024-11-20 0.000058, 2026-11-01 0.00002",
};

const STABLECOIN_LAUNCHES: Readonly<Record<string, string>> = {
  USDT: "2015-02-25",
  USDC: "2018-10-08",
  DAI: "2019-11-18",
  XDAI: "2018-10-09",
};

// Other names of the same asset: wrapped, bridged or issued again.
const ALIASES: Readonly<Record<string, string>> = {
  WBTC: "BTC",
  WETH: "ETH",
  WBNB: "BNB",
  WPOL: "POL",
  WAVAX: "AVAX",
  WXDAI: "XDAI",
  "USDC.E": "USDC",
};

const KNOWN_ASSETS: ReadonlyMap<string, Asset> = new Map([
  ["BTC", BITCOIN],
  ...Object.entries(PRICES_BY_SYMBOL).map(
    ([symbol, prices]) => [symbol, { number: numberOf(symbol), prices: knownDays(prices), movement: MOVEMENT.coin }] as const,
  ),
  ...Object.entries(STABLECOIN_LAUNCHES).map(
    ([symbol, date]) => [symbol, { number: numberOf(symbol), prices: knownDays(`${date} 1`), movement: MOVEMENT.dollar }] as const,
  ),
]);

/** The asset of a symbol, in any case; undefined if it is unknown. */
export function knownAsset(symbol: string): Asset | undefined {
  const upper = symbol.toUpperCase();
  return KNOWN_ASSETS.get(ALIASES[upper] ?? upper);
}

const FIRST_LAUNCH = dayOf("2017-06-01");
const LAST_LAUNCH = dayOf("2026-06-01");
const TREND_DAYS = { min: 90, more: 300 };

/** An invented asset, always the same for the same string and seed. */
export function inventedAsset(text: string, seed: number): Asset {
  const number = numberOf(text, seed);
  const draw = seeded(number);
  let day = FIRST_LAUNCH + Math.floor(draw() * (LAST_LAUNCH - FIRST_LAUNCH));
  let price = 10 ** (draw() * 5 - 3);
  const prices: KnownDay[] = [];
  while (day <= LAST_LAUNCH) {
    prices.push([day, price]);
    day += TREND_DAYS.min + Math.floor(draw() * TREND_DAYS.more);
    price *= Math.exp((draw() - 0.5) * 3);
  }
  return { number, prices, movement: MOVEMENT.coin };
}

/** An asset whose price stays around `price` from the date `since` on. */
export const steadyAsset = (name: string, since: string, price: number, movement: number): Asset => ({
  number: numberOf(name),
  prices: [[dayOf(since), price]],
  movement,
});

function knownDays(text: string): readonly KnownDay[] {
  return text.split(", ").map((part): KnownDay => {
    const [date = "", price] = part.split(" ");
    return [dayOf(date), Number(price)];
  });
}
