// The data of a plot over time.

/** One line, or one part of each bar. */
export interface PlotSeries {
  readonly label: string;
  /** A colour of the page, as a CSS value: `var(--accent)`. */
  readonly colour: string;
  /** One value for each time; null where there is none. */
  readonly values: readonly (number | null)[];
}

/** A meaningful range of values, shown as a band. */
export interface PlotBand {
  readonly from: number;
  /** May be infinite. */
  readonly to: number;
  /** A CSS value. */
  readonly colour: string;
}

/** The data that every plot needs. */
interface CommonPlotData {
  /** Milliseconds since the epoch, ascending. */
  readonly timesMs: readonly number[];
  readonly series: readonly PlotSeries[];
  /** How times are written in the values next to the plot and, for bars, on the axis. */
  readonly formatTime: (ms: number) => string;
  readonly formatValue: (value: number) => string;
  /** How values are written next to the grid, if not as `formatValue` does: in short units. */
  readonly formatTick?: (value: number) => string;
}

/** Counts: one bar per time, with the series stacked, the first at the bottom. */
export interface BarsData extends CommonPlotData {
  readonly kind: "bars";
}

/** Measurements: a line for each series. */
export interface LinesData extends CommonPlotData {
  readonly kind: "lines";
  readonly bands: readonly PlotBand[];
  readonly isLogarithmic: boolean;
  /** Whether the scale begins at 0 rather than near the lowest value. */
  readonly isFromZero?: boolean;
}

/** The data of either kind of plot. */
export type PlotData = BarsData | LinesData;

/** A value of a series as a string; a dash if there is none. */
export const valueText = ({ formatValue }: PlotData, value: number | null | undefined): string =>
  value == null ? "–" : formatValue(value);
