// The series of an indicator: the reading of every day with a complete window. Pure.
import type { MessageInitShape } from "@bufbuild/protobuf";
import type { HistoryPointSchema } from "../../../../gen/quintet/bitcoin/v1/bitcoin_pb.js";
import { type Day, type DaySpan, isoDay } from "../day.ts";
import type { DaySeries } from "../day-series.ts";
import { mayerOn, type NvtInputs, nvtOn, puellOn, type Shortfall, s2fOn } from "./indicators.ts";

/** One day of a series. */
export interface Point {
  readonly day: Day;
  readonly message: MessageInitShape<typeof HistoryPointSchema>;
}

/** The most days of a history. */
export const HISTORY_DAYS_MAX = 3650;

export const mayerHistory = (closes: DaySeries, span: DaySpan): Point[] =>
  pointsOf(
    span,
    (day) => mayerOn(closes, day),
    ({ price }) => ({ price }),
  );

export const puellHistory = (revenues: DaySeries, span: DaySpan): Point[] =>
  pointsOf(
    span,
    (day) => puellOn(revenues, day),
    () => ({}),
  );

export const nvtHistory = (inputs: NvtInputs, span: DaySpan): Point[] =>
  pointsOf(
    span,
    (day) => nvtOn(inputs, day),
    ({ price }) => ({ price }),
  );

/** Stock-to-Flow of each day of a span. */
export const s2fHistory = (closes: DaySeries, supplies: DaySeries, span: DaySpan): Point[] =>
  pointsOf(
    span,
    (day) => s2fOn(closes, supplies, day),
    ({ price, modelPrice }) => ({ price, modelPrice }),
  );

function pointsOf<Reading extends { readonly covered: true; readonly ratio: number }>(
  { first, last }: DaySpan,
  readingOn: (day: Day) => Reading | Shortfall,
  more: (reading: Reading) => { price?: number; modelPrice?: number },
): Point[] {
  const points: Point[] = [];
  for (let day = first; day <= last; day += 1) {
    const reading = readingOn(day);
    if (reading.covered) {
      points.push({ day, message: { day: isoDay(day), ratio: reading.ratio, ...more(reading) } });
    }
  }
  return points;
}
