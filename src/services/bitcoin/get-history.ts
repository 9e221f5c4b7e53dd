// GetHistory: the series of one indicator, computed over the longest span once for every reading of the data and cut to what is asked.
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { GetHistoryResponseSchema } from "../../../gen/quintet/bitcoin/v1/bitcoin_pb.js";
import { Failure } from "../../problem/problem.ts";
import { earliestRead, newestCommonDay, sourceText } from "./answers.ts";
import type { ChartData } from "./chart-data.ts";
import { type Closes, sourcesWithin } from "./closes.ts";
import { type Day, timestampOfDay } from "./day.ts";
import { historyDaysMax, mayerHistory, nvtHistory, type Point, puellHistory, s2fHistory } from "./history.ts";
import { rememberLast } from "./memo.ts";
import { windowEnding } from "./window.ts";

/** The indicators that have a history. */
export type IndicatorName = "mayer" | "puell" | "nvt" | "s2f";

/** One indicator's whole series. */
export interface Series {
  readonly asOf: Day;
  /** Oldest first. */
  readonly points: readonly Point[];
  readonly closes: Closes | undefined;
  readonly charts: readonly ChartData[];
}

const longest = (asOf: Day) => windowEnding(asOf, historyDaysMax);

/** Makes the functions that compute the series, each of which remembers its last one. */
export const createSeries = () => ({
  mayer: rememberLast((closes: Closes): Series => {
    const asOf = newestCommonDay([closes.series]);
    return { asOf, points: mayerHistory(closes.series, longest(asOf)), closes, charts: [] };
  }),
  puell: rememberLast((revenue: ChartData): Series => {
    const asOf = newestCommonDay([revenue.series]);
    return { asOf, points: puellHistory(revenue.series, longest(asOf)), closes: undefined, charts: [revenue] };
  }),
  nvt: rememberLast((closes: Closes, supply: ChartData, volume: ChartData): Series => {
    const inputs = { closes: closes.series, supply: supply.series, volume: volume.series };
    const asOf = newestCommonDay(Object.values(inputs));
    return { asOf, points: nvtHistory(inputs, longest(asOf)), closes, charts: [supply, volume] };
  }),
  s2f: rememberLast((closes: Closes, supply: ChartData): Series => {
    const asOf = newestCommonDay([closes.series, supply.series]);
    return { asOf, points: s2fHistory(closes.series, supply.series, longest(asOf)), closes, charts: [supply] };
  }),
});

/** The answer over the newest `days` days of a series. Throws a Failure where no day of them has a point. */
export function historyAnswer(
  indicator: IndicatorName,
  days: number,
  { asOf, points, closes, charts }: Series,
): MessageInitShape<typeof GetHistoryResponseSchema> {
  const span = windowEnding(asOf, days);
  const within = points.filter(({ day }) => day >= span.first);
  if (within.length === 0) {
    const message = `The data for the history of ${indicator} have gaps: no day of the span has a whole window. The call was not counted.`;
    throw new Failure({ reason: "UPSTREAM_FAILED", message });
  }
  const sources = [
    ...(closes === undefined ? [] : sourcesWithin(closes, span)),
    ...(charts.length === 0 ? [] : ["blockchain.com"]),
  ];
  return {
    indicator,
    days,
    count: within.length,
    asOf: timestampOfDay(asOf),
    source: sourceText(sources),
    fetchedAt: earliestRead([...(closes === undefined ? [] : [closes]), ...charts]),
    points: within.map(({ message }) => message),
  };
}
