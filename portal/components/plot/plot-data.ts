// What a plot over time is made of.

/** One line, or one part of each bar. */
export interface PlotSeries {
  readonly label: string;
  /** A colour of the page, as a CSS value: `var(--accent)`. */
  readonly colour: string;
  /** One for each time; null if there is none. */
  readonly values: readonly (number | null)[];
}

/** A part of the height that means something. */
export interface PlotBand {
  readonly from: number;
  /** May be infinite. */
  readonly to: number;
  /** A CSS value. */
  readonly colour: string;
}

/** What every plot has. */
interface CommonPlotData {
  /** Milliseconds since the epoch, ascending. */
  readonly timesMs: readonly number[];
  readonly series: readonly PlotSeries[];
  /** A time as the values beside the plot name it; below bars, as the axis does too. */
  readonly formatTime: (ms: number) => string;
  readonly formatValue: (value: number) => string;
}

/** Counts: at each time a bar, in which the series stand on each other, the first at the bottom. */
export interface BarsData extends CommonPlotData {
  readonly kind: "bars";
}

/** Measurements: a line for each series. */
export interface LinesData extends CommonPlotData {
  readonly kind: "lines";
  readonly bands: readonly PlotBand[];
  readonly isLogarithmic: boolean;
}

/** What is drawn. */
export type PlotData = BarsData | LinesData;

/** A value of a series as text; a dash where there is none. */
export const valueText = ({ formatValue }: PlotData, value: number | null | undefined): string =>
  value == null ? "–" : formatValue(value);
