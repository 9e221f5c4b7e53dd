// The second source of chain data: a server of the Bitcoin Research Kit, which anybody can run, such as bitview.space. A series of dates
// is read beside the values, so nothing is assumed about what a day's index counts from. https://bitview.space/api
import { type DaySpan, isoDay, SECONDS_PER_DAY } from "../../day.ts";
import type { TimedValue } from "../../day-series.ts";
import type { FetchJson } from "./daily-prices.ts";
import { asList, asNumber, asObject } from "./json-shape.ts";

/** What is read of it. Whether its transaction value leaves change out, as that of the charts does, is not known, so it is not read. */
const SERIES = { revenue: "coinbase_sum_24h_usd", supply: "block_count_cumulative" } as const;

export type ResearchKitData = keyof typeof SERIES;

const DAYS_MAX = 20_000;
const BLOCKS_PER_HALVING = 210_000;
const FIRST_SUBSIDY = 50;

/** Miners' revenue in US dollars, or the supply at the end of each day of a span. May include other days, even the unfinished one. */
export function readResearchKit(
  url: string,
  data: ResearchKitData,
  { first, last }: DaySpan,
  fetchJson: FetchJson,
): Promise<TimedValue[]> {
  const range = `start=${isoDay(first)}&end=${isoDay(last + 1)}`;
  return fetchJson(`${url}/api/series/bulk?series=date,${SERIES[data]}&index=day1&${range}`, (json) => {
    const points = parseResearchKit(json);
    return data === "revenue" ? points : points.map(({ atSeconds, value }) => ({ atSeconds, value: supplyOf(value) }));
  });
}

/**
 * Parses `[{"data": ["2026-11-20", …], …}, {"data": [number or null, …], …}]`, of the same length. A day without a value is left out.
 * Throws an Error for anything else.
 */
function parseResearchKit(json: unknown): TimedValue[] {
  const [dates, values] = asList(json, "the response", 2).map((series) =>
    asList(asObject(series, "a series").data, "a series' data", DAYS_MAX),
  );
  if (dates === undefined || values === undefined || dates.length !== values.length) {
    throw new Error("there are not two series of the same length");
  }
  return dates.flatMap((date, index) => {
    const atSeconds = typeof date === "string" && /^\d{4}-\d\d-\d\d$/.test(date) ? Date.parse(date) / 1000 : Number.NaN;
    if (Number.isNaN(atSeconds) || atSeconds % SECONDS_PER_DAY !== 0) {
      throw new Error("a date is not a day");
    }
    const value = values[index];
    return value === null || value === undefined ? [] : [{ atSeconds, value: asNumber(value, "a value") }];
  });
}

/** The coins that a number of blocks has minted. The subsidy halves every 210,000 blocks. */
export function supplyOf(blocks: number): number {
  let supply = 0;
  let subsidy = FIRST_SUBSIDY;
  for (let left = blocks; left > 0; left -= BLOCKS_PER_HALVING) {
    supply += Math.min(left, BLOCKS_PER_HALVING) * subsidy;
    subsidy /= 2;
  }
  return supply;
}
