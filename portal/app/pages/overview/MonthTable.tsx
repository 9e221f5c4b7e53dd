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
  { heading: "Begins anew, UTC" },
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
          <label key="bar">
            {formatNumber(counted)} of {formatNumber(callsPerMonth)}
            <progress class={styles.bar} max={callsPerMonth} value={Math.min(counted, callsPerMonth)} />
          </label>
        ),
        remaining === undefined ? "–" : formatNumber(remaining),
        resetsAt && formatDay(timestampMs(resetsAt)),
      ],
    }))}
  />
);
