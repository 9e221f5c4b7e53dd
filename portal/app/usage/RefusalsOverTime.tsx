// The refused calls of the last day, month or year as a plot, by reason.
import { UsageDimension, UsageMeasure } from "../../../gen/quintet/account/v1/usage_pb.js";
import { Loaded } from "../../components/ui/Loaded.tsx";
import { Notice } from "../../components/ui/Notice.tsx";
import styles from "./CallsOverTime.module.css";
import type { Filters } from "./filters.ts";
import { RefusalsPlot } from "./RefusalsPlot.tsx";
import { firstDayOf } from "./series.ts";
import { STEPS } from "./steps.ts";
import { useUsage } from "./usage-report.ts";

const ROWS_MAX = 1000;
const READ_INTERVAL_MS = 15_000;

/** The plot of the refused calls that match the filters. */
export function RefusalsOverTime({ filters, nowMs }: { readonly filters: Filters; readonly nowMs: number }) {
  const { span, service, key } = filters;
  const groupBy = [STEPS[span].dimension, UsageDimension.OUTCOME, ...(key === "" ? [] : [UsageDimension.KEY])];
  const input = { measure: UsageMeasure.REFUSALS, service, fromDay: firstDayOf(span, nowMs), groupBy, limit: ROWS_MAX };
  const query = useUsage(input, { refetchInterval: READ_INTERVAL_MS });
  return (
    <>
      <h3 class={styles.part}>Refused, by reason</h3>
      <Loaded query={query} rem={2}>
        {({ results, hasMore }) => (
          <>
            {hasMore && (
              <Notice tone="plain">There is too much data to show at once, so some is missing. Choose one service.</Notice>
            )}
            <RefusalsPlot
              rows={results.filter(({ keyId }) => key === "" || keyId === key)}
              span={span}
              nowMs={nowMs}
              fileName={`quintet-refused-${span}`}
              none={<p class={styles.none}>No calls were refused in this period.</p>}
            />
          </>
        )}
      </Loaded>
    </>
  );
}
