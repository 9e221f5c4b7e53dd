// A plot over time, and below it the values under the pointer. It is drawn on a canvas, which screen readers cannot read: put a table of
// the same values beside it.
import { useEffect, useRef, useState } from "preact/hooks";
import { loadChart } from "./load-chart.ts";
import styles from "./Plot.module.css";
import { type PlotData, valueText } from "./plot-data.ts";

const HEIGHT_PX = 300;

/**
 * `label` says in a sentence what it shows. Draws again when `data` is a different object. Without the pointer it shows the last values.
 */
export function Plot({ label, data }: { readonly label: string; readonly data: PlotData }) {
  const place = useRef<HTMLDivElement>(null);
  const [pointed, setPointed] = useState<number | undefined>(undefined);
  const [failed, setFailed] = useState(false);
  useEffect(() => {
    const element = place.current;
    let remove: (() => void) | undefined;
    let isGone = false;
    void loadChart().then((chart) => {
      setFailed(chart === undefined);
      if (element !== null && !isGone) {
        remove = chart?.drawChart(element, data, HEIGHT_PX, setPointed);
      }
    });
    return () => {
      isGone = true;
      remove?.();
    };
  }, [data]);
  const shown = pointed ?? data.timesMs.length - 1;
  const atMs = data.timesMs[shown];
  return (
    <figure class={styles.plot}>
      <div ref={place} class={styles.place} role="img" aria-label={label}>
        {failed && <p>The plot could not be loaded. Reload the page; the table has the same figures.</p>}
      </div>
      <figcaption class={styles.values}>
        {atMs !== undefined && <span>{data.formatTime(atMs)}</span>}
        {data.series.map(({ label: name, values, colour }) => (
          <span key={name}>
            <i style={{ background: colour }} /> {name} <b>{valueText(data, values[shown])}</b>
          </span>
        ))}
      </figcaption>
    </figure>
  );
}
