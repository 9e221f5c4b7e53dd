// A plot over time, and above it the values at the pointer. It is drawn on a canvas, which screen readers cannot read. They read out the
// values at the time that the arrow keys select, and a table of the same values should be next to the plot.
import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../ui/Button.tsx";
import type { DrawnChart } from "./chart.ts";
import { loadChart } from "./load-chart.ts";
import styles from "./Plot.module.css";
import { type PlotData, valueText } from "./plot-data.ts";
import { usePointed } from "./use-pointed.ts";

const HEIGHT_PX = 300;

/**
 * `label` says in a sentence what the plot shows. The plot is drawn again when `data` is a different object. While no time is pointed at,
 * the last values are shown. Dragging zooms in.
 */
export function Plot({ label, data }: { readonly label: string; readonly data: PlotData }) {
  const place = useRef<HTMLDivElement>(null);
  const drawn = useRef<DrawnChart | undefined>(undefined);
  const [failed, setFailed] = useState(false);
  const [attempt, setAttempt] = useState(0);
  const [isZoomed, setZoomed] = useState(false);
  const { timesMs, series, formatTime } = data;
  const textAt = (index: number): string =>
    [formatTime(timesMs[index] ?? 0), ...series.map((one) => `${one.label} ${valueText(data, one.values[index])}`)].join(", ");
  const { index, point, attributes } = usePointed(timesMs.length, label, textAt, (next) => drawn.current?.point(next));
  useEffect(() => {
    const element = place.current;
    let isGone = false;
    setZoomed(false);
    void loadChart().then((chart) => {
      setFailed(chart === undefined);
      if (element !== null && !isGone) {
        drawn.current = chart?.drawChart(element, data, HEIGHT_PX, { onPoint: point, onZoom: setZoomed });
      }
    });
    return () => {
      isGone = true;
      drawn.current?.remove();
      drawn.current = undefined;
    };
  }, [data, attempt]);
  const shown = index ?? timesMs.length - 1;
  const atMs = timesMs[shown];
  return (
    <figure class={styles.plot}>
      <figcaption class={styles.values}>
        {atMs !== undefined && <span>{formatTime(atMs)}</span>}
        {series.map(({ label: name, values, colour }) => (
          <span key={name}>
            <i style={{ background: colour }} /> {name} <b>{valueText(data, values[shown])}</b>
          </span>
        ))}
        {isZoomed && (
          <Button kind="plain" onClick={() => drawn.current?.resetZoom()}>
            Reset zoom
          </Button>
        )}
      </figcaption>
      <div ref={place} class={styles.place} {...attributes}>
        {failed && (
          <>
            <p>The chart could not be loaded. The table has the same values.</p>
            <Button onClick={() => setAttempt(attempt + 1)}>Try again</Button>
          </>
        )}
      </div>
    </figure>
  );
}
