// Numbers of calls over time: a plot, and the same data in words, as a table and as CSV.
import { useMemo } from "preact/hooks";
import { Plot } from "../../components/plot/Plot.tsx";
import { PlotTable } from "../../components/plot/PlotTable.tsx";
import type { PlotData, PlotSeries } from "../../components/plot/plot-data.ts";
import { formatNumber, formatShort } from "../formats.ts";
import { CsvButton } from "./CsvButton.tsx";
import type { Step } from "./steps.ts";
import styles from "./TimePlot.module.css";

export interface TimeSeries extends PlotSeries {
  /** One value for each time. */
  readonly values: readonly number[];
}

/** `text` says in a sentence what the plot shows; `name` names the table: `Calls`. `fileName` has no extension. */
export function TimePlot({
  name,
  text,
  step: { name: stepName, heading, format },
  timesMs,
  series,
  fileName,
}: {
  readonly name: string;
  readonly text: string;
  readonly step: Pick<Step, "name" | "heading" | "format">;
  readonly timesMs: readonly number[];
  readonly series: readonly TimeSeries[];
  readonly fileName: string;
}) {
  // Redrawn only if a number has changed.
  const figures = JSON.stringify([timesMs, series]);
  const data = useMemo(
    (): PlotData => ({
      kind: "bars",
      timesMs,
      series,
      formatTime: (ms) => format.format(ms),
      formatValue: formatNumber,
      formatTick: formatShort,
    }),
    [figures, format],
  );
  const valuesAt = (index: number): readonly number[] => series.map(({ values }) => values[index] ?? 0);
  return (
    <>
      <p>{text}</p>
      <Plot label={text} data={data} />
      <div class={styles.below}>
        <PlotTable label={`${name} by ${stepName}`} heading={heading} data={data} />
        <CsvButton
          fileName={fileName}
          headings={[`${stepName} (UTC)`, ...series.map(({ label }) => label), "Total"]}
          rows={timesMs.map((ms, index) => {
            const values = valuesAt(index);
            return [new Date(ms).toISOString(), ...values, values.reduce((sum, value) => sum + value, 0)];
          })}
        />
      </div>
    </>
  );
}
