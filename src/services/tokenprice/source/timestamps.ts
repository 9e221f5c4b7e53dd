// Requests for charts of short periods. The source's own charts search only a tenth of the period around each point, which for a
// few minutes is less than the time between two records. A request for prices at a list of times returns the nearest record to each. Pure.
import type { ChartQuery } from "./chart-query.ts";
import type { Sample } from "./coins-response.ts";

/** Charts of shorter periods are requested as lists of times: a tenth of an hour is about the time between records. */
const CHART_PERIOD_SECONDS_MIN = 3600;
// Past records may be an hour apart. Records further outside the series do not belong to it.
const OUTSIDE_SECONDS_MAX = 3600;

/** Whether the points of a chart must be requested as a list of times. */
export const needsPointQueries = ({ periodSeconds }: ChartQuery): boolean => periodSeconds < CHART_PERIOD_SECONDS_MIN;

/** The times of a chart's points, oldest first, without future ones. */
export function timestampsOf({ edge, edgeSeconds, span, periodSeconds, nowSeconds }: ChartQuery): readonly number[] {
  const firstSeconds = edge === "start" ? edgeSeconds : edgeSeconds - (span - 1) * periodSeconds;
  const timestamps = Array.from({ length: span }, (_, index) => firstSeconds + index * periodSeconds);
  return timestamps.filter((timestamp) => timestamp >= 0 && timestamp <= nowSeconds);
}

/** The part of a URL's query that requests the prices of tokens at these times. Colons and commas stay unescaped, to keep it short. */
export const timestampsQuery = (ids: readonly string[], timestamps: readonly number[]): string =>
  `coins=${encodeURIComponent(JSON.stringify(Object.fromEntries(ids.map((id) => [id, timestamps]))))
    .replaceAll("%2C", ",")
    .replaceAll("%3A", ":")}`;

/** The records of a series, without those that are too far outside it: each once, oldest first. */
export function seriesAround(samples: readonly Sample[], timestamps: readonly number[]): readonly Sample[] {
  const [first = 0] = timestamps;
  const last = timestamps.at(-1) ?? first;
  const byTime = new Map(samples.map((sample) => [sample.atSeconds, sample]));
  return [...byTime.values()]
    .filter(({ atSeconds }) => atSeconds >= first - OUTSIDE_SECONDS_MAX && atSeconds <= last + OUTSIDE_SECONDS_MAX)
    .sort((one, other) => one.atSeconds - other.atSeconds);
}
