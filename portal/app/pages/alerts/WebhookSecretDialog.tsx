// Shows the secret of a webhook endpoint, once.
import { useEffect, useState } from "preact/hooks";
import { CopyBlock } from "../../../components/ui/CopyBlock.tsx";
import { Dialog } from "../../../components/ui/Dialog.tsx";
import { Notice } from "../../../components/ui/Notice.tsx";
import { CloseButton } from "../../DialogButtons.tsx";
import { keepPage } from "../../keep-page.ts";

/** The dialog. Only its button closes it, because the secret cannot be shown again; going back is prevented. */
export function WebhookSecretDialog({
  secret,
  isRotated,
  onClose,
}: {
  readonly secret: string;
  readonly isRotated: boolean;
  readonly onClose: () => void;
}) {
  const [wasLeaving, setLeaving] = useState(false);
  useEffect(() => keepPage(() => setLeaving(true)), []);
  return (
    <Dialog title={isRotated ? "New signing secret" : "Signing secret"} isPersistent onClose={onClose}>
      <p>
        Your server needs it to <a href="/docs/accounts#verify-a-webhook">verify</a> that requests come from us. Save it now: we
        cannot show it again.
      </p>
      <CopyBlock code={secret} label="the secret" />
      {isRotated && <p>For a day, requests are also signed with the old secret, so that you have time to update your server.</p>}
      {wasLeaving && (
        <Notice tone="bad">Going back now would lose this secret for good. Save it first, then press “I have saved it”.</Notice>
      )}
      <CloseButton label="I have saved it" onClose={onClose} />
    </Dialog>
  );
}
