// Each service's last day and month.

import { SERVICE_NAMES } from "../../../../src/catalogue/service-names.ts";
import { Sparkline } from "../../../components/plot/Sparkline.tsx";
import { type Column, Table } from "../../../components/ui/Table.tsx";
import { formatCount, formatLatency, formatNumber, formatShare, formatShareUsed, planTitle, serviceTitle } from "../../formats.ts";
import { quotaOf } from "../../usage/quota.ts";
import type { MonthStanding, UsageRow } from "../../usage/usage-report.ts";
import { type LastDay, type Sums, withoutDrop } from "./last-day.ts";
import styles from "./Part.module.css";

const COLUMNS: readonly Column[] = [
  { heading: "Service" },
  { heading: "Last 24 hours" },
  { heading: "Calls", isFigure: true },
  { heading: "Failed", isFigure: true },
  { heading: "Refused", isFigure: true },
  { heading: "p95 today", isFigure: true },
  { heading: "This month" },
];
const MANY_FAILED = 0.05;
const NO_HOURS: readonly number[] = Array.from({ length: 24 }, () => 0);
const NO_CALLS = { calls: 0, failed: 0, refused: 0, hours: NO_HOURS };

/** The services that the account subscribes to or has called. */
export const ServicesTable = ({
  day,
  standings,
  latency,
}: {
  readonly day: LastDay;
  readonly standings: readonly MonthStanding[];
  /** Today's response times, by service. */
  readonly latency: readonly UsageRow[];
}) => {
  const rows = SERVICE_NAMES.flatMap((service) => {
    const standing = standings.find((one) => one.service === service);
    const called = day.services.find((one) => one.service === service);
    if (standing === undefined && called === undefined) {
      return [];
    }
    const sums = called ?? NO_CALLS;
    const p95Ms = latency.find((row) => row.service === service)?.p95Ms;
    return [
      {
        key: service,
        cells: [
          <a key="name" href={`/app/usage?service=${service}`}>
            {serviceTitle(service)}
          </a>,
          <Sparkline key="day" values={withoutDrop(sums.hours)} colour={`var(--${service})`} />,
          formatNumber(sums.calls),
          <Failed key="failed" sums={sums} />,
          formatNumber(sums.refused),
          p95Ms === undefined ? "–" : formatLatency(p95Ms),
          <Month key="month" standing={standing} />,
        ],
      },
    ];
  });
  return rows.length === 0 ? null : (
    <section class={styles.part} aria-labelledby="services">
      <div class={styles.head}>
        <h2 id="services">Services</h2>
        <a href="/app/subscriptions">Plans</a>
      </div>
      <Table stacks label="Your services" columns={COLUMNS} rows={rows} />
    </section>
  );
};

function Failed({ sums: { calls, failed } }: { readonly sums: Sums }) {
  if (calls === 0) {
    return <>–</>;
  }
  const share = failed / calls;
  return <span class={share >= MANY_FAILED ? styles.bad : undefined}>{formatShare(share)}</span>;
}

function Month({ standing }: { readonly standing: MonthStanding | undefined }) {
  if (standing === undefined) {
    return <span class={styles.none}>Not subscribed</span>;
  }
  const { service, plan, counted, callsPerMonth } = standing;
  const quota = quotaOf(standing);
  if (quota === undefined || callsPerMonth === undefined) {
    return <>{formatCount(counted, "call")}</>;
  }
  const isOpen = quota.state === "open";
  return (
    <>
      <progress
        class={isOpen ? styles.bar : `${styles.bar} ${styles.full}`}
        max={1}
        value={quota.share}
        aria-label={`${serviceTitle(service)}: calls used this month`}
      />
      <span class={styles.month}>
        <span class={isOpen ? undefined : styles.bad}>{quota.state === "usedUp" ? "Used up" : formatShareUsed(quota.share)}</span>,{" "}
        {formatNumber(counted)} of {formatNumber(callsPerMonth)} ({planTitle(plan)})
      </span>
    </>
  );
}
