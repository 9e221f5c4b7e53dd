// The traffic of the last 24 hours as bars.
import { BarChart } from "../../components/plot/BarChart.tsx";
import type { BarsData } from "../../components/plot/plot-data.ts";
import { formatNumber, formatShort } from "../formats.ts";
import { partsText } from "../usage/time-text.ts";
import type { Traffic } from "./traffic.ts";

const HOUR = new Intl.DateTimeFormat(undefined, { hour: "numeric", timeZone: "UTC" });

/** `hasRefused`: whether anything of this kind can be refused. */
export function TrafficChart({ traffic, hasRefused }: { readonly traffic: Traffic; readonly hasRefused: boolean }) {
  const { timesMs, ok, failed, refused } = traffic;
  const series = [
    { label: "OK", colour: "var(--accent)", values: ok },
    { label: "Failed", colour: "var(--bad)", values: failed },
    ...(hasRefused ? [{ label: "Refused", colour: "var(--bitcoin)", values: refused }] : []),
  ];
  const formatTime = (ms: number): string => HOUR.format(ms);
  const data: BarsData = { kind: "bars", timesMs, series, formatTime, formatValue: formatNumber };
  return (
    <BarChart
      label={partsText(timesMs, series, { name: "hour", format: HOUR })}
      data={data}
      whole="24 hours, UTC"
      formatTick={formatShort}
    />
  );
}
