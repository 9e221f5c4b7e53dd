// Replaces a key with a new one; the old one keeps working for a while. If the response is lost, sending the form again does not create a
// second key.
import { useRef, useState } from "preact/hooks";
import { type Key, KeyService } from "../../../../gen/quintet/account/v1/key_pb.js";
import { useMutation } from "../../../api/use-mutation.ts";
import { Dialog } from "../../../components/ui/Dialog.tsx";
import { SelectField } from "../../../components/ui/Field.tsx";
import { Form } from "../../../components/ui/Form.tsx";
import { ConfirmButtons } from "../../DialogButtons.tsx";
import { generateRequestId } from "../../request-id.ts";
import type { IssuedKey } from "./IssuedKeyDialog.tsx";
import { UnseenKeyDialog } from "./UnseenKeyDialog.tsx";

const NAMES = ["grace_seconds"];
const GRACE_CHOICES = [
  ["0", "no, it stops now"],
  ["3600", "for an hour"],
  ["86400", "for a day"],
  ["604800", "for 7 days"],
] as const;

/** `onIssued` gets the new key. */
export function RotateKeyDialog({
  apiKey,
  onIssued,
  onClose,
}: {
  readonly apiKey: Key;
  readonly onIssued: (created: IssuedKey) => void;
  readonly onClose: () => void;
}) {
  const { mutate, isPending, problem } = useMutation(KeyService.method.rotateKey, [KeyService.method.listKeys]);
  const [grace, setGrace] = useState("86400");
  const last = useRef<{ readonly grace: string; readonly idempotencyKey: string } | undefined>(undefined);
  const [unseen, setUnseen] = useState<Key>();
  const rotate = async (): Promise<void> => {
    if (last.current?.grace !== grace) {
      last.current = { grace, idempotencyKey: generateRequestId() };
    }
    const response = await mutate({ keyId: apiKey.id, graceSeconds: Number(grace), idempotencyKey: last.current.idempotencyKey });
    if (response?.next !== undefined && response.secret === "") {
      setUnseen(response.next);
    } else if (response?.next !== undefined) {
      onIssued({ key: response.next, secret: response.secret, old: response.old });
    }
  };
  if (unseen !== undefined) {
    return <UnseenKeyDialog unseen={unseen} onClose={onClose} />;
  }
  return (
    <Dialog title={`Rotate ${apiKey.name}`} onClose={onClose}>
      <p>
        You get a new key with the same name, services, limits, notes and lifetime. Deploy it everywhere before the old one stops
        working.
      </p>
      <Form problem={problem} names={NAMES} onSubmit={() => void rotate()}>
        <SelectField
          label="Keep the old key working"
          name="grace_seconds"
          value={grace}
          options={GRACE_CHOICES}
          onChange={setGrace}
          error={problem?.fields.grace_seconds}
        />
        <ConfirmButtons label="Rotate key" busyLabel="Rotating…" isBusy={isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}
