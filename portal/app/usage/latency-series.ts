// Response times and error rates of the services as series of a plot. Pure.

import { SERVICE_NAMES } from "../../../src/catalogue/service-names.ts";
import { serviceTitle } from "../formats.ts";
import { sumsAt } from "./series.ts";
import { beginOf } from "./steps.ts";
import type { UsageRow } from "./usage-report.ts";

type Timed = Pick<UsageRow, "hour" | "day" | "month" | "service" | "medianMs" | "p95Ms">;
type Counted = Pick<UsageRow, "hour" | "day" | "month" | "service" | "calls" | "failed">;

interface ServiceSeries {
  readonly label: string;
  readonly colour: string;
  /** One value for each time; null if there was no call. */
  readonly values: readonly (number | null)[];
}

/** The response times, in milliseconds, of each service that has been measured. */
export const latencySeries = (
  rows: readonly Timed[],
  timesMs: readonly number[],
  measure: "median" | "p95",
): readonly ServiceSeries[] =>
  seriesOf((service) => {
    const own = new Map(rows.filter((row) => row.service === service).map((row) => [beginOf(row), row]));
    return timesMs.map((atMs) => (measure === "median" ? own.get(atMs)?.medianMs : own.get(atMs)?.p95Ms) ?? null);
  });

/** The share of each service's calls that failed, from 0 to 1. */
export const errorSeries = (rows: readonly Counted[], timesMs: readonly number[]): readonly ServiceSeries[] =>
  seriesOf((service) => {
    const own = rows.filter((row) => row.service === service);
    const sums = (callsOf: (row: Counted) => number): readonly number[] =>
      sumsAt(
        timesMs,
        own.map((row) => ({ atMs: beginOf(row), calls: callsOf(row) })),
      );
    const failed = sums((row) => row.failed);
    return sums((row) => row.calls).map((calls, index) => (calls === 0 ? null : (failed[index] ?? 0) / calls));
  });

const seriesOf = (valuesOf: (service: string) => readonly (number | null)[]): readonly ServiceSeries[] =>
  SERVICE_NAMES.map((service) => ({
    label: serviceTitle(service),
    colour: `var(--${service})`,
    values: valuesOf(service),
  })).filter(({ values }) => values.some((value) => value !== null));
