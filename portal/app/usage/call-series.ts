// Admitted calls as series of a plot. Pure.

import { SERVICE_NAMES } from "../../../src/catalogue/service-names.ts";
import { formatShare, serviceTitle } from "../formats.ts";
import { sumsAt } from "./series.ts";
import { beginOf } from "./steps.ts";
import type { UsageRow } from "./usage-report.ts";

type Row = Pick<UsageRow, "hour" | "day" | "month" | "service" | "calls" | "failed">;

interface CallSeries {
  readonly label: string;
  readonly colour: string;
  /** One value for each time. */
  readonly values: readonly number[];
}

const sumsOf = (rows: readonly Row[], timesMs: readonly number[], callsOf: (row: Row) => number): readonly number[] =>
  sumsAt(
    timesMs,
    rows.map((row) => ({ atMs: beginOf(row), calls: callsOf(row) })),
  );
const total = (values: readonly number[]): number => values.reduce((sum, value) => sum + value, 0);

/** Calls that succeeded, and calls that failed. */
export const outcomeSeries = (rows: readonly Row[], timesMs: readonly number[]): readonly CallSeries[] => [
  { label: "OK", colour: "var(--accent)", values: sumsOf(rows, timesMs, ({ calls, failed }) => calls - failed) },
  { label: "Failed", colour: "var(--bad)", values: sumsOf(rows, timesMs, ({ failed }) => failed) },
];

/** For each service that has any: its calls, and its failed calls, labelled with the error rate: `Farkle (2%)`. */
export function serviceSeries(
  rows: readonly Row[],
  timesMs: readonly number[],
): { readonly calls: readonly CallSeries[]; readonly failed: readonly CallSeries[] } {
  const services = SERVICE_NAMES.map((service) => {
    const own = rows.filter((row) => row.service === service);
    return {
      title: serviceTitle(service),
      colour: `var(--${service})`,
      calls: sumsOf(own, timesMs, ({ calls }) => calls),
      failed: sumsOf(own, timesMs, ({ failed }) => failed),
    };
  }).filter(({ calls }) => total(calls) > 0);
  return {
    calls: services.map(({ title, colour, calls }) => ({ label: title, colour, values: calls })),
    failed: services
      .filter(({ failed }) => total(failed) > 0)
      .map(({ title, colour, calls, failed }) => ({
        label: `${title} (${formatShare(total(failed) / total(calls))})`,
        colour,
        values: failed,
      })),
  };
}
