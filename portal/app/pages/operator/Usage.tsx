// The calls that all accounts made this month, or in the last 30 days or 12 months.
import { useLocation } from "preact-iso";
import { OperatorService } from "../../../../gen/quintet/operator/v1/operator_pb.js";
import { useQuery } from "../../../api/use-query.ts";
import { EmptyState } from "../../../components/ui/EmptyState.tsx";
import { Loaded } from "../../../components/ui/Loaded.tsx";
import { Table } from "../../../components/ui/Table.tsx";
import { formatNumber, serviceTitle } from "../../formats.ts";
import styles from "../../operator/OperatorPage.module.css";
import { OperatorPage } from "../../operator/OperatorPage.tsx";
import { CsvButton } from "../../usage/CsvButton.tsx";
import { SpanNav } from "../../usage/SpanNav.tsx";
import { firstDayOf } from "../../usage/series.ts";

const SERVICE_COLUMNS = [
  { heading: "Service" },
  { heading: "Calls", isFigure: true },
  { heading: "Counted against quotas", isFigure: true },
  { heading: "Accounts", isFigure: true },
];
const ACCOUNT_COLUMNS = [
  { heading: "Account" },
  { heading: "Calls", isFigure: true },
  { heading: "Counted against quotas", isFigure: true },
];

const SPANS = [
  { span: "month", label: "This month" },
  { span: "30d", label: "30 days" },
  { span: "12m", label: "12 months" },
] as const;

const DAY = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeZone: "UTC" });
const formatDay = (day: string): string => DAY.format(Date.parse(day));

export default function Usage() {
  return <OperatorPage title="All usage">{() => <Sums />}</OperatorPage>;
}

function Sums() {
  const { path, query } = useLocation();
  const { span } = SPANS.find((one) => one.span === query.span) ?? SPANS[0];
  const input = span === "month" ? {} : { fromDay: firstDayOf(span, Date.now()) };
  const usage = useQuery(OperatorService.method.getUsage, input, { refetchInterval: 30_000 });
  return (
    <>
      <SpanNav
        links={SPANS.map((one) => ({
          href: one.span === "month" ? path : `${path}?span=${one.span}`,
          label: one.label,
          isCurrent: one.span === span,
        }))}
      />
      <Loaded query={usage} rem={30}>
        {({ services, accounts, fromDay, toDay }) =>
          services.length === 0 ? (
            <EmptyState title="No calls in this period">
              <p>Calls appear here a few seconds after they are made.</p>
            </EmptyState>
          ) : (
            <>
              <p>
                From {formatDay(fromDay)} to {formatDay(toDay)}, UTC.
              </p>
              <h2>By service</h2>
              <Table
                label="By service"
                columns={SERVICE_COLUMNS}
                rows={services.map(({ service, calls, counted, accounts: callers }) => ({
                  key: service,
                  cells: [serviceTitle(service), formatNumber(calls), formatNumber(counted), formatNumber(callers)],
                }))}
              />
              <section class={styles.part}>
                <h2>Busiest accounts</h2>
                <Table
                  label="By account"
                  columns={ACCOUNT_COLUMNS}
                  rows={accounts.map(({ accountId, accountName, calls, counted }) => ({
                    key: accountId,
                    cells: [
                      <a key="name" class={styles.break} href={`/app/operator/accounts/id/${accountId}`}>
                        {accountName ?? accountId}
                      </a>,
                      formatNumber(calls),
                      formatNumber(counted),
                    ],
                  }))}
                />
                <div class={styles.pages}>
                  <CsvButton
                    fileName={`quintet-accounts-${fromDay}-${toDay}`}
                    headings={["account", "id", "calls", "counted"]}
                    rows={accounts.map(({ accountId, accountName = "", calls, counted }) => [
                      accountName,
                      accountId,
                      Number(calls),
                      Number(counted),
                    ])}
                  />
                </div>
              </section>
            </>
          )
        }
      </Loaded>
    </>
  );
}
