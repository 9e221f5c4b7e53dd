// Calls and refusals of today and of this month: two tables of the same kind.
import type { Key } from "../../../gen/quintet/account/v1/key_pb.js";
import { UsageDimension, UsageMeasure } from "../../../gen/quintet/account/v1/usage_pb.js";
import { Loaded } from "../../components/ui/Loaded.tsx";
import { Notice } from "../../components/ui/Notice.tsx";
import { Table } from "../../components/ui/Table.tsx";
import { formatNumber, serviceTitle } from "../formats.ts";
import { CsvButton } from "./CsvButton.tsx";
import type { Filters } from "./filters.ts";
import styles from "./MonthTables.module.css";
import { type UsageRow, useUsage, useUsageInTurn } from "./usage-report.ts";

const ROWS_MAX = 1000;
const READ_INTERVAL_MS = 15_000;
const CALLS_BY = [UsageDimension.SERVICE, UsageDimension.KEY, UsageDimension.METHOD, UsageDimension.OUTCOME];
const REFUSED_BY = [UsageDimension.DAY, UsageDimension.SERVICE, UsageDimension.OUTCOME, UsageDimension.KEY];

// The days are given explicitly, because on the server a new month may have started since `today`.
const monthOf = (today: string) => ({ fromDay: `${today.slice(0, 7)}-01`, toDay: today });

interface TablesProps {
  readonly filters: Filters;
  readonly keys: readonly Key[];
  /** UTC, `2026-11-21`. */
  readonly today: string;
}

/** Calls that were admitted, by service, key, method and outcome. */
export function CallsTable({ filters, keys, today }: TablesProps) {
  // Two reads, because grouping by day would give too many rows. Today is read before the month, so that a call between the two reads
  // cannot make today's count larger than the month's.
  const both = useUsageInTurn(
    [{ fromDay: today, toDay: today }, monthOf(today)].map((span) => ({ ...span, groupBy: CALLS_BY, limit: ROWS_MAX })),
    { refetchInterval: READ_INTERVAL_MS },
  );
  const nameOf = ({ service, keyId, method, outcome }: UsageRow): string => [service, keyId, method, outcome].join(" ");
  return (
    <section aria-labelledby="calls">
      <h2 id="calls">Calls today and this month</h2>
      <Loaded query={both} rem={12}>
        {([day, month]) => (
          <Counts
            name="calls"
            label="Calls by service, key, method and outcome"
            headings={["Service", "Key", "Method", "Outcome"]}
            rows={countsOf(month?.results.filter(shownBy(filters)), day?.results, nameOf)}
            textsOf={({ service = "", keyId = "", method = "", outcome = "" }) => [
              service,
              keyName(keys, keyId),
              shortMethod(method),
              outcome,
            ]}
            reasonAt={3}
            empty="No calls this month."
            hasMore={month?.hasMore === true}
          />
        )}
      </Loaded>
    </section>
  );
}

/** Calls that were not admitted, by reason. */
export function RefusalsTable({ filters, keys, today }: TablesProps) {
  const month = useUsage(
    { ...monthOf(today), measure: UsageMeasure.REFUSALS, groupBy: REFUSED_BY, limit: ROWS_MAX },
    { refetchInterval: READ_INTERVAL_MS },
  );
  const nameOf = ({ service, outcome, keyId }: UsageRow): string => [service, outcome, keyId].join(" ");
  return (
    <section aria-labelledby="refusals">
      <h2 id="refusals">Refused calls</h2>
      <p>
        Calls that are refused because of the key, the subscription or a limit cost nothing. Calls with unknown keys are not listed.
      </p>
      <Loaded query={month} rem={8}>
        {({ results, hasMore }) => (
          <Counts
            name="refusals"
            label="Refusals by reason, service and key"
            headings={["Reason", "Service", "Key"]}
            rows={countsOf(
              results.filter(shownBy(filters)),
              results.filter(({ day }) => day === today),
              nameOf,
            )}
            textsOf={({ service = "", keyId = "", outcome = "" }) => [outcome, service, keyName(keys, keyId)]}
            reasonAt={0}
            empty="No calls were refused this month."
            hasMore={hasMore}
          />
        )}
      </Loaded>
    </section>
  );
}

interface Counted<Row> {
  readonly name: string;
  readonly row: Row;
  readonly today: number;
  readonly month: number;
}

// Sorted by calls in the month, most first. Rows with the same name are added up.
function countsOf<Row extends { readonly calls: number }>(
  month: readonly Row[] = [],
  day: readonly Row[] = [],
  nameOf: (row: Row) => string,
): readonly Counted<Row>[] {
  const sumOf = (rows: readonly Row[]): number => rows.reduce((sum, { calls }) => sum + calls, 0);
  const ofToday = Map.groupBy(day, nameOf);
  return Array.from(Map.groupBy(month, nameOf), ([name, rows]) => ({
    name,
    row: rows[0] as Row,
    today: sumOf(ofToday.get(name) ?? []),
    month: sumOf(rows),
  })).toSorted((a, b) => b.month - a.month);
}

function Counts<Row>({
  name,
  label,
  headings,
  rows,
  textsOf,
  reasonAt,
  empty,
  hasMore,
}: {
  readonly name: string;
  /** What the table lists, for screen readers. */
  readonly label: string;
  readonly headings: readonly string[];
  readonly rows: readonly Counted<Row>[];
  readonly textsOf: (row: Row) => readonly string[];
  /** The index of the cell that contains a reason, which links to the reason's page. */
  readonly reasonAt: number;
  readonly empty: string;
  readonly hasMore: boolean;
}) {
  if (rows.length === 0) {
    return <p class={styles.empty}>{empty}</p>;
  }
  return (
    <>
      {hasMore && <Notice tone="plain">There are too many rows to show at once, so some are missing.</Notice>}
      <Table
        stacks
        label={label}
        columns={[
          ...headings.map((heading) => ({ heading })),
          { heading: "Today", isFigure: true },
          { heading: "This month", isFigure: true },
        ]}
        rows={rows.map(({ name: key, row, today, month }) => ({
          key,
          cells: [
            ...textsOf(row).map((text, index) =>
              index === reasonAt && text !== "OK" ? (
                <ReasonLink key={text} reason={text} />
              ) : headings[index] === "Service" ? (
                serviceTitle(text)
              ) : (
                text
              ),
            ),
            formatNumber(today),
            formatNumber(month),
          ],
        }))}
      />
      <div class={styles.below}>
        <CsvButton
          fileName={`quintet-${name}`}
          headings={[...headings.map((heading) => heading.toLowerCase()), "today", "this month"]}
          rows={rows.map(({ row, today, month }) => [...textsOf(row), today, month])}
        />
      </div>
    </>
  );
}

const ReasonLink = ({ reason }: { readonly reason: string }) => <a href={`/errors/${reason}`}>{reason}</a>;

const shownBy =
  ({ service, key }: Filters) =>
  (row: { readonly service?: string | undefined; readonly keyId?: string | undefined }): boolean =>
    (service === "" || row.service === service) && (key === "" || row.keyId === key);

// `quintet.radio.v1.RadioService/SearchStations` → `SearchStations`: the service is next to it.
const shortMethod = (method: string): string => method.slice(method.indexOf("/") + 1);

/** A key as lists show it. A key that is no longer kept has only its id. */
export function keyName(keys: readonly Key[], id: string): string {
  const key = keys.find((one) => one.id === id);
  return key === undefined ? (id === "" ? "several" : id.slice(0, 8)) : `${key.name} …${key.lastFour}`;
}
