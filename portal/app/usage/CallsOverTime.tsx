// The calls of the last day, month or year as plots: those that were admitted, and those that were refused, by reason.
import { AccountService, UsageDimension, type UsageRow } from "../../../gen/quintet/account/v1/account_pb.js";
import { useQuery } from "../../api/use-query.ts";
import { Loaded } from "../../components/ui/Loaded.tsx";
import { Notice } from "../../components/ui/Notice.tsx";
import styles from "./CallsOverTime.module.css";
import { type Filters, pathOf, SPANS, type Span } from "./filters.ts";
import { RefusalsOverTime } from "./RefusalsOverTime.tsx";
import { SpanNav } from "./SpanNav.tsx";
import { firstDayOf, sumsAt, timesOf } from "./series.ts";
import { beginOf, STEPS } from "./steps.ts";
import { TimePlot } from "./TimePlot.tsx";
import { callsText } from "./time-text.ts";

const ROWS_MAX = 1000;
const READ_EVERY_MS = 15_000;

/** Follows the filters. */
export function CallsOverTime({ filters, nowMs }: { readonly filters: Filters; readonly nowMs: number }) {
  const { span, service, key } = filters;
  const groupBy = [STEPS[span].usage, UsageDimension.OUTCOME, ...(key === "" ? [] : [UsageDimension.KEY])];
  const input = { service, fromDay: firstDayOf(span, nowMs), groupBy, limit: ROWS_MAX };
  const query = useQuery(AccountService.method.getUsage, input, { refetchInterval: READ_EVERY_MS });
  return (
    <section aria-labelledby="calls-over-time">
      <div class={styles.head}>
        <h2 id="calls-over-time">Calls over time</h2>
        <SpanNav
          links={SPANS.map(([one, words]) => ({ href: pathOf({ ...filters, span: one }), words, isCurrent: one === span }))}
        />
      </div>
      <Loaded query={query} rem={24}>
        {({ results, hasMore }) => (
          <>
            {hasMore && (
              <Notice tone="plain">There is too much data to show at once, so some is missing. Choose one service.</Notice>
            )}
            <Admitted span={span} rows={results.filter(({ keyId }) => key === "" || keyId === key)} nowMs={nowMs} />
          </>
        )}
      </Loaded>
      <RefusalsOverTime filters={filters} nowMs={nowMs} />
    </section>
  );
}

function Admitted({ span, rows, nowMs }: { readonly span: Span; readonly rows: readonly UsageRow[]; readonly nowMs: number }) {
  const timesMs = timesOf(span, nowMs);
  const valuesOf = (isOk: boolean): readonly number[] =>
    sumsAt(
      timesMs,
      rows.filter(({ outcome }) => (outcome === "OK") === isOk).map((row) => ({ atMs: beginOf(row), calls: row.calls })),
    );
  const series = [
    { label: "OK", colour: "var(--accent)", values: valuesOf(true) },
    { label: "Failed", colour: "var(--radio)", values: valuesOf(false) },
  ];
  return (
    <TimePlot
      name="Calls"
      text={callsText(timesMs, series, STEPS[span])}
      step={STEPS[span]}
      timesMs={timesMs}
      series={series}
      fileName={`quintet-calls-${span}`}
    />
  );
}
