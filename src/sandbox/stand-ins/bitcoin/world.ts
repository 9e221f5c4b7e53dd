// A made-up Bitcoin that is close to the real one where it matters: the halvings are on their real dates, the supply follows the
// schedule, and prices are those of the sandbox's market. Pure.
import type { Day } from "../../../services/bitcoin/day.ts";
import { BITCOIN } from "../market/assets.ts";
import { between, dayOf } from "../market/days.ts";
import { type Candle, candleOf, drawsOf } from "../market/market.ts";

export interface DayFacts extends Candle {
  /** Coins at the end of the day. */
  readonly supply: number;
  /** Miners' revenue, in US dollars. */
  readonly revenueUsd: number;
  /** Transaction volume in US dollars; undefined on days that the source has lost. */
  readonly volumeUsd: number | undefined;
}

/** The first day with a block. */
export const FIRST_DAY = dayOf("2009-01-03");

const BLOCKS_PER_HALVING = 210_000;
const BLOCKS_PER_DAY = 144;

// Block heights on known days: the first block and the halvings.
const HEIGHTS: readonly (readonly [Day, number])[] = [
  [FIRST_DAY, 0],
  [dayOf("2012-11-28"), 210_000],
  [dayOf("2016-07-09"), 420_000],
  [dayOf("2020-05-11"), 630_000],
  [dayOf("2024-04-20"), 840_000],
];

// Gaps in the transaction volume: the first day of each, and its length in days. The real chart has such gaps too.
const VOLUME_GAPS: readonly (readonly [Day, number])[] = [
  [dayOf("2016-02-03"), 2],
  [dayOf("2017-09-12"), 2],
  [dayOf("2019-05-20"), 15],
  [dayOf("2020-10-01"), 2],
  [dayOf("2022-01-30"), 2],
  [dayOf("2023-08-08"), 2],
];

/** How many blocks there are after `day` days since 1970, including fractions of a day. */
export function blocksAt(day: number): number {
  const [lastDay, lastHeight] = HEIGHTS.at(-1) ?? [0, 0];
  return day > lastDay ? lastHeight + (day - lastDay) * BLOCKS_PER_DAY : between(HEIGHTS, day, "linear");
}

/** Coins after `day` days since 1970, including fractions of a day. */
export function supplyAt(day: number): number {
  let height = Math.floor(blocksAt(day));
  let supply = 0;
  for (let subsidy = 50; height > 0; subsidy /= 2) {
    supply += Math.min(height, BLOCKS_PER_HALVING) * subsidy;
    height -= BLOCKS_PER_HALVING;
  }
  return supply;
}

export function factsOf(seed: number, day: Day): DayFacts {
  const { fees, volume } = drawsOf(BITCOIN, seed, day);
  const candle = candleOf(BITCOIN, seed, day);
  const { close } = candle;
  const supply = supplyAt(day + 1);
  const isLost = VOLUME_GAPS.some(([first, days]) => day >= first && day < first + days);
  return {
    ...candle,
    supply,
    revenueUsd: Math.round((supply - supplyAt(day)) * close * (1.02 + fees * 0.06)),
    volumeUsd: isLost ? undefined : Math.round(close * supply * (0.004 + volume * 0.003)),
  };
}
