// Refused calls by reason: a plot, and the same data in words, as a table and as CSV.
import type { ComponentChildren } from "preact";
import type { Span } from "./filters.ts";
import { refusalSeries } from "./refusal-series.ts";
import { timesOf } from "./series.ts";
import { STEPS } from "./steps.ts";
import { TimePlot } from "./TimePlot.tsx";
import { partsText } from "./time-text.ts";
import type { UsageRow } from "./usage-report.ts";

/** `none` is shown if no call was refused in the span that ends at `nowMs`. `fileName` has no extension. */
export function RefusalsPlot({
  rows,
  span,
  nowMs,
  fileName,
  none,
}: {
  readonly rows: readonly UsageRow[];
  readonly span: Span;
  readonly nowMs: number;
  readonly fileName: string;
  readonly none: ComponentChildren;
}) {
  const timesMs = timesOf(span, nowMs);
  const series = refusalSeries(rows, timesMs);
  return series.length === 0 ? (
    none
  ) : (
    <TimePlot
      name="Refused calls"
      text={partsText(timesMs, series, STEPS[span], "refused")}
      step={STEPS[span]}
      timesMs={timesMs}
      series={series}
      fileName={fileName}
    />
  );
}
