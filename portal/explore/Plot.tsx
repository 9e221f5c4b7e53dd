// A plot over time with bands, and below it the values under the pointer. It is drawn on a canvas, which says nothing to who can't see it: a table
// of the same belongs beside it.
import { useEffect, useRef, useState } from "preact/hooks";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import styles from "./Plot.module.css";

/** One line. */
export interface PlotLine {
  readonly label: string;
  /** One for each of the plot's moments; null where there is none. */
  readonly values: readonly (number | null)[];
  /** A custom property, such as `--accent`. */
  readonly color: string;
}

/** A part of the height that means something. */
export interface PlotBand {
  readonly from: number;
  readonly to: number;
  readonly color: string;
}

/** What is drawn. */
export interface PlotProps {
  /** What it shows, for who can't see it. */
  readonly label: string;
  /** Unix seconds, rising. */
  readonly moments: readonly number[];
  readonly lines: readonly PlotLine[];
  readonly bands?: readonly PlotBand[];
  readonly isLogarithmic?: boolean;
  readonly formatValue: (value: number) => string;
  readonly formatMoment: (seconds: number) => string;
}

const HEIGHT = 320;
const DAY_SECONDS = 86_400;

/** The plot, with the values under the pointer below it. */
export function Plot(props: PlotProps) {
  const { label, moments, lines, formatValue, formatMoment } = props;
  const place = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState<number | undefined>(undefined);
  const shown = at ?? moments.length - 1;
  // Formats are made anew at each rendering; the plot is not.
  const latest = useRef(props);
  latest.current = props;
  useEffect(() => {
    const element = place.current;
    return element === null ? undefined : draw(element, latest.current, setAt);
  }, [moments, lines, props.bands, props.isLogarithmic]);
  const moment = moments[shown];
  return (
    <figure class={styles.plot}>
      <div ref={place} class={styles.place} role="img" aria-label={label} />
      <figcaption class={styles.values}>
        {moment !== undefined && <span>{formatMoment(moment)}</span>}
        {lines.map(({ label: name, values, color }) => {
          const value = values[shown];
          return (
            <span key={name}>
              <i style={{ background: `var(${color})` }} /> {name} <b>{value == null ? "–" : formatValue(value)}</b>
            </span>
          );
        })}
      </figcaption>
    </figure>
  );
}

function draw(element: HTMLElement, props: PlotProps, onCursor: (index: number | undefined) => void): () => void {
  const { moments, lines, bands = [], isLogarithmic = false, formatValue } = props;
  const span = (moments.at(-1) ?? 0) - (moments[0] ?? 0);
  const grid = { stroke: () => colorOf(element, "--line"), width: 1 };
  const axis = { stroke: () => colorOf(element, "--ink-soft"), font: "12px system-ui, sans-serif", grid, ticks: grid };
  const plot = new uPlot(
    {
      width: element.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      cursor: { y: false, points: { size: 7 }, drag: { x: false, y: false } },
      scales: { x: { time: true }, y: { distr: isLogarithmic ? 3 : 1 } },
      axes: [
        { ...axis, space: 80, size: 34, values: (_, ticks) => ticks.map((tick) => momentOf(tick, span)) },
        { ...axis, size: 76, values: (_, ticks) => ticks.map((tick) => (tick == null ? "" : formatValue(tick))) },
      ],
      series: [
        {},
        ...lines.map(({ label, color }) => ({
          label,
          stroke: () => colorOf(element, color),
          width: 1.75,
          points: { show: false },
        })),
      ],
      hooks: {
        drawClear: [(drawn) => drawBands(drawn, element, bands)],
        setCursor: [({ cursor }) => onCursor(cursor.idx ?? undefined)],
      },
    },
    [moments as number[], ...lines.map(({ values }) => values as (number | null)[])],
    element,
  );
  const sizes = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height: HEIGHT }));
  sizes.observe(element);
  const redraw = (): void => plot.redraw(false);
  const themes = new MutationObserver(redraw);
  themes.observe(document.documentElement, { attributes: true, attributeFilter: ["style"] });
  const system = matchMedia("(prefers-color-scheme: dark)");
  system.addEventListener("change", redraw);
  return () => {
    system.removeEventListener("change", redraw);
    themes.disconnect();
    sizes.disconnect();
    plot.destroy();
  };
}

function drawBands(plot: uPlot, element: HTMLElement, bands: readonly PlotBand[]): void {
  const { ctx, bbox } = plot;
  const { min = 0, max = 0 } = plot.scales.y ?? {};
  ctx.save();
  ctx.globalAlpha = 0.12;
  for (const { from, to, color } of bands) {
    const [low, high] = [Math.max(from, min), Math.min(to, max)];
    if (high > low) {
      const top = plot.valToPos(high, "y", true);
      ctx.fillStyle = colorOf(element, color);
      ctx.fillRect(bbox.left, top, bbox.width, plot.valToPos(low, "y", true) - top);
    }
  }
  ctx.restore();
}

// A canvas knows no custom properties; a computed style has them resolved, for the colours that hold now.
function colorOf(element: HTMLElement, property: string): string {
  element.style.color = `var(${property})`;
  const { color } = getComputedStyle(element);
  element.style.color = "";
  return color;
}

const YEAR = new Intl.DateTimeFormat(undefined, { month: "short", year: "numeric", timeZone: "UTC" });
const DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short" });
const TIME = new Intl.DateTimeFormat(undefined, { timeStyle: "short" });

const momentOf = (seconds: number, span: number): string =>
  (span > 200 * DAY_SECONDS ? YEAR : span > 2 * DAY_SECONDS ? DAY : TIME).format(seconds * 1000);
