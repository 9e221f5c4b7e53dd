// A plot over time. Who can't see it has the text and the table that stand beside each.
import { useEffect, useRef, useState } from "preact/hooks";
import type { Chart, PlotData } from "./chart.ts";
import styles from "./Plot.module.css";

const HEIGHT_PX = 240;

/** `label` says in a sentence what it shows. Draws anew when `data` is another object. */
export function Plot({ label, data }: { readonly label: string; readonly data: PlotData }) {
  const frame = useRef<HTMLDivElement>(null);
  const colours = useColours();
  const [failed, setFailed] = useState(false);
  // Other colours are read from the page itself when it is drawn anew.
  useEffect(() => {
    const parent = frame.current;
    if (parent === null) {
      return;
    }
    let chart: Chart | undefined;
    let isGone = false;
    const observer = new ResizeObserver(() => chart?.resize(parent.clientWidth, HEIGHT_PX));
    void import("./chart.ts")
      .then(({ drawChart }) => {
        if (!isGone) {
          chart = drawChart(parent, data, parent.clientWidth, HEIGHT_PX);
          observer.observe(parent);
        }
      })
      // After an update of the server the script may be gone.
      .catch(() => setFailed(true));
    return () => {
      isGone = true;
      observer.disconnect();
      chart?.destroy();
    };
  }, [data, colours]);
  return (
    <figure class={styles.plot}>
      <ul class={styles.legend} aria-hidden="true">
        {data.series.map((one) => (
          <li key={one.label}>
            <span class={styles.mark} style={{ background: one.colour }} />
            {one.label}
          </li>
        ))}
      </ul>
      <div ref={frame} class={styles.frame} role="img" aria-label={label}>
        {failed && <p>The plot could not be loaded. Reload the page; the table has the same figures.</p>}
      </div>
    </figure>
  );
}

// Changes when the page is shown in other colours.
function useColours(): string {
  const [colours, setColours] = useState("");
  useEffect(() => {
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const read = (): void => setColours(`${document.documentElement.style.colorScheme} ${dark.matches}`);
    const observer = new MutationObserver(read);
    observer.observe(document.documentElement, { attributes: true, attributeFilter: ["style"] });
    dark.addEventListener("change", read);
    read();
    return () => {
      observer.disconnect();
      dark.removeEventListener("change", read);
    };
  }, []);
  return colours;
}
