// Revokes a key, once the reader has said so twice.
import { AccountService, type Key } from "../../../../gen/quintet/account/v1/account_pb.js";
import { useMutation } from "../../../api/use-mutation.ts";
import { Button } from "../../../components/ui/Button.tsx";
import { Dialog, DialogActions } from "../../../components/ui/Dialog.tsx";
import { Notice } from "../../../components/ui/Notice.tsx";
import type { Change } from "./ChangeNotice.tsx";

/** `onRevoked` hears what the server has measured. */
export function RevokeKeyDialog({
  apiKey,
  onRevoked,
  onClose,
}: {
  readonly apiKey: Key;
  readonly onRevoked: (change: Change) => void;
  readonly onClose: () => void;
}) {
  const { mutate, isPending, problem } = useMutation(AccountService.method.revokeKey, [AccountService.method.listKeys]);
  const revoke = async (): Promise<void> => {
    const answer = await mutate({ keyId: apiKey.id });
    if (answer?.key !== undefined) {
      onRevoked({ key: answer.key, kind: "revoked" });
    }
  };
  return (
    <Dialog title={`Revoke ${apiKey.name}`} onClose={onClose}>
      {problem !== undefined && <Notice tone="bad">{problem.message}</Notice>}
      <p>
        Every call with the key that ends with <code>{apiKey.lastFour}</code> is refused from then on, and its open streams end.
        This cannot be undone. To stop it for a while, disable it.
      </p>
      <DialogActions>
        <Button onClick={onClose}>Keep it</Button>
        <Button kind="danger" isBusy={isPending} onClick={() => void revoke()}>
          {isPending ? "Revoking it …" : "Revoke for good"}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
