// The result of a change to a key: how soon the servers refused the key, as they measured it themselves.
import type { Key } from "../../../../gen/quintet/account/v1/key_pb.js";
import { Notice } from "../../../components/ui/Notice.tsx";
import { formatNumber } from "../../formats.ts";

/** A change that was made. `key` is as the server returned it. */
export interface Change {
  readonly key: Key;
  readonly kind: "changed" | "disabled" | "enabled" | "revoked";
}

export function ChangeNotice({ change: { key, kind }, onClose }: { readonly change: Change; readonly onClose: () => void }) {
  const { name, lastFour, unconfirmed, refusedEverywhereAfterMs: afterMs } = key;
  return (
    <Notice tone={unconfirmed === undefined ? "good" : "plain"} onClose={onClose}>
      <p>
        <strong>{name}</strong> (…{lastFour}) has been {kind}.{" "}
        {afterMs !== undefined && `Every server refused it within ${formatNumber(afterMs)} ms.`}
      </p>
      {unconfirmed !== undefined && <p>{unconfirmedText(unconfirmed.nodes.length, kind)}</p>}
    </Notice>
  );
}

function unconfirmedText(servers: number, kind: Change["kind"]): string {
  const who = servers === 0 ? "Some servers have" : `${formatNumber(servers)} ${servers === 1 ? "server has" : "servers have"}`;
  const until =
    kind === "enabled"
      ? "The key works on a server as soon as that server learns of the change."
      : "A server that cannot be reached refuses all calls after a few seconds.";
  return `${who} not confirmed this yet. The change is saved. ${until}`;
}
