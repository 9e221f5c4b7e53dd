// What a metric is: a name, a type, its meaning, and its labels. Every label has a closed set of values, so no caller can create a new
// series. https://prometheus.io/docs/practices/naming/
// https://github.com/prometheus/docs/blob/main/content/docs/instrumenting/exposition_formats.md

/** One dimension of a metric: its labels, and the values that they can have together. */
export interface Axis {
  readonly labels: readonly string[];
  /** For each position on the axis, the value of each label. */
  readonly values: readonly (readonly string[])[];
}

/** An axis of one label. */
export const axisOf = (label: string, values: readonly string[]): Axis => ({
  labels: [label],
  values: values.map((value) => [value]),
});

/** The description of a metric. */
export interface Family {
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  /** One sentence. */
  readonly help: string;
  readonly labels: readonly string[];
}

/** A metric that every worker counts in its own memory. */
export interface CellFamily extends Family {
  readonly axes: readonly Axis[];
  /**
   * The upper bounds of a histogram's buckets, ascending. The last bucket has no bound and is not listed. Empty if it is not a histogram.
   */
  readonly bounds: readonly number[];
  /** Whether each worker has separate series, distinguished by the label `thread`; otherwise the counts of all workers are added up. */
  readonly perThread: boolean;
  /** Whether series that have never been counted are shown too. */
  readonly showsZeros: boolean;
}

/** Creates a metric that workers count. */
export function cellFamily(
  type: Family["type"],
  name: string,
  help: string,
  more: Partial<Pick<CellFamily, "axes" | "bounds" | "perThread" | "showsZeros">> = {},
): CellFamily {
  const { axes = [], bounds = [], perThread = false, showsZeros = true } = more;
  const labels = [...(perThread ? ["thread"] : []), ...axes.flatMap((axis) => axis.labels)];
  return { type, name, help, labels, axes, bounds, perThread, showsZeros };
}

/** How many series a metric has in one worker. */
export const seriesCount = ({ axes }: CellFamily): number => axes.reduce((count, { values }) => count * values.length, 1);

/** How many cells one series takes: a histogram has one for each bucket, including the infinite one, and one for the sum. */
export const cellsPerSeries = ({ type, bounds }: CellFamily): number => (type === "histogram" ? bounds.length + 2 : 1);
