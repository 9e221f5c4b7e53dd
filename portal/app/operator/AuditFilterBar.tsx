// Chooses which part of the audit trail is shown. The choice is kept in the URL, so that Back and a copied link keep it.
import { useLocation } from "preact-iso";
import { OperatorService } from "../../../gen/quintet/operator/v1/operator_pb.js";
import { useQuery } from "../../api/use-query.ts";
import { SelectField } from "../../components/ui/Field.tsx";
import { DayFields } from "../DayFields.tsx";
import styles from "./AuditFilterBar.module.css";
import { ACTORS, type AuditFilters, auditPath, SHOWN, SUBJECTS } from "./audit-filters.ts";

export function AuditFilterBar({
  filters,
  isEndBeforeStart,
}: {
  readonly filters: AuditFilters;
  readonly isEndBeforeStart: boolean;
}) {
  const { route } = useLocation();
  const { about, by, from, to, account, actor, user, shortLived } = filters;
  const pathWith = (changes: Partial<AuditFilters>): string => auditPath({ ...filters, page: "", ...changes });
  const choose = (changes: Partial<AuditFilters>): void => route(pathWith(changes));
  return (
    <>
      <div class={styles.filters}>
        <SelectField label="Topic" name="about" value={about} options={SUBJECTS} onChange={(value) => choose({ about: value })} />
        <SelectField
          label="Actor"
          name="by"
          value={by}
          options={ACTORS}
          onChange={(value) => choose({ by: value, actor: "", user: "" })}
        />
        <DayFields from={from} to={to} isEndBeforeStart={isEndBeforeStart} onChange={choose} />
      </div>
      <p>
        <label>
          <input
            type="checkbox"
            name="short-lived"
            checked={shortLived === SHOWN}
            onChange={({ currentTarget }) => choose({ shortLived: currentTarget.checked ? SHOWN : "" })}
          />{" "}
          Include short-lived keys (an hour or less), such as the console's
        </label>
      </p>
      {account !== "" && (
        <p>
          Only changes to <AccountLink accountId={account} />. <a href={pathWith({ account: "" })}>Show all accounts</a>
        </p>
      )}
      {actor !== "" && (
        <p>
          Only changes made from a session of <AccountLink accountId={actor} />. <a href={pathWith({ actor: "" })}>Show everyone</a>
        </p>
      )}
      {user !== "" && (
        <p>
          Only changes made by <b>{user}</b> on the command line. <a href={pathWith({ user: "" })}>Show everyone</a>
        </p>
      )}
    </>
  );
}

// Shows the account's id instead of its name if the account has been deleted or could not be read.
function AccountLink({ accountId }: { readonly accountId: string }) {
  const { data, problem } = useQuery(OperatorService.method.getAccount, { accountId });
  return (
    <a class={styles.account} href={`/app/operator/accounts/id/${accountId}`}>
      {data?.account?.name ?? (problem === undefined ? "…" : accountId)}
    </a>
  );
}
