// What the sources of daily prices have in common.
import type { Parse } from "../../../../upstream/upstream.ts";
import type { PriceSourceName } from "../../config.ts";
import { type DaySpan, SECONDS_PER_DAY } from "../../day.ts";
import type { TimedValue } from "../../day-series.ts";

/** Requests one URL and returns what `parse` makes of the response, or throws an UpstreamFault. */
export type FetchJson = <Value>(url: string, parse: Parse<Value>) => Promise<Value>;

/** A source of daily prices. */
export interface DailyPrices {
  readonly name: PriceSourceName;
  /** The closing prices of a span, as far as the source has them. May include other days, even the unfinished one. */
  read(span: DaySpan, fetchJson: FetchJson): Promise<readonly TimedValue[]>;
}

/** One day's candle, as parsed. */
export interface Candle {
  /** Unix seconds of the day's start. */
  readonly atSeconds: number;
  readonly low: number;
  readonly high: number;
  readonly close: number;
}

/** The close of a valid candle: of a UTC day, and between its low and its high. Throws an Error otherwise. */
export function closeOf({ atSeconds, low, high, close }: Candle): TimedValue {
  if (!Number.isSafeInteger(atSeconds) || atSeconds < 0 || atSeconds % SECONDS_PER_DAY !== 0) {
    throw new Error("a candle does not begin with a UTC day");
  }
  if (!(low > 0 && low <= close && close <= high)) {
    throw new Error("a candle's close is not between its low and its high");
  }
  return { atSeconds, value: close };
}
