// The values of a plot as a table, newest first, with no more rows than a person would read. For bars it also has their total height.
import { Table } from "../ui/Table.tsx";
import styles from "./PlotTable.module.css";
import { type PlotData, valueText } from "./plot-data.ts";

const ROWS_MAX = 60;

/** `heading` says what the times are. */
export function PlotTable({ label, heading, data }: { readonly label: string; readonly heading: string; readonly data: PlotData }) {
  const { timesMs, series, formatTime, kind } = data;
  const step = Math.max(1, Math.ceil(timesMs.length / ROWS_MAX));
  const indexes = timesMs.map((_, index) => timesMs.length - 1 - index).filter((_, index) => index % step === 0);
  const valuesAt = (index: number): readonly (number | null | undefined)[] => series.map(({ values }) => values[index]);
  const sumAt = (index: number): number => valuesAt(index).reduce<number>((sum, value) => sum + (value ?? 0), 0);
  const columns = [...series.map((one) => one.label), ...(kind === "bars" ? ["Total"] : [])];
  return (
    <details class={styles.details}>
      <summary>View as table{step > 1 ? ` (1 in ${step} values)` : ""}</summary>
      <Table
        label={label}
        columns={[{ heading }, ...columns.map((column) => ({ heading: column, isFigure: true }))]}
        rows={indexes.map((index) => ({
          key: String(timesMs[index]),
          cells: [
            formatTime(timesMs[index] ?? 0),
            ...[...valuesAt(index), ...(kind === "bars" ? [sumAt(index)] : [])].map((value) => valueText(data, value)),
          ],
        }))}
      />
    </details>
  );
}
