// The calls of the last day, month or year as a plot, with the same in words and as a table.
import { timestampMs } from "@bufbuild/protobuf/wkt";
import { useMemo } from "preact/hooks";
import { AccountService, UsageDimension, type UsageRow } from "../../../gen/quintet/account/v1/account_pb.js";
import { useQuery } from "../../api/use-query.ts";
import { Plot } from "../../components/plot/Plot.tsx";
import { PlotTable } from "../../components/plot/PlotTable.tsx";
import type { PlotData } from "../../components/plot/plot-data.ts";
import { Loaded } from "../../components/ui/Loaded.tsx";
import { Notice } from "../../components/ui/Notice.tsx";
import { formatNumber } from "../formats.ts";
import styles from "./CallsOverTime.module.css";
import { CsvButton } from "./CsvButton.tsx";
import { type Filters, pathOf, SPANS, type Span } from "./filters.ts";
import { firstDayOf, type Point, pointsOf } from "./series.ts";

const ROWS_MAX = 1000;
const READ_EVERY_MS = 15_000;

const STEPS: Readonly<
  Record<Span, { readonly dimension: UsageDimension; readonly name: string; readonly format: Intl.DateTimeFormat }>
> = {
  // An hour is the reader's own; days and months are the server's, which counts them in UTC.
  "24h": {
    dimension: UsageDimension.HOUR,
    name: "hour",
    format: new Intl.DateTimeFormat(undefined, { hour: "numeric", minute: "2-digit" }),
  },
  "30d": {
    dimension: UsageDimension.DAY,
    name: "day",
    format: new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" }),
  },
  "12m": {
    dimension: UsageDimension.MONTH,
    name: "month",
    format: new Intl.DateTimeFormat(undefined, { month: "short", year: "2-digit", timeZone: "UTC" }),
  },
};

/** Follows the filters. */
export function CallsOverTime({ filters, nowMs }: { readonly filters: Filters; readonly nowMs: number }) {
  const { span, service, key } = filters;
  const groupBy = [STEPS[span].dimension, UsageDimension.OUTCOME, ...(key === "" ? [] : [UsageDimension.KEY])];
  const input = { service, fromDay: firstDayOf(span, nowMs), groupBy, limit: ROWS_MAX };
  const query = useQuery(AccountService.method.getUsage, input, { refetchInterval: READ_EVERY_MS });
  return (
    <section aria-labelledby="calls-over-time">
      <div class={styles.head}>
        <h2 id="calls-over-time">Calls over time</h2>
        <nav class={styles.spans} aria-label="Span">
          {SPANS.map(([one, words]) => (
            <a key={one} href={pathOf({ ...filters, span: one })} aria-current={one === span ? "true" : undefined}>
              {words}
            </a>
          ))}
        </nav>
      </div>
      <Loaded query={query} rem={24}>
        {({ results, hasMore }) => (
          <>
            {hasMore && (
              <Notice tone="plain">
                There are more figures than are read at once, so some are missing here. Choose one service.
              </Notice>
            )}
            <Shown span={span} rows={results.filter(({ keyId }) => key === "" || keyId === key)} nowMs={nowMs} />
          </>
        )}
      </Loaded>
    </section>
  );
}

function Shown({ span, rows, nowMs }: { readonly span: Span; readonly rows: readonly UsageRow[]; readonly nowMs: number }) {
  const points = useMemo(() => pointsOf(span, rows.map(timed), nowMs), [span, rows, nowMs]);
  const { name, format } = STEPS[span];
  const text = summaryOf(points, name, format);
  // Drawn anew only where a figure has changed.
  const figures = JSON.stringify(points);
  const data = useMemo((): PlotData => plotOf(points, format), [figures, format]);
  return (
    <>
      <p>{text}</p>
      <Plot label={text} data={data} />
      <div class={styles.below}>
        <PlotTable label={`Calls by ${name}`} heading={name} data={data} />
        <CsvButton
          fileName={`quintet-calls-${span}`}
          headings={[`${name} (UTC)`, "ok", "failed", "calls"]}
          rows={points.map(({ atMs, ok, failed }) => [new Date(atMs).toISOString(), ok, failed, ok + failed])}
        />
      </div>
    </>
  );
}

const timed = ({ hour, day, month, outcome = "", calls }: UsageRow) => ({
  atMs: hour === undefined ? Date.parse(day ?? `${month}-01`) : timestampMs(hour),
  outcome,
  calls,
});

const plotOf = (points: readonly Point[], format: Intl.DateTimeFormat): PlotData => ({
  kind: "bars",
  timesMs: points.map(({ atMs }) => atMs),
  series: [
    { label: "OK", colour: "var(--accent)", values: points.map(({ ok }) => ok) },
    { label: "Failed", colour: "var(--radio)", values: points.map(({ failed }) => failed) },
  ],
  formatTime: (ms) => format.format(ms),
  formatValue: formatNumber,
});

function summaryOf(points: readonly Point[], name: string, format: Intl.DateTimeFormat): string {
  const sum = (of: (point: Point) => number): number => points.reduce((total, point) => total + of(point), 0);
  const all = sum(({ ok, failed }) => ok + failed);
  if (all === 0) {
    return "No calls in this time.";
  }
  const most = points.reduce((found, point) => (point.ok + point.failed > found.ok + found.failed ? point : found));
  const failed = sum((point) => point.failed);
  const answered = all === 1 ? "1 call" : `${formatNumber(all)} calls`;
  return `${answered}, of which ${failed === 0 ? "none" : formatNumber(failed)} failed. The busiest ${name} was ${format.format(most.atMs)}, with ${formatNumber(most.ok + most.failed)}.`;
}
