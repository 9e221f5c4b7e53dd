// Writes metrics as the text that Prometheus reads. https://github.com/prometheus/docs/blob/main/docs/instrumenting/exposition_formats.md
import { type CellFamily, cellsPerSeries, type Family, seriesCount } from "./family.ts";
import type { MetricLayout, WorkerLayout } from "./worker-metrics.ts";

export const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** One value of a metric. */
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

const escaped = (value: string): string => value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");

const written = (value: number): string =>
  value === Number.POSITIVE_INFINITY ? "+Inf" : value === Number.NEGATIVE_INFINITY ? "-Inf" : String(value);

function line(name: string, labels: Readonly<Record<string, string>>, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${written(value)}\n`;
}

const heading = ({ name, type, help }: Family): string =>
  `# HELP ${name} ${help.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}\n# TYPE ${name} ${type}\n`;

/** The text of a metric that is not counted in workers. */
export function writeSamples(family: Family, samples: readonly Sample[]): string {
  return heading(family) + samples.map(({ labels, value }) => line(family.name, labels, value)).join("");
}

/** The text of all metrics of the workers. `workers` is the memory of each, in the order of their numbers. */
export function writeWorkers({ at }: WorkerLayout, workers: readonly Float64Array[]): string {
  return Object.values<MetricLayout>(at)
    .map(({ family, offset }) => heading(family) + writeFamily(family, offset, workers))
    .join("");
}

function writeFamily(family: CellFamily, offset: number, workers: readonly Float64Array[]): string {
  const groups = family.perThread
    ? workers.map((cells, thread) => ({ labels: { thread: String(thread) }, of: [cells] }))
    : [{ labels: {}, of: workers }];
  const size = cellsPerSeries(family);
  const count = seriesCount(family);
  let text = "";
  for (const { labels, of } of groups) {
    for (let series = 0, first = offset; series < count; series += 1, first += size) {
      if (family.showsZeros || isUsed(of, first, first + size)) {
        text += writeSeries(family, { ...labels, ...labelsOf(family, series) }, sums(of, first, size));
      }
    }
  }
  return text;
}

// Whether a worker has counted anything in these cells. There are tens of thousands of series, and nearly all are unused: this creates no
// objects for them.
function isUsed(workers: readonly Float64Array[], from: number, to: number): boolean {
  for (const cells of workers) {
    for (let cell = from; cell < to; cell += 1) {
      if (cells[cell] !== 0) {
        return true;
      }
    }
  }
  return false;
}

// The sum over all workers.
const sums = (workers: readonly Float64Array[], offset: number, size: number): readonly number[] =>
  Array.from({ length: size }, (_, index) => workers.reduce((sum, cells) => sum + (cells[offset + index] ?? 0), 0));

// The last axis varies fastest.
function labelsOf({ axes }: CellFamily, series: number): Record<string, string> {
  const labels: [string, string][] = [];
  let rest = series;
  for (const { labels: names, values } of axes.toReversed()) {
    const value = values[rest % values.length] ?? [];
    labels.unshift(...names.map((name, index): [string, string] => [name, value[index] ?? ""]));
    rest = Math.floor(rest / values.length);
  }
  return Object.fromEntries(labels);
}

function writeSeries(
  { name, type, bounds }: CellFamily,
  labels: Readonly<Record<string, string>>,
  values: readonly number[],
): string {
  if (type !== "histogram") {
    return line(name, labels, values[0] ?? 0);
  }
  let count = 0;
  const buckets = [...bounds, Number.POSITIVE_INFINITY].map((bound, bucket) => {
    count += values[bucket] ?? 0;
    return line(`${name}_bucket`, { ...labels, le: written(bound) }, count);
  });
  return `${buckets.join("")}${line(`${name}_sum`, labels, values[bounds.length + 1] ?? 0)}${line(`${name}_count`, labels, count)}`;
}
