// The keys that a search found, each with its account.
import { type FoundKey, OperatorService } from "../../../gen/quintet/operator/v1/operator_pb.js";
import { useQuery } from "../../api/use-query.ts";
import { Loaded } from "../../components/ui/Loaded.tsx";
import { Table } from "../../components/ui/Table.tsx";
import { Day, Distance } from "../../components/ui/Time.tsx";
import { KeyStateBadge } from "../KeyStateBadge.tsx";
import { AccountState } from "./AccountState.tsx";
import styles from "./OperatorPage.module.css";

const COLUMNS = [
  { heading: "Account" },
  { heading: "Account status" },
  { heading: "Key" },
  { heading: "Status" },
  { heading: "Created" },
  { heading: "Last used" },
];

/** The keys that end in these four characters; nothing if there are none. */
export function KeysEndingIn({ lastFour }: { readonly lastFour: string }) {
  const found = useQuery(OperatorService.method.findKeys, { by: { case: "lastFour", value: lastFour } });
  return (
    <Loaded query={found} rem={6}>
      {({ results }) => (results.length === 0 ? null : <FoundKeys title={`Keys that end in ${lastFour}`} keys={results} />)}
    </Loaded>
  );
}

export const FoundKeys = ({ title, keys }: { readonly title: string; readonly keys: readonly FoundKey[] }) => (
  <section class={styles.part}>
    <h2>{title}</h2>
    <Table
      label={title}
      stacks
      columns={COLUMNS}
      rows={keys.map(({ key, account }) => ({
        key: key?.id ?? "",
        cells: [
          <a key="account" class={styles.break} href={`/app/operator/accounts/id/${account?.id}`}>
            {account?.email ?? account?.name}
          </a>,
          <AccountState key="state" suspended={account?.suspended === true} isOperator={account?.operator === true} />,
          <>
            {key?.name} <code>…{key?.lastFour}</code>
          </>,
          key && <KeyStateBadge key="status" state={key.state} />,
          key?.createdAt && <Day key="created" at={key.createdAt} />,
          key?.lastUsedAt ? <Distance key="used" at={key.lastUsedAt} /> : "Never",
        ],
      }))}
    />
  </section>
);
