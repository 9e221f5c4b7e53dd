// Deletes the account, once the user has typed its address, the password and, if two-factor authentication is on, a code.
import { useState } from "preact/hooks";
import { ProfileService } from "../../../../gen/quintet/account/v1/profile_pb.js";
import { signedOut } from "../../../api/leave-account.ts";
import { useMutation } from "../../../api/use-mutation.ts";
import { Dialog } from "../../../components/ui/Dialog.tsx";
import { Field } from "../../../components/ui/Field.tsx";
import { Form } from "../../../components/ui/Form.tsx";
import { ConfirmButtons } from "../../DialogButtons.tsx";
import { CodeField, CurrentPasswordField } from "./ProofFields.tsx";

const NAMES = ["password", "code", "confirmation"];

/** `email` is the address that must be typed. `requiresCode`: two-factor authentication is on. */
export function DeleteAccountDialog({
  email,
  requiresCode,
  onClose,
}: {
  readonly email: string;
  readonly requiresCode: boolean;
  readonly onClose: () => void;
}) {
  const { mutate, isPending, problem } = useMutation(ProfileService.method.deleteAccount);
  const [isOther, setIsOther] = useState(false);
  const remove = async (values: FormData): Promise<void> => {
    const isSame = String(values.get("confirmation")).trim().toLowerCase() === email.toLowerCase();
    setIsOther(!isSame);
    if (!isSame) {
      return;
    }
    const proof = { password: String(values.get("password")), code: String(values.get("code") ?? "").trim() };
    if ((await mutate(proof)) !== undefined) {
      signedOut("/app/sign-up?deleted=yes");
    }
  };
  return (
    <Dialog title="Delete account" onClose={onClose}>
      <p>
        Your keys stop working, you are signed out everywhere, and your subscriptions are cancelled. Your e-mail address, account
        name, keys and usage are deleted. This cannot be undone.
      </p>
      <Form problem={problem} names={NAMES} onSubmit={(values) => void remove(values)}>
        <Field
          label={`Type ${email}`}
          errorLabel="This address"
          name="confirmation"
          type="text"
          autocomplete="off"
          spellcheck={false}
          error={isOther ? "does not match" : undefined}
        />
        <CurrentPasswordField error={problem?.fields.password} />
        {requiresCode && <CodeField error={problem?.fields.code} />}
        <ConfirmButtons kind="danger" label="Delete permanently" busyLabel="Deleting…" isBusy={isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}
