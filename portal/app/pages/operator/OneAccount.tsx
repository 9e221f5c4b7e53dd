// One account: its state, subscriptions, keys and calls, and its suspension.
import { useState } from "preact/hooks";
import { useRoute } from "preact-iso";
import { type GetAccountResponse, OperatorService } from "../../../../gen/quintet/operator/v1/operator_pb.js";
import { useMutation } from "../../../api/use-mutation.ts";
import { useQuery } from "../../../api/use-query.ts";
import { Button } from "../../../components/ui/Button.tsx";
import { Loaded } from "../../../components/ui/Loaded.tsx";
import { Notice } from "../../../components/ui/Notice.tsx";
import { Table } from "../../../components/ui/Table.tsx";
import { Day, Distance } from "../../../components/ui/Time.tsx";
import { useLoaded } from "../../../components/ui/use-loaded.ts";
import { KeyStateBadge } from "../../KeyStateBadge.tsx";
import { AccountSignIn } from "../../operator/AccountSignIn.tsx";
import { AccountState } from "../../operator/AccountState.tsx";
import { AccountSubscriptions } from "../../operator/AccountSubscriptions.tsx";
import { AccountUsage } from "../../operator/AccountUsage.tsx";
import styles from "../../operator/OperatorPage.module.css";
import { OperatorPage } from "../../operator/OperatorPage.tsx";
import { useOwnAccount } from "../../role.ts";
import { roleTitle } from "../../role-names.ts";
import { useDialogInUrl } from "../../use-dialog-in-url.ts";

const { getAccount, listAccounts, listAuditEntries, updateAccount } = OperatorService.method;

const loadSuspendDialog = async () => (await import("../../operator/SuspendDialog.tsx")).SuspendDialog;

const KEY_COLUMNS = [
  { heading: "Key" },
  { heading: "Ends in" },
  { heading: "Status" },
  { heading: "Created" },
  { heading: "Last used" },
];

export default function OneAccount() {
  const accountId = useRoute().params.account ?? "";
  // Another account gets a new component, so that messages about this one are not shown for it.
  return <OperatorPage title="Account">{() => <Details key={accountId} accountId={accountId} />}</OperatorPage>;
}

function Details({ accountId }: { readonly accountId: string }) {
  const account = useQuery(getAccount, { accountId });
  return (
    <Loaded query={account} rem={30}>
      {(found) => (
        <>
          <Suspension found={found} />
          <AccountSignIn found={found} />
          <AccountSubscriptions found={found} />
          <AccountUsage accountId={accountId} />
          <section class={styles.part}>
            <h2>Keys</h2>
            {found.keys.length === 0 ? (
              <p>No keys.</p>
            ) : (
              <Table
                label="Keys"
                stacks
                columns={KEY_COLUMNS}
                rows={found.keys.map(({ id, name, lastFour, state, createdAt, lastUsedAt }) => ({
                  key: id,
                  cells: [
                    name,
                    lastFour,
                    <KeyStateBadge key="state" state={state} />,
                    createdAt && <Day key="made" at={createdAt} />,
                    lastUsedAt ? <Distance key="used" at={lastUsedAt} /> : "Never",
                  ],
                }))}
              />
            )}
          </section>
          {found.members.length > 1 && (
            <section class={styles.part}>
              <h2>Members</h2>
              <Table
                label="Members"
                stacks
                columns={[{ heading: "Member" }, { heading: "Role" }, { heading: "Joined" }]}
                rows={found.members.map(({ id, email, role, primaryOwner, joinedAt }) => ({
                  key: id,
                  cells: [
                    <a key="person" href={`/app/operator/accounts/id/${id}`}>
                      {email ?? id}
                    </a>,
                    roleTitle({ role, primaryOwner }),
                    joinedAt && <Day key="since" at={joinedAt} />,
                  ],
                }))}
              />
            </section>
          )}
          <p class={styles.part}>
            <a href={`/app/operator/audit?account=${accountId}`}>Changes to this account</a>, and{" "}
            <a href={`/app/operator/audit?actor=${accountId}`}>changes made from its sessions</a>
          </p>
        </>
      )}
    </Loaded>
  );
}

function Suspension({ found: { account } }: { readonly found: GetAccountResponse }) {
  const dialog = useDialogInUrl();
  const SuspendDialog = useLoaded(loadSuspendDialog, dialog.name === "suspend");
  const [done, setDone] = useState<string>();
  const own = useOwnAccount();
  const resume = useMutation(updateAccount, [getAccount, listAccounts, listAuditEntries]);
  // No actions are shown until it is known whether this is the operator's own account.
  if (account === undefined || own === undefined) {
    return null;
  }
  const isOwn = own.id === account.id;
  const { id: accountId, name, email, suspended, operator } = account;
  return (
    <>
      {suspended && done !== undefined && <Notice tone="plain">{done}</Notice>}
      {resume.problem !== undefined && <Notice tone="bad">{resume.problem.message}</Notice>}
      <div class={styles.identity}>
        <div class={styles.break}>
          <h2>{name}</h2>
          <p>{email ?? "No e-mail address"}</p>
          <AccountState suspended={suspended} isOperator={operator === true} />
        </div>
        {isOwn ? (
          <p>This is your own account. Another operator can suspend it.</p>
        ) : suspended ? (
          <Button kind="primary" isBusy={resume.isPending} onClick={() => void resume.mutate({ accountId, suspended: false })}>
            Resume
          </Button>
        ) : (
          <Button kind="danger" onClick={() => dialog.open("suspend")}>
            Suspend
          </Button>
        )}
      </div>
      {dialog.name === "suspend" && !suspended && !isOwn && SuspendDialog !== undefined && (
        <SuspendDialog accountId={accountId} name={name} onDone={setDone} onClose={dialog.close} />
      )}
    </>
  );
}
