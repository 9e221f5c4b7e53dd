// The values of a plot as a table, the newest first: so many rows as can be read.

import { Table } from "../components/ui/Table.tsx";
import type { PlotLine } from "./Plot.tsx";
import styles from "./PlotTable.module.css";

const ROWS_MAX = 60;

/** `heading` is what the moments are. */
export function PlotTable({
  label,
  heading,
  moments,
  lines,
  formatValue,
  formatMoment,
}: {
  readonly label: string;
  readonly heading: string;
  readonly moments: readonly number[];
  readonly lines: readonly PlotLine[];
  readonly formatValue: (value: number) => string;
  readonly formatMoment: (seconds: number) => string;
}) {
  const step = Math.max(1, Math.ceil(moments.length / ROWS_MAX));
  const indexes = moments.map((_, index) => moments.length - 1 - index).filter((_, index) => index % step === 0);
  return (
    <details class={styles.details}>
      <summary>As a table{step > 1 ? `: one value in ${step}` : ""}</summary>
      <Table
        label={label}
        columns={[{ heading }, ...lines.map((line) => ({ heading: line.label, isFigure: true }))]}
        rows={indexes.map((index) => ({
          key: String(moments[index]),
          cells: [
            formatMoment(moments[index] ?? 0),
            ...lines.map(({ values }) => {
              const value = values[index];
              return value == null ? "–" : formatValue(value);
            }),
          ],
        }))}
      />
    </details>
  );
}
