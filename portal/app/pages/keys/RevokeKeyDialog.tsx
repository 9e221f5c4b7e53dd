// Revokes a key, once the user has confirmed it.
import { type Key, KeyService } from "../../../../gen/quintet/account/v1/key_pb.js";
import { useMutation } from "../../../api/use-mutation.ts";
import { Dialog } from "../../../components/ui/Dialog.tsx";
import { Notice } from "../../../components/ui/Notice.tsx";
import { ConfirmButtons } from "../../DialogButtons.tsx";
import type { Change } from "./ChangeNotice.tsx";

/** `onRevoked` gets the result, with how soon every server refused the key. */
export function RevokeKeyDialog({
  apiKey,
  onRevoked,
  onClose,
}: {
  readonly apiKey: Key;
  readonly onRevoked: (change: Change) => void;
  readonly onClose: () => void;
}) {
  const { mutate, isPending, problem } = useMutation(KeyService.method.revokeKey, [KeyService.method.listKeys]);
  const revoke = async (): Promise<void> => {
    const response = await mutate({ keyId: apiKey.id });
    if (response?.key !== undefined) {
      onRevoked({ key: response.key, kind: "revoked" });
    }
  };
  return (
    <Dialog title={`Revoke ${apiKey.name}`} onClose={onClose}>
      {problem !== undefined && <Notice tone="bad">{problem.message}</Notice>}
      <p>
        Calls with the key ending in <code>{apiKey.lastFour}</code> are refused immediately, and its open streams end. This cannot
        be undone. To stop it temporarily, disable it instead.
      </p>
      <ConfirmButtons
        kind="danger"
        label="Revoke permanently"
        busyLabel="Revoking…"
        isBusy={isPending}
        onConfirm={() => void revoke()}
        onClose={onClose}
      />
    </Dialog>
  );
}
