// The customer's keys: what each key may do, and the actions on it.
import { useState } from "preact/hooks";
import { type Key, KeyService, KeyState } from "../../../gen/quintet/account/v1/key_pb.js";
import { MemberRole } from "../../../gen/quintet/account/v1/member_pb.js";
import { UsageDimension } from "../../../gen/quintet/account/v1/usage_pb.js";
import { useMutation } from "../../api/use-mutation.ts";
import { useQuery } from "../../api/use-query.ts";
import { Button } from "../../components/ui/Button.tsx";
import { EmptyState } from "../../components/ui/EmptyState.tsx";
import { Heading } from "../../components/ui/Heading.tsx";
import { Loaded } from "../../components/ui/Loaded.tsx";
import { Notice } from "../../components/ui/Notice.tsx";
import { Skeleton } from "../../components/ui/Skeleton.tsx";
import { RoleNote } from "../RoleNote.tsx";
import { useHasRole } from "../role.ts";
import { useUsage } from "../usage/usage-report.ts";
import { useDialogInUrl } from "../use-dialog-in-url.ts";
import styles from "./Keys.module.css";
import { type Change, ChangeNotice } from "./keys/ChangeNotice.tsx";
import { CreateKeyDialog } from "./keys/CreateKeyDialog.tsx";
import { EditKeyDialog } from "./keys/EditKeyDialog.tsx";
import { type IssuedKey, IssuedKeyDialog } from "./keys/IssuedKeyDialog.tsx";
import { KeyTable } from "./keys/KeyTable.tsx";
import { LimitKeyDialog } from "./keys/LimitKeyDialog.tsx";
import { RevokeKeyDialog } from "./keys/RevokeKeyDialog.tsx";
import { RotateKeyDialog } from "./keys/RotateKeyDialog.tsx";

// Counts the current month, which is the default.
const CALLS_BY_KEY = { groupBy: [UsageDimension.KEY], limit: 1000 };

const hasEnded = ({ state }: Key): boolean => state === KeyState.EXPIRED || state === KeyState.REVOKED;

export default function Keys() {
  const query = useQuery(KeyService.method.listKeys, {});
  const usage = useUsage(CALLS_BY_KEY);
  const update = useMutation(KeyService.method.updateKey, [KeyService.method.listKeys]);
  const opened = useDialogInUrl();
  const mayChange = useHasRole(MemberRole.DEVELOPER);
  const dialog = { ...opened, name: mayChange ? opened.name : undefined };
  // A new key is shown as long as this page is open, even if the URL changes. It is kept nowhere else.
  const [issued, setIssued] = useState<IssuedKey>();
  const [change, setChange] = useState<Change>();
  const keys = query.data?.results ?? [];
  const chosen = keys.find(({ id }) => id === dialog.query.id);
  const issue = (created: IssuedKey): void => {
    setChange(undefined);
    setIssued(created);
    // Does not go back in the history: the browser would do that later, and it would look as if the user had pressed Back.
    dialog.closeHere();
  };
  const changed = (created: Change): void => {
    setChange(created);
    dialog.close();
  };
  const toggle = async ({ id, state }: Key): Promise<void> => {
    const disabled = state !== KeyState.DISABLED;
    const response = await update.mutate({ keyId: id, disabled });
    if (response?.key !== undefined) {
      setChange({ key: response.key, kind: disabled ? "disabled" : "enabled" });
    }
  };
  const calls = usage.data && new Map(usage.data.results.map((row) => [row.keyId ?? "", row.calls]));
  const actions = { mayChange, open: dialog.open, toggle: (key: Key) => void toggle(key) };
  const table = (label: string, shown: readonly Key[]) => (
    <KeyTable label={label} keys={shown} all={keys} calls={calls} actions={actions} />
  );
  return (
    <>
      <Heading title="Keys" lead="Keys work with the services you subscribe to, and share your subscriptions' limits.">
        {mayChange && (
          <Button kind="primary" onClick={() => dialog.open("make")}>
            Create key
          </Button>
        )}
      </Heading>
      <RoleNote needs={MemberRole.DEVELOPER} what="create or change keys" />
      {change !== undefined && <ChangeNotice change={change} onClose={() => setChange(undefined)} />}
      {update.problem !== undefined && (
        <Notice tone="bad" onClose={update.reset}>
          {update.problem.message}
        </Notice>
      )}
      <Loaded query={query} rem={20}>
        {({ results }) => {
          // Shown together, so that the table's columns do not move when the later response arrives.
          if (usage.data === undefined && usage.problem === undefined) {
            return <Skeleton rem={20} />;
          }
          const newestFirst = results.toReversed();
          const ended = newestFirst.filter(hasEnded);
          return (
            <>
              {results.length === ended.length ? (
                <EmptyState title={ended.length === 0 ? "No keys yet" : "You have no active key"}>
                  {mayChange && <p>Create one to call the API. All it needs is a name.</p>}
                </EmptyState>
              ) : (
                table(
                  "Keys",
                  newestFirst.filter((key) => !hasEnded(key)),
                )
              )}
              {ended.length > 0 && (
                <details class={styles.ended}>
                  <summary>Expired and revoked keys ({ended.length})</summary>
                  {table("Expired and revoked keys", ended)}
                </details>
              )}
            </>
          );
        }}
      </Loaded>
      {issued === undefined && dialog.name === "make" && <CreateKeyDialog onIssued={issue} onClose={dialog.close} />}
      {issued === undefined && chosen !== undefined && dialog.name === "rotate" && (
        <RotateKeyDialog apiKey={chosen} onIssued={issue} onClose={dialog.close} />
      )}
      {chosen !== undefined && dialog.name === "edit" && (
        <EditKeyDialog apiKey={chosen} onChanged={changed} onClose={dialog.close} />
      )}
      {chosen !== undefined && dialog.name === "limits" && (
        <LimitKeyDialog apiKey={chosen} onChanged={changed} onClose={dialog.close} />
      )}
      {chosen !== undefined && dialog.name === "revoke" && (
        <RevokeKeyDialog apiKey={chosen} onRevoked={changed} onClose={dialog.close} />
      )}
      {issued !== undefined && <IssuedKeyDialog issued={issued} onClose={() => setIssued(undefined)} />}
    </>
  );
}
