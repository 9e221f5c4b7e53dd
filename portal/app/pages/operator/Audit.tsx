// The audit trail: who changed what, when, and from where.
import { useLocation } from "preact-iso";
import { type AuditActor, AuditActorKind, OperatorService } from "../../../../gen/quintet/operator/v1/operator_pb.js";
import { useQuery } from "../../../api/use-query.ts";
import { ButtonLink } from "../../../components/ui/Button.tsx";
import { EmptyState } from "../../../components/ui/EmptyState.tsx";
import { SelectField } from "../../../components/ui/Field.tsx";
import { Loaded } from "../../../components/ui/Loaded.tsx";
import { Table } from "../../../components/ui/Table.tsx";
import { Moment } from "../../../components/ui/Time.tsx";
import styles from "../../operator/OperatorPage.module.css";
import { OperatorPage } from "../../operator/OperatorPage.tsx";
import { PAGE_ROWS } from "../../operator/Pages.tsx";

const COLUMNS = [{ heading: "When" }, { heading: "Who" }, { heading: "Did" }, { heading: "To" }, { heading: "What" }];
const SUBJECTS = [
  ["", "All"],
  ["account", "Accounts"],
  ["key", "Keys"],
  ["subscription", "Subscriptions"],
  ["quota", "Quotas"],
  ["database", "Database"],
] as const;
const ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

export default function Audit() {
  return <OperatorPage title="Audit trail">{() => <Trail />}</OperatorPage>;
}

function Trail() {
  const { path, query, route } = useLocation();
  const { account = "" } = query;
  const accountId = ID.test(account) ? account : "";
  const subject = SUBJECTS.some(([name]) => name === query.about) ? (query.about ?? "") : "";
  const before = /^[1-9]\d{0,8}$/.test(query.before ?? "") ? Number(query.before) : undefined;
  const trail = useQuery(OperatorService.method.listAuditEntries, {
    accountId,
    actions: subject === "" ? [] : [subject],
    limit: PAGE_ROWS,
    ...(before !== undefined && { before }),
  });
  const at = (values: Readonly<Record<string, string>>): string => {
    const { before: _, ...kept } = query;
    return `${path}?${new URLSearchParams({ ...kept, ...values })}`;
  };
  return (
    <>
      <SelectField label="About" name="about" value={subject} options={SUBJECTS} onChange={(about) => route(at({ about }))} />
      {accountId !== "" && (
        <p>
          Only what was done to <a href={`/app/operator/accounts/${accountId}`}>one account</a>. <a href={path}>Show all</a>
        </p>
      )}
      <Loaded query={trail} rem={40}>
        {({ results, hasMore }) =>
          results.length === 0 ? (
            <EmptyState title="No such entry">
              <p>Changes of accounts, keys and subscriptions are listed here.</p>
            </EmptyState>
          ) : (
            <>
              <Table
                label="Audit trail"
                stacks
                columns={COLUMNS}
                rows={results.map((entry) => ({
                  key: String(entry.number),
                  cells: [
                    entry.at && <Moment key="at" at={entry.at} />,
                    <span key="who" class={styles.break}>
                      {actorWords(entry.actor)}
                    </span>,
                    entry.action,
                    entry.accountId === undefined ? (
                      "all"
                    ) : (
                      <a key="to" class={styles.break} href={`/app/operator/accounts/${entry.accountId}`}>
                        {entry.accountName ?? entry.accountId}
                      </a>
                    ),
                    <span key="what" class={styles.break}>
                      {entry.details.map(({ name, value }) => `${name} ${value}`).join(", ")}
                    </span>,
                  ],
                }))}
              />
              <p class={styles.pages}>
                {before !== undefined && <ButtonLink href={at({})}>Newest</ButtonLink>}
                {hasMore && <ButtonLink href={at({ before: String(results.at(-1)?.number) })}>Older</ButtonLink>}
              </p>
            </>
          )
        }
      </Loaded>
    </>
  );
}

function actorWords(actor: AuditActor | undefined): string {
  const { kind, name = "", accountName = name, origin = "" } = actor ?? {};
  const from = origin === "" ? "" : ` from ${origin}`;
  switch (kind) {
    case AuditActorKind.COMMAND_LINE:
      return `${name} on ${origin}`;
    case AuditActorKind.OPERATOR:
      return `operator ${accountName}${from}`;
    case AuditActorKind.OWNER:
      return `${accountName}${from}`;
    case AuditActorKind.VISITOR:
      return `visitor${from}`;
    case AuditActorKind.SERVER:
      return "the server";
    default:
      return `${name}${from}`;
  }
}
