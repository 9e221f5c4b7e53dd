// The audit trail: who changed what, when, and from where.
import { useLocation } from "preact-iso";
import {
  AuditActorKind,
  type AuditEntry,
  type ListAuditEntriesResponse,
  OperatorService,
} from "../../../../gen/quintet/operator/v1/operator_pb.js";
import { useQuery } from "../../../api/use-query.ts";
import { ButtonLink } from "../../../components/ui/Button.tsx";
import { EmptyState } from "../../../components/ui/EmptyState.tsx";
import { Loaded } from "../../../components/ui/Loaded.tsx";
import { Table } from "../../../components/ui/Table.tsx";
import { DateTime } from "../../../components/ui/Time.tsx";
import { describeAction } from "../../action-description.ts";
import { AuditFilterBar } from "../../operator/AuditFilterBar.tsx";
import { type AuditFilters, auditFiltersOf, auditPath, auditRequestOf } from "../../operator/audit-filters.ts";
import styles from "../../operator/OperatorPage.module.css";
import { OperatorPage } from "../../operator/OperatorPage.tsx";
import { PAGE_ROWS } from "../../operator/Pages.tsx";

const COLUMNS = [{ heading: "Time" }, { heading: "Actor" }, { heading: "Action" }, { heading: "Account" }, { heading: "From" }];

export default function Audit() {
  return <OperatorPage title="Audit trail">{() => <Trail />}</OperatorPage>;
}

function Trail() {
  const filters = auditFiltersOf(useLocation().query);
  const trail = useQuery(OperatorService.method.listAuditEntries, { ...auditRequestOf(filters), pageSize: PAGE_ROWS });
  const isEndBeforeStart = trail.problem?.fields.until !== undefined;
  return (
    <>
      <AuditFilterBar filters={filters} isEndBeforeStart={isEndBeforeStart} />
      {!isEndBeforeStart && (
        <Loaded query={trail} rem={40}>
          {(page) =>
            page.results.length === 0 ? (
              <EmptyState title="No entries found">
                <p>Changes to accounts, keys and subscriptions are listed here.</p>
              </EmptyState>
            ) : (
              <Entries page={page} filters={filters} />
            )
          }
        </Loaded>
      )}
    </>
  );
}

function Entries({
  page: { results, nextPageToken },
  filters,
}: {
  readonly page: ListAuditEntriesResponse;
  readonly filters: AuditFilters;
}) {
  return (
    <>
      <Table
        label="Audit trail"
        stacks
        columns={COLUMNS}
        rows={results.map((entry) => ({ key: String(entry.number), cells: cellsOf(entry, filters) }))}
      />
      <p class={styles.pages}>
        {filters.page !== "" && <ButtonLink href={auditPath({ ...filters, page: "" })}>Newest</ButtonLink>}
        {nextPageToken !== undefined && <ButtonLink href={auditPath({ ...filters, page: nextPageToken })}>Older</ButtonLink>}
      </p>
    </>
  );
}

const cellsOf = (entry: AuditEntry, filters: AuditFilters) => {
  const { at, actor, action, accountId, accountName, accountEmail, details } = entry;
  const invoice = details.find(({ name }) => name === "invoice")?.value;
  return [
    at && <DateTime key="at" at={at} />,
    <span key="who" class={styles.break}>
      <Who entry={entry} filters={filters} />
    </span>,
    // The name of the action, as the command line accepts it.
    <span key="what" class={styles.break} title={action}>
      {describeAction(entry)}
      {invoice !== undefined && (
        <>
          : <a href={invoice}>invoice</a>
        </>
      )}
    </span>,
    accountId === undefined ? (
      "All"
    ) : (
      <a key="to" class={styles.break} href={`/app/operator/accounts/id/${accountId}`}>
        {accountEmail ?? accountName ?? accountId}
      </a>
    ),
    <span key="from" class={styles.break}>
      {actor?.origin === "" ? "–" : actor?.origin}
    </span>,
  ];
};

// Links to everything that the same actor did.
function Who({ entry: { actor, accountId }, filters }: { readonly entry: AuditEntry; readonly filters: AuditFilters }) {
  const { kind, name = "", accountName, accountEmail } = actor ?? {};
  const path = (of: Partial<AuditFilters>): string => auditPath({ ...filters, actor: "", user: "", by: "", page: "", ...of });
  switch (kind) {
    case AuditActorKind.COMMAND_LINE:
      return (
        <>
          <a href={path({ user: name })}>{name}</a>, on the command line
        </>
      );
    case AuditActorKind.OPERATOR:
    case AuditActorKind.OWNER:
    case AuditActorKind.MEMBER:
      return (
        <>
          {name === "" ? (
            kind === AuditActorKind.MEMBER ? (
              "Someone"
            ) : (
              "Owner"
            )
          ) : (
            <a href={path({ actor: name })}>{accountEmail ?? accountName ?? name}</a>
          )}
          {kind === AuditActorKind.OPERATOR && name !== accountId && ", operator"}
          {kind === AuditActorKind.MEMBER && ", member"}
        </>
      );
    case AuditActorKind.VISITOR:
      return <>A visitor</>;
    case AuditActorKind.SERVER:
      return <>The server</>;
    default:
      return <>{name}</>;
  }
}
