// How long the calls of each service took, and what share of them failed: a table of the whole period, and a plot over time.
import { useMemo } from "preact/hooks";
import { UsageDimension, UsageMeasure } from "../../../gen/quintet/account/v1/usage_pb.js";
import { SERVICE_NAMES } from "../../../src/catalogue/service-names.ts";
import { Plot } from "../../components/plot/Plot.tsx";
import { PlotTable } from "../../components/plot/PlotTable.tsx";
import type { PlotData } from "../../components/plot/plot-data.ts";
import { Loaded } from "../../components/ui/Loaded.tsx";
import { Table } from "../../components/ui/Table.tsx";
import { formatLatency, formatNumber, formatShare, serviceTitle } from "../formats.ts";
import styles from "./CallsOverTime.module.css";
import { CsvButton } from "./CsvButton.tsx";
import { type Filters, pathOf } from "./filters.ts";
import { errorSeries, latencySeries } from "./latency-series.ts";
import { SpanNav } from "./SpanNav.tsx";
import { firstDayOf, timesOf } from "./series.ts";
import { STEPS } from "./steps.ts";
import plotStyles from "./TimePlot.module.css";
import { type UsageRow, useUsage } from "./usage-report.ts";

const MEASURES: readonly (readonly [Filters["measure"], label: string])[] = [
  ["median", "Median"],
  ["p95", "p95"],
  ["errors", "Error rate"],
];
const TEXTS: Readonly<Record<Filters["measure"], string>> = {
  median: "Half of the calls took at most this long.",
  p95: "95% of the calls took at most this long.",
  errors: "The share of the calls that failed.",
};
const COLUMNS = ["Calls measured", "Median", "p95", "p99", "Error rate"].map((heading) => ({ heading, isFigure: true }));
const ROWS_MAX = 1000;
const REFETCH_OPTIONS = { refetchInterval: 15_000 };
const DAY = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", timeZone: "UTC" });

interface Rows {
  /** The whole period, a row for each service. */
  readonly all: readonly UsageRow[];
  /** A row for each time and service. */ readonly timed: readonly UsageRow[];
  /** A row for each time and service. */ readonly calls: readonly UsageRow[];
}

/** Applies all filters except the key: response times are measured for all keys together. */
export function LatencyOverTime({ filters, nowMs }: { readonly filters: Filters; readonly nowMs: number }) {
  const { span, service, key, measure } = filters;
  const common = { service, fromDay: firstDayOf(span, nowMs), limit: ROWS_MAX };
  const latency = { ...common, measure: UsageMeasure.LATENCY };
  const byTime = [STEPS[span].dimension, UsageDimension.SERVICE];
  const all = useUsage(latency, REFETCH_OPTIONS);
  const timed = useUsage({ ...latency, groupBy: byTime }, REFETCH_OPTIONS);
  const usage = useUsage({ ...common, groupBy: byTime }, REFETCH_OPTIONS);
  return (
    <section aria-labelledby="latency">
      <div class={styles.head}>
        <h2 id="latency">Response times and errors</h2>
        <SpanNav
          label="Measure"
          links={MEASURES.map(([one, label]) => ({
            href: pathOf({ ...filters, measure: one }),
            label,
            isCurrent: one === measure,
          }))}
        />
      </div>
      {key !== "" && <p class={styles.none}>These figures are for all keys together.</p>}
      <Loaded query={all} rem={30}>
        {({ results }) => (
          <Loaded query={timed} rem={30}>
            {({ results: measured }) => (
              <Loaded query={usage} rem={30}>
                {({ results: calls }) => (
                  <Measured filters={filters} rows={{ all: results, timed: measured, calls }} nowMs={nowMs} />
                )}
              </Loaded>
            )}
          </Loaded>
        )}
      </Loaded>
    </section>
  );
}

function Measured({ filters, rows, nowMs }: { readonly filters: Filters; readonly rows: Rows; readonly nowMs: number }) {
  const { span, measure } = filters;
  const step = STEPS[span];
  const timesMs = timesOf(span, nowMs);
  const series = measure === "errors" ? errorSeries(rows.calls, timesMs) : latencySeries(rows.timed, timesMs, measure);
  // Redrawn only if a number has changed.
  const figures = JSON.stringify([timesMs, series]);
  const data = useMemo(
    (): PlotData => ({
      kind: "lines",
      timesMs,
      series,
      bands: [],
      isLogarithmic: false,
      isFromZero: true,
      formatTime: (ms) => step.format.format(ms),
      formatValue: measure === "errors" ? formatShare : formatLatency,
    }),
    [figures, step, measure],
  );
  if (rows.all.length === 0 && rows.calls.length === 0) {
    return <p class={styles.none}>Nothing was measured in this period.</p>;
  }
  const name = measure === "errors" ? "Error rate" : `Response time, ${measure}`;
  return (
    <>
      <Table
        stacks
        label="Response times in this period"
        columns={[{ heading: `Since ${DAY.format(Date.parse(firstDayOf(span, nowMs)))}, UTC` }, ...COLUMNS]}
        rows={rowsOf(rows)}
      />
      {series.length === 0 ? (
        <p class={styles.none}>No response times in this period. Servers record them every minute.</p>
      ) : (
        <>
          <p>{TEXTS[measure]}</p>
          <Plot label={TEXTS[measure]} data={data} />
          <div class={plotStyles.below}>
            <PlotTable label={`${name} by ${step.name}`} heading={step.heading} data={data} />
            <CsvButton
              fileName={`quintet-${measure === "errors" ? "error-rates" : `latency-${measure}`}-${span}`}
              headings={[`${step.name} (UTC)`, ...series.map(({ label }) => (measure === "errors" ? label : `${label} (ms)`))]}
              rows={timesMs.map((ms, index) => [new Date(ms).toISOString(), ...series.map(({ values }) => values[index] ?? "")])}
            />
          </div>
        </>
      )}
    </>
  );
}

// The services that were called.
const rowsOf = ({ all, calls }: Rows) =>
  SERVICE_NAMES.flatMap((service) => {
    const latency = all.find((row) => row.service === service);
    const own = calls.filter((row) => row.service === service);
    const sumOf = (callsOf: (row: UsageRow) => number): number => own.reduce((sum, row) => sum + callsOf(row), 0);
    const admitted = sumOf((row) => row.calls);
    const times = [latency?.medianMs, latency?.p95Ms, latency?.p99Ms];
    return latency === undefined && admitted === 0
      ? []
      : [
          {
            key: service,
            cells: [
              serviceTitle(service),
              formatNumber(latency?.calls ?? 0),
              ...times.map((ms) => (ms === undefined ? "–" : formatLatency(ms))),
              admitted === 0 ? "–" : formatShare(sumOf((row) => row.failed) / admitted),
            ],
          },
        ];
  });
