// The median and the upper end of a set of durations.

/** Median, 99th percentile and maximum, in the unit of the durations. */
export interface Percentiles {
  readonly median: number;
  readonly p99: number;
  readonly max: number;
}

/** Of at least one duration. */
export function percentilesOf(durations: readonly number[]): Percentiles {
  const sorted = durations.toSorted((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
  return { median: at(0.5), p99: at(0.99), max: sorted.at(-1) ?? Number.NaN };
}
