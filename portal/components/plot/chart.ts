// Draws a plot with uPlot, in the page's colours, as wide as the space for it. load-chart.ts loads it.
import uPlot, { type Axis, type Options, type Series } from "uplot";
import "uplot/dist/uPlot.min.css";
import type { BarsData, LinesData, PlotData, PlotSeries } from "./plot-data.ts";

const BAR_SHARE = 0.8;
const BAR_MAX_PX = 40;
const BAR_MARGIN = 0.6;
const DAY_MS = 86_400_000;
const TICK_AND_GAP_PX = 18;
const FONT_SIZE = "12px";

type Parts = Pick<Options, "scales" | "axes" | "series" | "hooks"> & { readonly columns: readonly (readonly (number | null)[])[] };

/** A plot that has been drawn. */
export interface DrawnChart {
  /** Moves the cursor to the time with this index; undefined removes it. */
  readonly point: (index: number | undefined) => void;
  /** Shows all times again. */
  readonly resetZoom: () => void;
  readonly remove: () => void;
}

export interface ChartEvents {
  /** The index of the time under the pointer; undefined if there is none. */
  readonly onPoint: (index: number | undefined) => void;
  /** Whether the user has zoomed in, by dragging. */
  readonly onZoom: (isZoomed: boolean) => void;
}

/** Draws a plot into an element, and again when its width or the page's colours change. */
export function drawChart(element: HTMLElement, data: PlotData, heightPx: number, { onPoint, onZoom }: ChartEvents): DrawnChart {
  const { columns, ...parts } = data.kind === "bars" ? barParts(element, data) : lineParts(element, data);
  const { hooks } = parts;
  const sizeOf = () => ({ width: element.clientWidth, height: heightPx });
  const plot = new uPlot(
    {
      ...parts,
      ...sizeOf(),
      legend: { show: false },
      cursor: { y: false, drag: { x: true, y: false }, points: { show: data.kind === "lines", size: 7 } },
      hooks: {
        ...hooks,
        setCursor: [({ cursor }) => onPoint(cursor.idx ?? undefined)],
        setScale: [(shown, scale) => scale === "x" && onZoom(isZoomed(shown))],
      },
    },
    columns.map((column) => [...column]) as uPlot.AlignedData,
    element,
  );
  const sizes = new ResizeObserver(() => plot.setSize(sizeOf()));
  sizes.observe(element);
  // Keeps the paths and reads the colours again.
  const redraw = (): void => plot.redraw(false);
  const theme = new MutationObserver(redraw);
  theme.observe(document.documentElement, { attributes: true, attributeFilter: ["style"] });
  const systemTheme = matchMedia("(prefers-color-scheme: dark)");
  systemTheme.addEventListener("change", redraw);
  const xOf = (index: number): number => plot.data[0][index] ?? 0;
  return {
    point: (index) => plot.setCursor({ left: index === undefined ? -1 : plot.valToPos(xOf(index), "x"), top: 0 }),
    resetZoom: () => plot.setScale("x", { min: xOf(0), max: xOf(data.timesMs.length - 1) }),
    remove() {
      systemTheme.removeEventListener("change", redraw);
      theme.disconnect();
      sizes.disconnect();
      plot.destroy();
    },
  };
}

// Whether a time at either end is out of sight.
function isZoomed({ data: [xs], scales }: uPlot): boolean {
  const { min, max } = scales.x ?? {};
  return min != null && max != null && (min > (xs[0] ?? 0) || max < (xs.at(-1) ?? 0));
}

// Plain: only horizontal lines, without ticks at the numbers.
function axesOf(element: HTMLElement, { formatValue, formatTick = formatValue }: PlotData, x: Axis, y: Axis = {}): Axis[] {
  const grid = { stroke: () => resolvedColour(element, "var(--line)"), width: 1 };
  const axis: Axis = {
    stroke: () => resolvedColour(element, "var(--ink-soft)"),
    font: fontOf(element),
    grid,
    ticks: { show: false, size: 4 },
  };
  return [
    { ...axis, space: 80, size: 34, grid: { show: false }, ...x },
    // A logarithmic scale has ticks without a number.
    {
      ...axis,
      size: sizeFor,
      values: (_, ticks: readonly (number | null)[]) => ticks.map((tick) => (tick === null ? "" : formatTick(tick))),
      ...y,
    },
  ];
}

// The width of an amount of money depends on the user's language.
function sizeFor({ ctx, root }: uPlot, values: readonly (string | null)[] | null): number {
  ctx.save();
  ctx.font = fontOf(root);
  const widest = Math.max(0, ...(values ?? []).map((text) => ctx.measureText(text ?? "").width));
  ctx.restore();
  return Math.ceil(widest) + TICK_AND_GAP_PX;
}

// A canvas does not inherit the page's font.
const fontOf = (element: HTMLElement): string => `${FONT_SIZE} ${getComputedStyle(element).fontFamily}`;

