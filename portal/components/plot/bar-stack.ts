// The geometry of stacked bars. Pure.
import type { PlotSeries } from "./plot-data.ts";

/** One part of a bar, in the data's unit. */
interface Part {
  readonly from: number;
  readonly to: number;
  readonly colour: string;
}

/** The parts of each bar, the first series at the bottom. Parts without height are left out. */
export function stackOf(series: readonly PlotSeries[]): readonly (readonly Part[])[] {
  const count = Math.max(0, ...series.map(({ values }) => values.length));
  return Array.from({ length: count }, (_, index) => {
    const parts: Part[] = [];
    let from = 0;
    for (const { values, colour } of series) {
      const to = from + (values[index] ?? 0);
      if (to > from) {
        parts.push({ from, to, colour });
      }
      from = to;
    }
    return parts;
  });
}

/** The smallest round number that is at least half of `most`: 1, 2, 2.5 or 5 times a power of ten, and a whole number. */
export function tickOf(most: number): number {
  const half = Math.max(1, most / 2);
  const power = 10 ** Math.floor(Math.log10(half));
  const steps = power === 1 ? [1, 2, 5, 10] : [1, 2, 2.5, 5, 10];
  return (steps.find((step) => step * power >= half) ?? 10) * power;
}
