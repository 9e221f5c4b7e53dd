// The four indicators on one day, from daily series. Pure: the same series and day give the same numbers. If a window has too
// few values, the result is a shortfall, never a number over fewer days.
import type { Day } from "../day.ts";
import { type DaySeries, daysPresent, seriesOf, valueAt } from "../day-series.ts";
import { daysNeeded, windowAverage, windowEnding } from "./window.ts";

/** The length of each indicator's window, in days. */
export const WINDOW_DAYS = { mayer: 200, puell: 365, nvt: 90, nvtPercentile: 730, s2f: 365 } as const;

/** Why a day has no reading. */
export interface Shortfall {
  readonly covered: false;
  /** What is missing, as a clause: `the closing price is known for 180 of 200 days, but at least 190 are needed`. */
  readonly reason: string;
}

interface Covered {
  readonly covered: true;
  readonly day: Day;
  readonly ratio: number;
  readonly daysPresent: number;
}

/** The Mayer Multiple of a day. */
export interface Mayer extends Covered {
  readonly price: number;
  readonly average: number;
}

/** The Puell Multiple of a day. */
export interface Puell extends Covered {
  readonly revenue: number;
  readonly average: number;
}

/** The NVT ratio of a day. */
export interface Nvt extends Covered {
  readonly price: number;
  readonly supply: number;
  readonly marketCap: number;
  readonly average: number;
}

/** Stock-to-Flow of a day, with its model. */
export interface S2f extends Covered {
  readonly supply: number;
  readonly issuance: number;
  readonly price: number;
  readonly modelPrice: number;
  readonly modelGapPercent: number;
}

/** How a day's value ranks among the values up to that day. */
export interface Percentile {
  readonly covered: true;
  /** 0 to 100. */
  readonly percentile: number;
  readonly daysPresent: number;
}

export interface NvtInputs {
  readonly closes: DaySeries;
  readonly supply: DaySeries;
  readonly volume: DaySeries;
}

const lacking = (reason: string): Shortfall => ({ covered: false, reason });

const tooFew = (what: string, days: number, windowDays: number): Shortfall =>
  lacking(`the ${what} is known for ${days} of ${windowDays} days, but at least ${daysNeeded(windowDays)} are needed`);

export function mayerOn(closes: DaySeries, day: Day): Mayer | Shortfall {
  const price = valueAt(closes, day);
  const { average, daysPresent: days } = windowAverage(closes, day, WINDOW_DAYS.mayer);
  if (days < daysNeeded(WINDOW_DAYS.mayer)) {
    return tooFew("closing price", days, WINDOW_DAYS.mayer);
  }
  if (price === undefined) {
    return lacking("the closing price of the day is unknown");
  }
  return { covered: true, day, ratio: price / average, price, average, daysPresent: days };
}

export function puellOn(revenues: DaySeries, day: Day): Puell | Shortfall {
  const revenue = valueAt(revenues, day);
  const { average, daysPresent: days } = windowAverage(revenues, day, WINDOW_DAYS.puell);
  if (days < daysNeeded(WINDOW_DAYS.puell)) {
    return tooFew("miner revenue", days, WINDOW_DAYS.puell);
  }
  if (revenue === undefined) {
    return lacking("the miner revenue of the day is unknown");
  }
  return { covered: true, day, ratio: revenue / average, revenue, average, daysPresent: days };
}

/**
 * The NVT ratio on a day. The day itself needs a price and a supply; transaction volume only has to be present on enough days of the
 * window.
 */
export function nvtOn({ closes, supply: supplies, volume }: NvtInputs, day: Day): Nvt | Shortfall {
  const price = valueAt(closes, day);
  const supply = valueAt(supplies, day);
  const { average, daysPresent: days } = windowAverage(volume, day, WINDOW_DAYS.nvt);
  if (days < daysNeeded(WINDOW_DAYS.nvt)) {
    return tooFew("transaction value", days, WINDOW_DAYS.nvt);
  }
  if (price === undefined || supply === undefined) {
    return lacking("the closing price or the supply of the day is unknown");
  }
  const marketCap = price * supply;
  return { covered: true, day, ratio: marketCap / average, price, supply, marketCap, average, daysPresent: days };
}

/** The NVT ratios of the days in the percentile window that ends with `day`. */
export function nvtRatios(inputs: NvtInputs, day: Day): DaySeries {
  const ratios = new Map<Day, number>();
  const { first, last } = windowEnding(day, WINDOW_DAYS.nvtPercentile);
  for (let other = first; other <= last; other += 1) {
    const nvt = nvtOn(inputs, other);
    if (nvt.covered) {
      ratios.set(other, nvt.ratio);
    }
  }
  return seriesOf(ratios);
}

/**
 * The rank of a day's value among those of the `days` days that end with it: the share of lower values. Equal values, including the day's
 * own, count as half.
 */
export function percentileOn(series: DaySeries, day: Day, days: number): Percentile | Shortfall {
  const value = valueAt(series, day);
  const span = windowEnding(day, days);
  const present = daysPresent(series, span);
  if (value === undefined || present < daysNeeded(days)) {
    return tooFew("NVT ratio", present, days);
  }
  let below = 0;
  let equal = 0;
  for (let other = span.first; other <= span.last; other += 1) {
    const against = valueAt(series, other);
    below += against !== undefined && against < value ? 1 : 0;
    equal += against === value ? 1 : 0;
  }
  return { covered: true, percentile: (100 * (below + equal / 2)) / present, daysPresent: present };
}

/** Stock-to-Flow on a day. */
export function s2fOn(closes: DaySeries, supplies: DaySeries, day: Day): S2f | Shortfall {
  const price = valueAt(closes, day);
  const supply = valueAt(supplies, day);
  const days = daysPresent(supplies, windowEnding(day, WINDOW_DAYS.s2f));
  const issuance = issuanceUntil(supplies, day);
  if (days < daysNeeded(WINDOW_DAYS.s2f)) {
    return tooFew("supply", days, WINDOW_DAYS.s2f);
  }
  if (price === undefined || supply === undefined) {
    return lacking("the closing price or the supply of the day is unknown");
  }
  if (issuance === undefined) {
    return lacking("the supply of a year before is unknown, or has not grown since");
  }
  const ratio = supply / issuance;
  const modelPrice = Math.exp(-1.84) * ratio ** 3.36;
  const modelGapPercent = (100 * (modelPrice - price)) / price;
  return { covered: true, day, ratio, supply, issuance, price, modelPrice, modelGapPercent, daysPresent: days };
}

// Where to look for the starting supply, in days from the day before the window: the nearest first, and an earlier day before a later one.
const START_OFFSETS = [0, -1, 1, -2, 2, -3, 3] as const;

/** Coins minted in the 365 days that end with `day`; undefined if unknown, or if nothing was minted. */
function issuanceUntil(supplies: DaySeries, day: Day): number | undefined {
  const end = valueAt(supplies, day);
  for (const offset of START_OFFSETS) {
    const startDay = day - WINDOW_DAYS.s2f + offset;
    const start = valueAt(supplies, startDay);
    if (end !== undefined && start !== undefined) {
      const minted = ((end - start) * WINDOW_DAYS.s2f) / (day - startDay);
      return minted > 0 ? minted : undefined;
    }
  }
  return undefined;
}
