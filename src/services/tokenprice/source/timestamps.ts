// The slots of a chart. For short periods the source's own charts are no use: they search only a tenth of the period around each slot,
// which for a few minutes is less than the time between two records. A request for prices at a list of times returns the nearest record
// to each. Pure.
import type { ChartQuery } from "./chart-query.ts";
import type { Sample } from "./coins-response.ts";

/** Charts of shorter periods are requested as lists of times: a tenth of an hour is about the time between records. */
const CHART_PERIOD_SECONDS_MIN = 3600;
// Past records may be an hour apart.
const DISTANCE_SECONDS_MIN = 3600;

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

/**
 * The points of a chart among `samples`, oldest first: the nearest to each slot, if it is within a quarter of the period or an hour.
 * A sample that is nearest to several slots is one point.
 */
export function pointsOf(samples: readonly Sample[], query: ChartQuery): readonly Sample[] {
  const distanceMax = Math.max(query.periodSeconds / 4, DISTANCE_SECONDS_MIN);
  const points = new Set<Sample>();
  let at = 0;
  for (const slot of timestampsOf(query)) {
    const distanceOf = (index: number): number => Math.abs((samples[index]?.atSeconds ?? Number.POSITIVE_INFINITY) - slot);
    while (at + 1 < samples.length && distanceOf(at + 1) <= distanceOf(at)) {
      at += 1;
    }
    const nearest = samples[at];
    if (nearest !== undefined && distanceOf(at) <= distanceMax) {
      points.add(nearest);
    }
  }
  return [...points];
}
