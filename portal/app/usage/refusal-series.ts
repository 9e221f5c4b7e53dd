// Refused calls as series of a plot.
import type { RefusalRow } from "../../../gen/quintet/account/v1/account_pb.js";
import { sumsAt } from "./series.ts";
import { beginOf } from "./steps.ts";
import type { TimeSeries } from "./TimePlot.tsx";

// A reason has the same colour whichever others there are.
const COLOURS: Readonly<Record<string, string>> = {
  RATE_LIMITED: "var(--bitcoin)",
  QUOTA_EXCEEDED: "var(--bad)",
  SUBSCRIPTION_REQUIRED: "var(--token-list)",
  KEY_REVOKED: "var(--token-price)",
  KEY_EXPIRED: "var(--farkle)",
  KEY_INVALID: "var(--accent)",
};
const OTHER = "Other reasons";

/** One for each reason that there is, the most frequent first. */
export function refusalSeries(rows: readonly RefusalRow[], timesMs: readonly number[]): readonly TimeSeries[] {
  const labelOf = ({ reason = "" }: RefusalRow): string => (reason in COLOURS ? reason : OTHER);
  return Array.from(Map.groupBy(rows, labelOf), ([label, own]) => ({
    label,
    colour: COLOURS[label] ?? "var(--ink-soft)",
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
