// An account's usage for operators: the current month of each subscription, and the last 30 days' calls and refusals as plots and tables.

import { OperatorService } from "../../../gen/quintet/operator/v1/operator_pb.js";
import { SERVICE_NAMES } from "../../../src/catalogue/service-names.ts";
import { useQuery } from "../../api/use-query.ts";
import { Loaded } from "../../components/ui/Loaded.tsx";
import { Table } from "../../components/ui/Table.tsx";
import { formatNumber, serviceTitle } from "../formats.ts";
import { RefusalsPlot } from "../usage/RefusalsPlot.tsx";
import { firstDayOf, sumsAt, timesOf } from "../usage/series.ts";
import { beginOf, STEPS } from "../usage/steps.ts";
import { TimePlot } from "../usage/TimePlot.tsx";
import { partsText } from "../usage/time-text.ts";
import { type MonthStanding, rowOf, standingOf, type UsageRow } from "../usage/usage-report.ts";
import styles from "./OperatorPage.module.css";

const MONTH = [
  { heading: "Service" },
  { heading: "Calls this month", isFigure: true },
  { heading: "Calls left", isFigure: true },
  { heading: "Refused by rate limit", isFigure: true },
  { heading: "Refused by quota", isFigure: true },
];
const SPAN = "30d";

export function AccountUsage({ accountId }: { readonly accountId: string }) {
  const nowMs = Date.now();
  const usage = useQuery(OperatorService.method.getUsage, { accountId, fromDay: firstDayOf(SPAN, nowMs) });
  return (
    <Loaded query={usage} rem={34}>
      {({ standings, results, refusals }) => (
        <>
          <section class={styles.part}>
            <h2>This month</h2>
            {standings.length === 0 ? <p>No active subscription.</p> : <Months standings={standings.map(standingOf)} />}
          </section>
          <section class={styles.part}>
            <h2>Last 30 days (UTC)</h2>
            {results.length === 0 ? <p>No calls.</p> : <Days rows={results.map(rowOf)} nowMs={nowMs} />}
          </section>
          <section class={styles.part}>
            <h2>Refused, by reason</h2>
            <RefusalsPlot
              rows={refusals.map(rowOf)}
              span={SPAN}
              nowMs={nowMs}
              fileName="quintet-account-refused-30d"
              none={<p>No calls were refused.</p>}
            />
          </section>
        </>
      )}
    </Loaded>
  );
}

const Months = ({ standings }: { readonly standings: readonly MonthStanding[] }) => (
  <Table
    label="This month"
    stacks
    columns={MONTH}
    rows={standings.map(({ service, counted, remaining, refusedForRate, refusedForQuota }) => ({
      key: service,
      cells: [
        serviceTitle(service),
        formatNumber(counted),
        remaining === undefined ? "unknown" : formatNumber(remaining),
        formatNumber(refusedForRate),
        formatNumber(refusedForQuota),
      ],
    }))}
  />
);

function Days({ rows, nowMs }: { readonly rows: readonly UsageRow[]; readonly nowMs: number }) {
  const timesMs = timesOf(SPAN, nowMs);
  const series = SERVICE_NAMES.map((service) => ({
    label: serviceTitle(service),
    colour: `var(--${service})`,
    rows: rows.filter((row) => row.service === service),
  }))
    .filter(({ rows: own }) => own.length > 0)
    .map(({ rows: own, ...one }) => ({
      ...one,
      values: sumsAt(
        timesMs,
        own.map((row) => ({ atMs: beginOf(row), calls: row.calls })),
      ),
    }));
  return (
    <TimePlot
      name="Calls"
      text={partsText(timesMs, series, STEPS[SPAN])}
      step={STEPS[SPAN]}
      timesMs={timesMs}
      series={series}
      fileName="quintet-account-30d"
    />
  );
}
