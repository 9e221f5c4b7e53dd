// The current month of each subscription.
import { timestampMs } from "@bufbuild/protobuf/wkt";
import type { MonthStanding } from "../../../../gen/quintet/account/v1/account_pb.js";
import { type Column, Table } from "../../../components/ui/Table.tsx";
import { formatNumber, serviceTitle } from "../../formats.ts";
import { formatDay } from "../../usage/quota-text.ts";
import styles from "../Overview.module.css";

const COLUMNS: readonly Column[] = [
  { heading: "Service" },
  { heading: "Plan" },
  { heading: "Calls" },
  { heading: "Left", isFigure: true },
  { heading: "Resets (UTC)" },
];

/** The table. */
export const MonthTable = ({ standings }: { readonly standings: readonly MonthStanding[] }) => (
  <Table
    stacks
    label="Your subscriptions this month"
    columns={COLUMNS}
    rows={standings.map(({ service, plan, counted, callsPerMonth, remaining, resetsAt }) => ({
      key: service,
      cells: [
        serviceTitle(service),
        plan,
        callsPerMonth === undefined ? (
          formatNumber(counted)
        ) : (
          <Bar key="bar" counted={counted} callsPerMonth={callsPerMonth} isUsedUp={remaining === 0} />
        ),
        remaining === undefined ? "–" : formatNumber(remaining),
        resetsAt && formatDay(timestampMs(resetsAt)),
      ],
    }))}
  />
);

// Calls that a server has leased are neither counted yet nor left, so `isUsedUp` comes from the calls left.
const Bar = ({
  counted,
  callsPerMonth,
  isUsedUp,
}: {
  readonly counted: number;
  readonly callsPerMonth: number;
  readonly isUsedUp: boolean;
}) => (
  <>
    <label>
      {formatNumber(counted)} of {formatNumber(callsPerMonth)}
      <progress
        class={isUsedUp ? `${styles.bar} ${styles.full}` : styles.bar}
        max={callsPerMonth}
        value={isUsedUp ? callsPerMonth : Math.min(counted, callsPerMonth)}
      />
    </label>
    {isUsedUp && (
      <span class={styles.usedUp}>
        Used up. Calls are refused. <a href="/app/subscriptions">See larger plans</a>
      </span>
    )}
  </>
);
