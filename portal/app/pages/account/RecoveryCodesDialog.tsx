// Shows recovery codes, once.
import { useEffect, useState } from "preact/hooks";
import { CopyBlock } from "../../../components/ui/CopyBlock.tsx";
import { Dialog } from "../../../components/ui/Dialog.tsx";
import { Notice } from "../../../components/ui/Notice.tsx";
import { CloseButton } from "../../DialogButtons.tsx";
import { keepPage } from "../../keep-page.ts";

/** The dialog. Only its button closes it, because the codes cannot be shown again; going back is prevented. */
export function RecoveryCodesDialog({ codes, onClose }: { readonly codes: readonly string[]; readonly onClose: () => void }) {
  const [wasLeaving, setLeaving] = useState(false);
  useEffect(() => keepPage(() => setLeaving(true)), []);
  return (
    <Dialog title="Your recovery codes" isPersistent onClose={onClose}>
      <p>
        If you lose your phone, you can use each of these codes once to sign in. Save them now, where you keep your passwords. We
        cannot show them again.
      </p>
      <CopyBlock code={codes.join("\n")} label="the recovery codes" />
      {wasLeaving && (
        <Notice tone="bad">Going back now would lose these codes for good. Save them first, then press “I have saved them”.</Notice>
      )}
      <CloseButton label="I have saved them" onClose={onClose} />
    </Dialog>
  );
}
