// Changes the account's address, with the password and, if two-factor authentication is on, a code.
import { useState } from "preact/hooks";
import { AccountService } from "../../../../gen/quintet/account/v1/account_pb.js";
import { ProfileService } from "../../../../gen/quintet/account/v1/profile_pb.js";
import { useMutation } from "../../../api/use-mutation.ts";
import { Dialog } from "../../../components/ui/Dialog.tsx";
import { Field } from "../../../components/ui/Field.tsx";
import { Form } from "../../../components/ui/Form.tsx";
import { CloseButton, ConfirmButtons } from "../../DialogButtons.tsx";
import { CodeField, CurrentPasswordField } from "./ProofFields.tsx";

const NAMES = ["new_email", "password", "code"];
const { changeEmail } = ProfileService.method;
const { getAccount } = AccountService.method;

/** `sendsMail`: the server sends a link to the new address. `requiresCode`: two-factor authentication is on. */
export function ChangeEmailDialog({
  sendsMail,
  requiresCode,
  onClose,
  onChanged,
}: {
  readonly sendsMail: boolean;
  readonly requiresCode: boolean;
  readonly onClose: () => void;
  readonly onChanged: () => void;
}) {
  const { mutate, isPending, problem } = useMutation(changeEmail, [getAccount]);
  const [sentTo, setSentTo] = useState<string>();
  const change = async (values: FormData): Promise<void> => {
    const newEmail = String(values.get("new_email")).trim();
    const response = await mutate({
      newEmail,
      password: String(values.get("password")),
      code: String(values.get("code") ?? "").trim(),
    });
    if (response?.mailSent === true) {
      setSentTo(newEmail);
    } else if (response !== undefined) {
      onChanged();
    }
  };
  if (sentTo !== undefined) {
    return (
      <Dialog title="Check your inbox" onClose={onClose}>
        <p>We sent a link to {sentTo}. Open it within a day. Until you do, your address does not change.</p>
        <CloseButton label="Close" onClose={onClose} />
      </Dialog>
    );
  }
  return (
    <Dialog title="Change e-mail address" onClose={onClose}>
      <p>
        {sendsMail
          ? "We will send a link to the new address. Confirming it signs you out everywhere. Then sign in with the new address."
          : "This signs you out of your other sessions. From then on, sign in with the new address."}
      </p>
      <Form problem={problem} names={NAMES} onSubmit={(values) => void change(values)}>
        <Field label="New e-mail address" name="new_email" type="email" autocomplete="email" error={problem?.fields.new_email} />
        <CurrentPasswordField error={problem?.fields.password} />
        {requiresCode && <CodeField error={problem?.fields.code} />}
        <ConfirmButtons label="Change e-mail address" busyLabel="Changing…" isBusy={isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}
