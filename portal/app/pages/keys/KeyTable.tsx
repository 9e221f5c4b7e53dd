// The keys as a table: what each may call, how much it is used, when it expires, and a menu of actions.
import type { ComponentChildren } from "preact";
import { type Key, KeyState } from "../../../../gen/quintet/account/v1/key_pb.js";
import { type Column, Table } from "../../../components/ui/Table.tsx";
import { Day, Distance } from "../../../components/ui/Time.tsx";
import { formatCount, formatNumber, serviceTitle } from "../../formats.ts";
import { KeyStateBadge } from "../../KeyStateBadge.tsx";
import { type KeyActions, KeyMenu } from "./KeyMenu.tsx";
import styles from "./KeyTable.module.css";

/** What the first column shows about a key. */
interface KeyIdentity extends Pick<Key, "name" | "prefix" | "lastFour" | "notes"> {
  readonly limits: string;
}

const COLUMNS: readonly Column[] = [
  { heading: "Key" },
  { heading: "Status" },
  { heading: "Services" },
  { heading: "Calls this month", isFigure: true },
  { heading: "Last used" },
  { heading: "Created" },
  { heading: "Expires" },
  { heading: "Actions", isFigure: true },
];

/**
 * `label` says which keys the table shows. `all` are the account's keys, including the successors of rotated ones. `calls`: key id → its
 * calls this month; undefined while they are not known.
 */
export const KeyTable = ({
  label,
  keys,
  all,
  calls,
  actions,
}: {
  readonly label: string;
  readonly keys: readonly Key[];
  readonly all: readonly Key[];
  readonly calls: ReadonlyMap<string, number> | undefined;
  readonly actions: KeyActions;
}) => (
  <div class={styles.keys}>
    <Table
      stacks
      label={label}
      columns={COLUMNS}
      rows={keys.map((key) => ({
        key: key.id,
        cells: [
          <Named key="key" {...key} limits={limitsLine(key)} />,
          <Standing key="status" apiKey={key} all={all} />,
          key.services.length === 0 ? "All services" : key.services.map(serviceTitle).join(", "),
          calls === undefined ? "" : formatNumber(calls.get(key.id) ?? 0),
          key.lastUsedAt === undefined ? "Never" : <Distance key="used" at={key.lastUsedAt} />,
          key.createdAt && <Day key="created" at={key.createdAt} />,
          endOf(key),
          <KeyMenu key="menu" apiKey={key} actions={actions} />,
        ],
      }))}
    />
  </div>
);

const Named = ({ name, prefix, lastFour, notes, limits }: KeyIdentity) => (
  <div class={styles.named}>
    <span class={styles.name}>{name}</span>
    <code>
      {prefix}…{lastFour}
    </code>
    {notes !== "" && (
      <span class={styles.notes} title={notes}>
        {notes}
      </span>
    )}
    {limits !== "" && <span class={styles.limits}>{limits}</span>}
  </div>
);

// The key's own limits in a line; empty if it has none.
function limitsLine({ callsPerMonth, callsThisMonth = 0, requestsPerSecond, allowedAddresses, allowedOrigins }: Key): string {
  const counted = ({ length }: readonly string[], one: string, many: string) => `${length} allowed ${length === 1 ? one : many}`;
  const parts = [
    callsPerMonth !== undefined && `${formatNumber(callsThisMonth)} of ${formatNumber(callsPerMonth)} calls this month`,
    requestsPerSecond !== undefined && `${formatCount(requestsPerSecond, "request")} per second`,
    allowedAddresses.length > 0 && counted(allowedAddresses, "IP address", "IP addresses"),
    allowedOrigins.length > 0 && counted(allowedOrigins, "origin", "origins"),
  ].filter((part) => part !== false);
  return parts.length === 0 ? "" : `Limits: ${parts.join(", ")}`;
}

function Standing({ apiKey, all }: { readonly apiKey: Key; readonly all: readonly Key[] }) {
  const { state, replacedBy } = apiKey;
  const next = all.find(({ id }) => id === replacedBy);
  return (
    <div class={styles.standing}>
      <KeyStateBadge state={state} />
      {replacedBy !== undefined && (
        <span class={styles.notes}>
          Replaced by {next === undefined ? "a key that was deleted" : <code>…{next.lastFour}</code>}
        </span>
      )}
    </div>
  );
}

function endOf({ state, expiresAt, revokedAt }: Key): ComponentChildren {
  if (revokedAt !== undefined) {
    return (
      <>
        Revoked <Day at={revokedAt} />
      </>
    );
  }
  if (expiresAt === undefined) {
    return "Never";
  }
  return state === KeyState.EXPIRED ? <Day at={expiresAt} /> : <Distance at={expiresAt} />;
}
