// The totals, in large figures.
import type { ComponentChildren } from "preact";
import { formatNumber, formatShare, formatShort } from "../../formats.ts";
import type { UsageRow } from "../../usage/usage-report.ts";
import { callsOn, type LastDay } from "./last-day.ts";
import styles from "./Tiles.module.css";

const DAY_MS = 86_400_000;
// If at least this share of the calls failed, the figure is highlighted.
const MANY_FAILED = 0.05;
const MONTH = new Intl.DateTimeFormat(undefined, { month: "long", timeZone: "UTC" });

/** `days` are the calls by day, for this month at least. */
export function Tiles({ day, days, nowMs }: { readonly day: LastDay; readonly days: readonly UsageRow[]; readonly nowMs: number }) {
  const dayAt = (ms: number): string => new Date(ms).toISOString().slice(0, 10);
  const today = dayAt(nowMs);
  const share = day.calls === 0 ? 0 : day.failed / day.calls;
  return (
    <dl class={styles.tiles}>
      <Tile name="Calls today" calls={callsOn(days, today)}>
        Yesterday {formatShort(callsOn(days, dayAt(nowMs - DAY_MS)))}
      </Tile>
      <Tile name={`Calls in ${MONTH.format(nowMs)}`} calls={callsOn(days, today.slice(0, 7))}>
        <a href="/app/usage?span=30d">By day</a>
      </Tile>
      <Tile name="Failed, 24 hours" calls={day.failed} isBad={share >= MANY_FAILED}>
        {day.calls === 0 ? "No calls" : `${formatShare(share)} of ${formatShort(day.calls)}${failedBy(day)}`}
      </Tile>
      <Tile name="Refused, 24 hours" calls={day.refused}>
        {day.refused === 0 ? "None" : <a href="/app/usage#refusals">By reason</a>}
      </Tile>
    </dl>
  );
}

const failedBy = ({ failed, failedByUs }: LastDay): string =>
  failed === 0 ? "" : `: ${formatShort(failed - failedByUs)} yours, ${formatShort(failedByUs)} ours`;

const Tile = ({
  name,
  calls,
  isBad = false,
  children,
}: {
  readonly name: string;
  readonly calls: number;
  readonly isBad?: boolean;
  readonly children: ComponentChildren;
}) => (
  <div class={styles.tile}>
    <dt>{name}</dt>
    <dd class={isBad ? `${styles.figure} ${styles.bad}` : styles.figure} title={formatNumber(calls)}>
      {formatShort(calls)}
    </dd>
    <dd class={styles.more}>{children}</dd>
  </div>
);
