// A plot over time by uPlot, in the page's colours. It is loaded when the first one is shown.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";

/** One line or row of bars. */
interface PlotSeries {
  readonly label: string;
  /** A colour of the page, as a CSS value: `var(--accent)`. */
  readonly colour: string;
  /** One for each time; null where there is none. */
  readonly values: readonly (number | null)[];
}

/** What is drawn. */
export interface PlotData {
  /** Milliseconds since the epoch, ascending. */
  readonly timesMs: readonly number[];
  /** Bars stand on each other in this order, from the ground up; lines are drawn by themselves. */
  readonly series: readonly PlotSeries[];
  readonly kind: "bars" | "lines";
  /** A point in time as the axis writes it. */
  readonly formatTime: (ms: number) => string;
  readonly formatValue: (value: number) => string;
}

/** A plot on the page. */
export interface Chart {
  resize(widthPx: number, heightPx: number): void;
  destroy(): void;
}

const AXIS_GAP_PX = 70;
const FONT = "12px system-ui, sans-serif";
const BAR_SHARE = 0.8;
const BAR_MAX_PX = 40;

/** Draws it into an element of this size. */
export function drawChart(parent: HTMLElement, data: PlotData, widthPx: number, heightPx: number): Chart {
  const { timesMs, series, kind, formatTime, formatValue } = data;
  const colourOf = (value: string): string => computedColour(parent, value);
  const grid = { stroke: colourOf("var(--line)"), width: 1 };
  const axis = { stroke: colourOf("var(--ink-soft)"), font: FONT, grid, ticks: grid };
  const columns = kind === "bars" ? stacked(series) : series.map(({ values }) => values);
  const bars = uPlot.paths.bars?.({ size: [BAR_SHARE, BAR_MAX_PX] });
  // The tallest of a stack is drawn first, and those below it over it.
  const drawn = series.map((one, index) => ({ one, column: columns[index] ?? [] })).toReversed();
  const plot = new uPlot(
    {
      width: widthPx,
      height: heightPx,
      // By positions, not by the clock: months are not of one length, and no bar is cut off at an end.
      scales: {
        x: { time: false, range: kind === "bars" ? [-0.6, timesMs.length - 0.4] : [0, Math.max(1, timesMs.length - 1)] },
        y: { range: (_, min, max) => [Math.min(0, min), max <= 0 ? 1 : max * 1.08] },
      },
      cursor: { show: false },
      select: { show: false, left: 0, top: 0, width: 0, height: 0 },
      legend: { show: false },
      axes: [
        {
          ...axis,
          space: AXIS_GAP_PX,
          incrs: [1, 2, 3, 4, 6, 8, 12, 24, 48, 96],
          values: (_, positions) => positions.map((at) => labelAt(timesMs, at, formatTime)),
        },
        {
          ...axis,
          size: 62,
          values: (_, values) => values.map((value) => formatValue(value)),
          ...(kind === "bars" && { incrs: WHOLE }),
        },
      ],
      series: [
        {},
        ...drawn.map(({ one: { label, colour } }) => ({
          label,
          stroke: colourOf(colour),
          ...(kind === "bars" && bars ? { fill: colourOf(colour), width: 0, paths: bars } : { width: 2 }),
          points: { show: false },
        })),
      ],
    },
    [timesMs.map((_, index) => index), ...drawn.map(({ column }) => [...column])],
    parent,
  );
  return {
    resize: (width, height) => plot.setSize({ width, height }),
    destroy: () => plot.destroy(),
  };
}

// Calls have no halves.
const WHOLE: number[] = [1, 2, 5]
  .flatMap((step) => Array.from({ length: 10 }, (_, power) => step * 10 ** power))
  .toSorted((a, b) => a - b);

const labelAt = (timesMs: readonly number[], at: number, format: (ms: number) => string): string => {
  const ms = timesMs[at];
  return ms === undefined ? "" : format(ms);
};

function stacked(series: readonly PlotSeries[]): readonly (number | null)[][] {
  const sums: number[] = [];
  return series.map(({ values }) =>
    values.map((value, index) => {
      sums[index] = (sums[index] ?? 0) + (value ?? 0);
      return sums[index] ?? 0;
    }),
  );
}

// A canvas knows nothing of the page's variables, nor of light and dark.
function computedColour(parent: HTMLElement, value: string): string {
  const probe = document.createElement("span");
  probe.style.color = value;
  parent.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
