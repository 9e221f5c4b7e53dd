// The refused calls of the last day, month or year as a plot, by reason.
import { AccountService, RefusalDimension, type RefusalRow } from "../../../gen/quintet/account/v1/account_pb.js";
import { useQuery } from "../../api/use-query.ts";
import { Loaded } from "../../components/ui/Loaded.tsx";
import { Notice } from "../../components/ui/Notice.tsx";
import styles from "./CallsOverTime.module.css";
import type { Filters } from "./filters.ts";
import { firstDayOf, sumsAt, timesOf } from "./series.ts";
import { beginOf, STEPS } from "./steps.ts";
import { TimePlot, type TimeSeries } from "./TimePlot.tsx";
import { partsText } from "./time-text.ts";

const ROWS_MAX = 1000;
const READ_EVERY_MS = 15_000;
// A reason has the same colour whichever others there are.
const COLOURS: Readonly<Record<string, string>> = {
  RATE_LIMITED: "var(--bitcoin)",
  QUOTA_EXCEEDED: "var(--bad)",
  SUBSCRIPTION_REQUIRED: "var(--token-list)",
  KEY_REVOKED: "var(--token-price)",
  KEY_EXPIRED: "var(--farkle)",
  KEY_INVALID: "var(--accent)",
};
const OTHER = "Other reasons";

/** Follows the filters. */
export function RefusalsOverTime({ filters, nowMs }: { readonly filters: Filters; readonly nowMs: number }) {
  const { span, service, key } = filters;
  const groupBy = [STEPS[span].refusals, RefusalDimension.REASON, ...(key === "" ? [] : [RefusalDimension.KEY])];
  const input = { service, fromDay: firstDayOf(span, nowMs), groupBy, limit: ROWS_MAX };
  const query = useQuery(AccountService.method.listRefusals, input, { refetchInterval: READ_EVERY_MS });
  const timesMs = timesOf(span, nowMs);
  return (
    <>
      <h3 class={styles.part}>Refused, by reason</h3>
      <Loaded query={query} rem={2}>
        {({ results, hasMore }) => {
          const series = seriesOf(
            results.filter(({ keyId }) => key === "" || keyId === key),
            timesMs,
          );
          return (
            <>
              {hasMore && (
                <Notice tone="plain">
                  There are more figures than are read at once, so some are missing here. Choose one service.
                </Notice>
              )}
              {series.length === 0 ? (
                <p class={styles.none}>No call was refused in this time.</p>
              ) : (
                <TimePlot
                  name="Refused calls"
                  text={partsText(timesMs, series, STEPS[span], "refused")}
                  step={STEPS[span]}
                  timesMs={timesMs}
                  series={series}
                  fileName={`quintet-refused-${span}`}
                />
              )}
            </>
          );
        }}
      </Loaded>
    </>
  );
}

// One for each reason that there is, the most frequent first.
function seriesOf(rows: readonly RefusalRow[], timesMs: readonly number[]): readonly TimeSeries[] {
  const labelOf = ({ reason = "" }: RefusalRow): string => (reason in COLOURS ? reason : OTHER);
  return Array.from(Map.groupBy(rows, labelOf), ([label, own]) => ({
    label,
    colour: COLOURS[label] ?? "var(--ink-soft)",
    values: sumsAt(
      timesMs,
      own.map((row) => ({ atMs: beginOf(row), calls: row.calls })),
    ),
  }))
    .map((one) => ({ one, calls: one.values.reduce((sum, value) => sum + value, 0) }))
    .filter(({ calls }) => calls > 0)
    .toSorted((a, b) => b.calls - a.calls)
    .map(({ one }) => one);
}
