// The calls of the last 24 hours as bars.
import { BarChart } from "../../../components/plot/BarChart.tsx";
import type { BarsData } from "../../../components/plot/plot-data.ts";
import { formatNumber, formatShort } from "../../formats.ts";
import { partsText } from "../../usage/time-text.ts";
import type { LastDay } from "./last-day.ts";
import styles from "./Part.module.css";

// UTC, as in the totals: the page uses one time zone.
const HOUR = new Intl.DateTimeFormat(undefined, { hour: "numeric", timeZone: "UTC" });

/** Calls by outcome. */
export function DayChart({ day: { timesMs, hours } }: { readonly day: LastDay }) {
  const series = [
    { label: "OK", colour: "var(--accent)", values: hours.ok },
    { label: "Failed", colour: "var(--bad)", values: hours.failed },
    { label: "Refused", colour: "var(--bitcoin)", values: hours.refused },
  ];
  const formatTime = (ms: number): string => HOUR.format(ms);
  const data: BarsData = { kind: "bars", timesMs, series, formatTime, formatValue: formatNumber };
  return (
    <section class={styles.part} aria-labelledby="last-day">
      <div class={styles.head}>
        <h2 id="last-day">Last 24 hours</h2>
        <a href="/app/usage">View usage</a>
      </div>
      <BarChart
        label={partsText(timesMs, series, { name: "hour", format: HOUR })}
        data={data}
        whole="24 hours"
        formatTick={formatShort}
      />
    </section>
  );
}
