// One key of the list, with what can be done with it.
import type { ComponentChildren } from "preact";
import { AccountService, type Key, KeyState } from "../../../../gen/quintet/account/v1/account_pb.js";
import { useMutation } from "../../../api/use-mutation.ts";
import { Badge } from "../../../components/ui/Badge.tsx";
import { Button } from "../../../components/ui/Button.tsx";
import { Notice } from "../../../components/ui/Notice.tsx";
import { Day, Distance, Moment } from "../../../components/ui/Time.tsx";
import { serviceTitle } from "../../formats.ts";
import type { Change } from "./ChangeNotice.tsx";
import styles from "./KeyRow.module.css";

const STATES = {
  [KeyState.UNSPECIFIED]: { tone: "off", words: "Unknown" },
  [KeyState.ACTIVE]: { tone: "good", words: "Active" },
  [KeyState.DISABLED]: { tone: "waits", words: "Disabled" },
  [KeyState.EXPIRED]: { tone: "off", words: "Expired" },
  [KeyState.REVOKED]: { tone: "off", words: "Revoked" },
} as const;

/** `onOpen` opens a dialog for the key; `onChange` is called after a change that needs no dialog. */
export function KeyRow({
  apiKey,
  onOpen,
  onChange,
}: {
  readonly apiKey: Key;
  readonly onOpen: (name: string, values: Readonly<Record<string, string>>) => void;
  readonly onChange: (change: Change) => void;
}) {
  const { id, name, prefix, lastFour, services, state } = apiKey;
  const { mutate, isPending, problem } = useMutation(AccountService.method.updateKey, [AccountService.method.listKeys]);
  const isDisabled = state === KeyState.DISABLED;
  const toggle = async (): Promise<void> => {
    const answer = await mutate({ keyId: id, disabled: !isDisabled });
    if (answer?.key !== undefined) {
      onChange({ key: answer.key, kind: isDisabled ? "enabled" : "disabled" });
    }
  };
  const action = (dialog: string, words: string) => (
    <Button label={`${words} ${name}`} onClick={() => onOpen(dialog, { id })}>
      {words}
    </Button>
  );
  return (
    <li class={styles.row}>
      <div class={styles.head}>
        <h2>{name}</h2>
        <Badge {...STATES[state]} />
        <code>
          {prefix}…{lastFour}
        </code>
      </div>
      <dl class={styles.facts}>
        <Fact term="Can call">{services.length === 0 ? "all services" : services.map(serviceTitle).join(", ")}</Fact>
        <Fact term="Created">{apiKey.createdAt && <Day at={apiKey.createdAt} />}</Fact>
        <Fact term="Last used">{apiKey.lastUsedAt === undefined ? "never" : <Distance at={apiKey.lastUsedAt} />}</Fact>
        <Fact term={state === KeyState.REVOKED ? "Revoked" : "Expires"}>{endOf(apiKey)}</Fact>
      </dl>
      {problem !== undefined && <Notice tone="bad">{problem.message}</Notice>}
      {(state === KeyState.ACTIVE || isDisabled) && (
        <div class={styles.actions}>
          {action("rotate", "Rotate")}
          {action("edit", "Edit")}
          <Button label={`${isDisabled ? "Enable" : "Disable"} ${name}`} isBusy={isPending} onClick={() => void toggle()}>
            {isDisabled ? "Enable" : "Disable"}
          </Button>
          <Button kind="danger" label={`Revoke ${name}`} onClick={() => onOpen("revoke", { id })}>
            Revoke
          </Button>
        </div>
      )}
    </li>
  );
}

const Fact = ({ term, children }: { readonly term: string; readonly children: ComponentChildren }) => (
  <div>
    <dt>{term}</dt>
    <dd>{children}</dd>
  </div>
);

function endOf({ expiresAt, revokedAt }: Key): ComponentChildren {
  const at = revokedAt ?? expiresAt;
  return at === undefined ? "never" : <Moment at={at} />;
}
