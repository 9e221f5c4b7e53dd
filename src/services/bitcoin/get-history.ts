// GetHistory: the series of one indicator, computed over the longest span once per reading of the data, and cut to the requested
// days.
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { GetHistoryResponseSchema } from "../../../gen/quintet/bitcoin/v1/bitcoin_pb.js";
import { type Day, type DaySpan, timestampOfDay } from "./day.ts";
import type { ChartData } from "./feeds/chart-data.ts";
import { type Closes, disagreeingWithin, sourcesWithin } from "./feeds/closes.ts";
import { HISTORY_DAYS_MAX, mayerHistory, nvtHistory, type Point, puellHistory, s2fHistory } from "./indicators/history.ts";
import { windowEnding } from "./indicators/window.ts";
import { memoizeLast } from "./memoize-last.ts";
import {
  chainSourcesOf,
  earliestRead,
  type Inputs,
  mayerInputsOf,
  newestCommonDay,
  nvtInputsOf,
  puellInputsOf,
  s2fInputsOf,
  sourceText,
  Unavailable,
} from "./responses.ts";

export type IndicatorName = "mayer" | "puell" | "nvt" | "s2f";

/** One indicator's whole series. */
export interface Series {
  /** The day of the newest point. */
  readonly asOf: Day;
  /** Oldest first; at least one. */
  readonly points: readonly Point[];
  readonly closes: Closes | undefined;
  readonly charts: readonly ChartData[];
}

/** Creates the functions that compute the series. Each remembers its last result. They throw Unavailable if no day has a value. */
export const createSeries = () => ({
  mayer: memoizeLast((closes: Closes): Series => {
    const span = longestSpan(mayerInputsOf(closes));
    return seriesOfPoints(mayerHistory(closes.series, span), closes, []);
  }),
  puell: memoizeLast((revenue: ChartData): Series => {
    const span = longestSpan(puellInputsOf(revenue));
    return seriesOfPoints(puellHistory(revenue.series, span), undefined, [revenue]);
  }),
  nvt: memoizeLast((closes: Closes, supply: ChartData, volume: ChartData): Series => {
    const inputs = { closes: closes.series, supply: supply.series, volume: volume.series };
    const span = longestSpan(nvtInputsOf(closes, supply, volume));
    return seriesOfPoints(nvtHistory(inputs, span), closes, [supply, volume]);
  }),
  s2f: memoizeLast((closes: Closes, supply: ChartData): Series => {
    const span = longestSpan(s2fInputsOf(closes, supply));
    return seriesOfPoints(s2fHistory(closes.series, supply.series, span), closes, [supply]);
  }),
});

const longestSpan = (inputs: Inputs): DaySpan => windowEnding(newestCommonDay(inputs), HISTORY_DAYS_MAX);

function seriesOfPoints(points: readonly Point[], closes: Closes | undefined, charts: readonly ChartData[]): Series {
  const newest = points.at(-1);
  if (newest === undefined) {
    throw new Unavailable("its data has too many gaps to compute even one value");
  }
  return { asOf: newest.day, points, closes, charts };
}

/** The response for the `days` days that end with the newest one that has a value, however long ago that is. */
export function historyResponse(
  indicator: IndicatorName,
  days: number,
  { asOf, points, closes, charts }: Series,
): MessageInitShape<typeof GetHistoryResponseSchema> {
  const span = windowEnding(asOf, days);
  const within = points.filter(({ day }) => day >= span.first);
  const sources = [...(closes === undefined ? [] : sourcesWithin(closes, span)), ...chainSourcesOf(charts, span)];
  return {
    indicator,
    days,
    count: within.length,
    asOf: timestampOfDay(asOf),
    source: sourceText(sources),
    disagreeingSources: closes === undefined ? [] : disagreeingWithin(closes, span),
    fetchedAt: earliestRead([...(closes === undefined ? [] : [closes]), ...charts]),
    points: within.map(({ message }) => message),
  };
}
