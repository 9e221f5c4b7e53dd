// A made-up Bitcoin that is close to the real one where it matters: the halvings are on their dates, the supply follows the
// schedule, and prices go through the cycles' known highs and lows. What lies between is drawn from the seed. Pure.
import { seeded } from "../../../upstream/stand-in/seeded.ts";
import type { Day } from "../day.ts";

/** What the world knows of a day. */
export interface DayFacts {
  readonly low: number;
  readonly high: number;
  readonly open: number;
  readonly close: number;
  /** Coins at the day's end. */
  readonly supply: number;
  /** What miners earned, in US dollars. */
  readonly revenueUsd: number;
  /** What was transferred, in US dollars; undefined on days that the source has lost. */
  readonly volumeUsd: number | undefined;
}

/** Seconds in a day. */
export const DAY_SECONDS = 86_400;

/** The day of a date such as `2024-04-20`. */
export const dayOf = (date: string): Day => Date.parse(`${date}T00:00:00Z`) / (DAY_SECONDS * 1000);

/** The first day with a block. */
export const FIRST_DAY = dayOf("2009-01-03");

const BLOCKS_PER_HALVING = 210_000;
const BLOCKS_PER_DAY = 144;

// Block heights on days that are known: the first block and the halvings.
const HEIGHTS: readonly (readonly [Day, number])[] = [
  [FIRST_DAY, 0],
  [dayOf("2012-11-28"), 210_000],
  [dayOf("2016-07-09"), 420_000],
  [dayOf("2020-05-11"), 630_000],
  [dayOf("2024-04-20"), 840_000],
];

// Round prices of days that everybody who watched remembers.
const PRICES: readonly (readonly [Day, number])[] = [
  [FIRST_DAY, 0.01],
  [dayOf("2011-06-08"), 30],
  [dayOf("2011-11-18"), 2],
  [dayOf("2013-11-30"), 1100],
  [dayOf("2015-01-14"), 180],
  [dayOf("2017-12-17"), 19_500],
  [dayOf("2018-12-15"), 3200],
  [dayOf("2019-06-26"), 12_500],
  [dayOf("2020-03-13"), 5200],
  [dayOf("2021-04-14"), 63_500],
  [dayOf("2021-07-20"), 29_800],
  [dayOf("2021-11-09"), 67_500],
  [dayOf("2022-11-21"), 15_800],
  [dayOf("2024-03-13"), 73_000],
  [dayOf("2024-09-06"), 54_000],
  [dayOf("2025-10-06"), 124_000],
  [dayOf("2026-11-01"), 98_000],
];

// Days that the transaction values lack, as the real chart lacks some: pairs of days, and once a fortnight.
const LOST: readonly (readonly [Day, number])[] = [
  [dayOf("2016-02-03"), 2],
  [dayOf("2017-09-12"), 2],
  [dayOf("2019-05-20"), 15],
  [dayOf("2020-10-01"), 2],
  [dayOf("2022-01-30"), 2],
  [dayOf("2023-08-08"), 2],
];

// Between two known days by `scale`, and level after the last.
function between(known: readonly (readonly [Day, number])[], day: number, scale: "linear" | "logarithmic"): number {
  const next = known.findIndex(([at]) => at > day);
  const [fromDay, from] = known[next === -1 ? known.length - 1 : next - 1] ?? [day, 0];
  const [toDay, to] = known[next] ?? [fromDay + 1, from];
  const share = (day - fromDay) / (toDay - fromDay);
  return scale === "linear" ? from + (to - from) * share : from * (to / from) ** share;
}

function heightAt(day: number): number {
  const [lastDay, lastHeight] = HEIGHTS.at(-1) ?? [0, 0];
  return day > lastDay ? lastHeight + (day - lastDay) * BLOCKS_PER_DAY : between(HEIGHTS, day, "linear");
}

/** Coins after `day` days since 1970, fractions of a day counted. */
export function supplyAt(day: number): number {
  let height = Math.floor(heightAt(day));
  let supply = 0;
  for (let subsidy = 50; height > 0; subsidy /= 2) {
    supply += Math.min(height, BLOCKS_PER_HALVING) * subsidy;
    height -= BLOCKS_PER_HALVING;
  }
  return supply;
}

function closeOn(seed: number, day: Day): number {
  const wave = Math.sin(day / 9) * 0.03 + Math.sin(day / 31) * 0.05;
  return between(PRICES, day, "logarithmic") * Math.exp(wave + (seeded(seed + day)() - 0.5) * 0.03);
}

const cents = (usd: number): number => Math.max(0.01, Math.round(usd * 100) / 100);

/** What the world knows of a day. */
export function factsOf(seed: number, day: Day): DayFacts {
  const draw = seeded(seed ^ Math.imul(day, 2_654_435_761));
  const open = cents(closeOn(seed, day - 1));
  const close = cents(closeOn(seed, day));
  const supply = supplyAt(day + 1);
  const fees = 0.02 + draw() * 0.06;
  const isLost = LOST.some(([first, days]) => day >= first && day < first + days);
  return {
    open,
    close,
    low: cents(Math.min(open, close) * (1 - draw() * 0.02)),
    high: cents(Math.max(open, close) * (1 + draw() * 0.02)),
    supply,
    revenueUsd: Math.round((supply - supplyAt(day)) * close * (1 + fees)),
    volumeUsd: isLost ? undefined : Math.round(close * supply * (0.004 + draw() * 0.003)),
  };
}
