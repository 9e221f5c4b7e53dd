// Says that a key was created whose secret nobody has seen: the response was lost, and the call was repeated.
import type { Key } from "../../../../gen/quintet/account/v1/key_pb.js";
import { Dialog } from "../../../components/ui/Dialog.tsx";
import { Notice } from "../../../components/ui/Notice.tsx";
import { CloseButton } from "../../DialogButtons.tsx";

export function UnseenKeyDialog({ unseen, onClose }: { readonly unseen: Key; readonly onClose: () => void }) {
  return (
    <Dialog title="Key created" onClose={onClose}>
      <Notice tone="bad">
        The key was created, but it did not reach your browser, and we do not keep a copy. Rotate the key {unseen.name}, ending in{" "}
        <code>{unseen.lastFour}</code>, to get a new one, or revoke it.
      </Notice>
      <CloseButton label="Close" onClose={onClose} />
    </Dialog>
  );
}
