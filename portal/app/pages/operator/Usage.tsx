// The calls of all accounts this month.
import { OperatorService } from "../../../../gen/quintet/operator/v1/operator_pb.js";
import { useQuery } from "../../../api/use-query.ts";
import { EmptyState } from "../../../components/ui/EmptyState.tsx";
import { Loaded } from "../../../components/ui/Loaded.tsx";
import { Table } from "../../../components/ui/Table.tsx";
import { formatNumber, serviceTitle } from "../../formats.ts";
import styles from "../../operator/OperatorPage.module.css";
import { OperatorPage } from "../../operator/OperatorPage.tsx";

const SERVICES = [
  { heading: "Service" },
  { heading: "Calls", isFigure: true },
  { heading: "Counted", isFigure: true },
  { heading: "Accounts", isFigure: true },
];
const ACCOUNTS = [{ heading: "Account" }, { heading: "Calls", isFigure: true }, { heading: "Counted", isFigure: true }];

// Sums are 64 bits wide. No more calls than a double holds are ever made.
const figure = (calls: bigint): string => formatNumber(Number(calls));

export default function Usage() {
  return <OperatorPage title="Usage">{() => <Sums />}</OperatorPage>;
}

function Sums() {
  const usage = useQuery(OperatorService.method.getUsage, {}, { refetchInterval: 30_000 });
  return (
    <Loaded query={usage} rem={30}>
      {({ services, accounts }) =>
        services.length === 0 ? (
          <EmptyState title="No calls this month">
            <p>Calls show here some seconds after they were made.</p>
          </EmptyState>
        ) : (
          <>
            <h2>This month, by service</h2>
            <Table
              label="By service"
              columns={SERVICES}
              rows={services.map(({ service, calls, counted, accounts: callers }) => ({
                key: service,
                cells: [serviceTitle(service), figure(calls), figure(counted), figure(callers)],
              }))}
            />
            <section class={styles.part}>
              <h2>The accounts with most calls</h2>
              <Table
                label="By account"
                columns={ACCOUNTS}
                rows={accounts.map(({ accountId, accountName, calls, counted }) => ({
                  key: accountId,
                  cells: [
                    <a key="name" class={styles.break} href={`/app/operator/accounts/${accountId}`}>
                      {accountName ?? accountId}
                    </a>,
                    figure(calls),
                    figure(counted),
                  ],
                }))}
              />
            </section>
          </>
        )
      }
    </Loaded>
  );
}
