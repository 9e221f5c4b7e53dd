// GetHistory: the series of one indicator, computed over the longest span once per reading of the data, and cut to the requested
// days.
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { GetHistoryRequest, GetHistoryResponseSchema } from "../../../gen/quintet/bitcoin/v1/bitcoin_pb.js";
import { Failure } from "../../problem/failure.ts";
import { invalidArgument, type Violation } from "../../problem/problem.ts";
import { type Day, type DaySpan, dayOfIso, isoDay } from "./day.ts";
import type { ChartData } from "./feeds/chart-data.ts";
import { type Closes, disagreeingWithin, sourcesWithin } from "./feeds/closes.ts";
import { HISTORY_DAYS_MAX, mayerHistory, nvtHistory, type Point, puellHistory, s2fHistory } from "./indicators/history.ts";
import { windowEnding } from "./indicators/window.ts";
import { memoizeLast } from "./memoize-last.ts";
import {
  chainSourcesOf,
  distinct,
  earliestRead,
  freshnessAt,
  type Inputs,
  mayerInputsOf,
  newestCommonDay,
  nvtInputsOf,
  puellInputsOf,
  s2fInputsOf,
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

const DAYS_BY_DEFAULT = 365;

/** The days of a request. What it leaves open is decided by the newest day that has a value. */
export interface RequestedDays {
  readonly days: number | undefined;
  readonly from: Day | undefined;
  readonly to: Day | undefined;
}

/** Which days are requested. Throws INVALID_ARGUMENT. */
export function requestedDays({ days, fromDay, toDay }: Pick<GetHistoryRequest, "days" | "fromDay" | "toDay">): RequestedDays {
  const violations: Violation[] = [];
  const read = (field: string, text: string | undefined): Day | undefined => {
    const day = text === undefined ? undefined : dayOfIso(text);
    if (text !== undefined && day === undefined) {
      violations.push({ field, description: "must be a day such as 2026-01-31" });
    }
    return day;
  };
  const [from, to] = [read("from_day", fromDay), read("to_day", toDay)];
  if (days !== undefined && fromDay !== undefined && toDay !== undefined) {
    violations.push({ field: "days", description: "must be left out if `from_day` and `to_day` are given" });
  }
  if (from !== undefined && to !== undefined && from > to) {
    violations.push({ field: "from_day", description: "must not be after `to_day`" });
  }
  if (violations.length > 0) {
    throw new Failure(invalidArgument(violations));
  }
  return { days, from, to };
}

/** The response for the requested days, at the time `nowMs`. */
export function historyResponse(
  { days, from, to }: RequestedDays,
  { asOf, points, closes, charts }: Series,
  nowMs: number,
): MessageInitShape<typeof GetHistoryResponseSchema> {
  const end = to ?? (from === undefined || days === undefined ? asOf : from + days - 1);
  const last = Math.min(end, asOf);
  const span = from === undefined ? windowEnding(last, days ?? DAYS_BY_DEFAULT) : { first: from, last };
  const within = points.filter(({ day }) => day >= span.first && day <= span.last);
  const sources = [...(closes === undefined ? [] : sourcesWithin(closes, span)), ...chainSourcesOf(charts, span)];
  return {
    asOf: isoDay(asOf),
    sources: distinct(sources),
    disagreeingSources: closes === undefined ? [] : disagreeingWithin(closes, span),
    freshness: freshnessAt(earliestRead([...(closes === undefined ? [] : [closes]), ...charts]), nowMs),
    points: within.map(({ message }) => message),
  };
}
