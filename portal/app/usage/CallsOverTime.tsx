// The calls in the last day, month or year as plots: those that were admitted, and those that were refused, by reason.
import { UsageDimension } from "../../../gen/quintet/account/v1/usage_pb.js";
import { Loaded } from "../../components/ui/Loaded.tsx";
import { Notice } from "../../components/ui/Notice.tsx";
import styles from "./CallsOverTime.module.css";
import { outcomeSeries, serviceSeries } from "./call-series.ts";
import { type Filters, pathOf, SPANS, type Span } from "./filters.ts";
import { RefusalsOverTime } from "./RefusalsOverTime.tsx";
import { SpanNav } from "./SpanNav.tsx";
import { firstDayOf, timesOf } from "./series.ts";
import { STEPS } from "./steps.ts";
import { TimePlot } from "./TimePlot.tsx";
import { callsText, partsText } from "./time-text.ts";
import { type UsageRow, useUsage } from "./usage-report.ts";

const BREAKDOWNS: readonly (readonly [Filters["by"], label: string])[] = [
  ["outcome", "By outcome"],
  ["service", "By service"],
];
const ROWS_MAX = 1000;
const READ_INTERVAL_MS = 15_000;

/** The plots of the calls that match the filters. */
export function CallsOverTime({ filters, nowMs }: { readonly filters: Filters; readonly nowMs: number }) {
  const { span, service, key, by } = filters;
  const groupBy = [STEPS[span].dimension, UsageDimension.SERVICE, ...(key === "" ? [] : [UsageDimension.KEY])];
  const input = { service, fromDay: firstDayOf(span, nowMs), groupBy, limit: ROWS_MAX };
  const query = useUsage(input, { refetchInterval: READ_INTERVAL_MS });
  return (
    <section aria-labelledby="calls-over-time">
      <div class={styles.head}>
        <h2 id="calls-over-time">Calls over time</h2>
        <SpanNav
          label="Breakdown"
          links={BREAKDOWNS.map(([one, label]) => ({ href: pathOf({ ...filters, by: one }), label, isCurrent: one === by }))}
        />
        <SpanNav
          links={SPANS.map(([one, label]) => ({ href: pathOf({ ...filters, span: one }), label, isCurrent: one === span }))}
        />
      </div>
      <Loaded query={query} rem={24}>
        {({ results, hasMore }) => (
          <>
            {hasMore && (
              <Notice tone="plain">There is too much data to show at once, so some is missing. Choose one service.</Notice>
            )}
            <Admitted span={span} by={by} rows={results.filter(({ keyId }) => key === "" || keyId === key)} nowMs={nowMs} />
          </>
        )}
      </Loaded>
      <RefusalsOverTime filters={filters} nowMs={nowMs} />
    </section>
  );
}

interface AdmittedProps {
  readonly span: Span;
  readonly by: Filters["by"];
  readonly rows: readonly UsageRow[];
  readonly nowMs: number;
}

function Admitted({ span, by, rows, nowMs }: AdmittedProps) {
  const timesMs = timesOf(span, nowMs);
  const step = STEPS[span];
  if (by === "service") {
    const { calls, failed } = serviceSeries(rows, timesMs);
    return (
      <>
        <TimePlot
          name="Calls"
          text={calls.length === 0 ? "No calls in this period." : partsText(timesMs, calls, step)}
          step={step}
          timesMs={timesMs}
          series={calls}
          fileName={`quintet-calls-by-service-${span}`}
        />
        <h3 class={styles.part}>Failed, by service</h3>
        {failed.length === 0 ? (
          <p class={styles.none}>No calls failed in this period.</p>
        ) : (
          <TimePlot
            name="Failed calls"
            text={partsText(timesMs, failed, step, "failed")}
            step={step}
            timesMs={timesMs}
            series={failed}
            fileName={`quintet-failed-by-service-${span}`}
          />
        )}
      </>
    );
  }
  const series = outcomeSeries(rows, timesMs);
  return (
    <TimePlot
      name="Calls"
      text={callsText(timesMs, series, step)}
      step={step}
      timesMs={timesMs}
      series={series}
      fileName={`quintet-calls-${span}`}
    />
  );
}