const seriesOf = (element: HTMLElement, { label, colour }: PlotSeries, style: Series): Series => ({
  label,
  stroke: () => resolvedColour(element, colour),
  points: { show: false },
  ...style,
});

// Spaced evenly, not by time: months differ in length, and no bar may be cut off at either end.
function barParts(element: HTMLElement, data: BarsData): Parts {
  const { timesMs, series, formatTime } = data;
  const last = timesMs.length - 1;
  // The tallest bar of a stack is drawn first, and the lower ones over it.
  const stack = series.map((one, index) => ({ one, column: sums(series.slice(0, index + 1)) })).toReversed();
  const paths = uPlot.paths.bars?.({ size: [BAR_SHARE, BAR_MAX_PX] });
  const timeAt = (position: number): string => {
    const ms = timesMs[position];
    return ms === undefined ? "" : formatTime(ms);
  };
  return {
    columns: [timesMs.map((_, index) => index), ...stack.map(({ column }) => column)],
    scales: {
      x: { time: false, range: (_, from, to) => wholeBars(from, to, last) },
      y: { range: fromZero },
    },
    axes: axesOf(
      element,
      data,
      { incrs: [1, 2, 3, 4, 6, 8, 12, 24, 48, 96], values: (_, positions) => positions.map(timeAt) },
      { incrs: WHOLE_STEPS },
    ),
    series: [
      {},
      ...stack.map(({ one }) =>
        seriesOf(element, one, { fill: () => resolvedColour(element, one.colour), width: 0, ...(paths && { paths }) }),
      ),
    ],
  };
}

const fromZero = (_: uPlot, __: number, max: number): [number, number] => [0, max <= 0 ? 1 : max * 1.08];

// Values without a neighbour, which a line alone would not show.
const isolatedIndexes = ({ values }: PlotSeries): number[] =>
  values.flatMap((value, index) => (value != null && values[index - 1] == null && values[index + 1] == null ? [index] : []));

// Counts are whole numbers.
const WHOLE_STEPS: number[] = [1, 2, 5]
  .flatMap((step) => Array.from({ length: 10 }, (_, power) => step * 10 ** power))
  .toSorted((a, b) => a - b);

const sums = (series: readonly PlotSeries[]): number[] =>
  (series[0]?.values ?? []).map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));

// Rounds a zoomed range, so that the bars at both ends are whole.
const wholeBars = (from: number, to: number, last: number): [number, number] => [
  Math.max(0, Math.round(from)) - BAR_MARGIN,
  Math.min(last, Math.round(to)) + BAR_MARGIN,
];

function lineParts(element: HTMLElement, data: LinesData): Parts {
  const { timesMs, series, bands, isLogarithmic, isFromZero = false } = data;
  const spanMs = (timesMs.at(-1) ?? 0) - (timesMs[0] ?? 0);
  return {
    // uPlot takes times in seconds.
    columns: [timesMs.map((ms) => ms / 1000), ...series.map(({ values }) => values)],
    scales: { x: { time: true }, y: { distr: isLogarithmic ? 3 : 1, ...(isFromZero && { range: fromZero }) } },
    axes: axesOf(element, data, { size: 34, values: (_, ticks) => ticks.map((tick) => tickText(tick * 1000, spanMs)) }),
    series: [
      {},
      ...series.map((one) =>
        seriesOf(element, one, { width: 1.75, points: { show: false, size: 5, filter: () => isolatedIndexes(one) } }),
      ),
    ],
    hooks: { drawClear: [(plot) => drawBands(plot, element, bands)] },
  };
}

function drawBands(plot: uPlot, element: HTMLElement, bands: LinesData["bands"]): void {
  const { ctx, bbox } = plot;
  const { min = 0, max = 0 } = plot.scales.y ?? {};
  ctx.save();
  ctx.globalAlpha = 0.12;
  for (const { from, to, colour } of bands) {
    const [low, high] = [Math.max(from, min), Math.min(to, max)];
    if (high > low) {
      const top = plot.valToPos(high, "y", true);
      ctx.fillStyle = resolvedColour(element, colour);
      ctx.fillRect(bbox.left, top, bbox.width, plot.valToPos(low, "y", true) - top);
    }
  }
  ctx.restore();
}

// A canvas does not support custom properties; a computed style has their current values.
function resolvedColour(element: HTMLElement, value: string): string {
  element.style.color = value;
  const { color } = getComputedStyle(element);
  element.style.color = "";
  return color;
}

const MONTH = new Intl.DateTimeFormat(undefined, { month: "short", year: "numeric", timeZone: "UTC" });
const DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });

const tickText = (ms: number, spanMs: number): string =>
  (spanMs > 200 * DAY_MS ? MONTH : spanMs > 2 * DAY_MS ? DAY : TIME).format(ms);
