// Refused calls as series of a plot.

import { PLAN_FAULTS } from "../../../src/problem/reason-rule.ts";
import { type PageFault, reasonsOf } from "../../api/reason.ts";
import { sumsAt } from "./series.ts";
import { beginOf } from "./steps.ts";
import type { UsageRow } from "./usage-report.ts";

// Reasons with the same remedy (another key, another plan, a lower rate) share a palette. The colour of a reason does not depend on which
// other reasons are shown.
const PALETTES: readonly (readonly [faults: readonly PageFault[], colours: readonly string[]])[] = [
  [["key"], ["var(--radio)", "var(--accent)", "var(--farkle)", "var(--token-price)"]],
  [PLAN_FAULTS, ["var(--token-list)", "var(--ink)", "var(--bad)"]],
  [["rate"], ["var(--bitcoin)"]],
];
const COLOURS = new Map(
  PALETTES.flatMap(([faults, colours]) =>
    reasonsOf(...faults)
      .slice(0, colours.length)
      .map((reason, index) => [reason, colours[index]] as const),
  ),
);
const OTHER = "Other reasons";

type Refusals = Pick<UsageRow, "hour" | "day" | "month" | "outcome" | "calls">;

/** The refused calls with one reason. */
interface RefusalSeries {
  readonly label: string;
  readonly colour: string;
  /** One value for each time. */
  readonly values: readonly number[];
}

/** One series for each reason that occurs, the most frequent first. */
export function refusalSeries(rows: readonly Refusals[], timesMs: readonly number[]): readonly RefusalSeries[] {
  const labelOf = ({ outcome = "" }: Refusals): string => (COLOURS.has(outcome) ? outcome : OTHER);
  return Array.from(Map.groupBy(rows, labelOf), ([label, own]) => ({
    label,
    colour: COLOURS.get(label) ?? "var(--ink-soft)",
    values: sumsAt(
      timesMs,
      own.map((row) => ({ atMs: beginOf(row), calls: row.calls })),
    ),
  }))
    .map((one) => ({ one, calls: one.values.reduce((sum, value) => sum + value, 0) }))
    .filter(({ calls }) => calls > 0)
    .toSorted((a, b) => b.calls - a.calls)
    .map(({ one }) => one);
}
