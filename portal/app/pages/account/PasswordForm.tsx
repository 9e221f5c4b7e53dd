// Sets a new password.
import { useState } from "preact/hooks";
import { ProfileService } from "../../../../gen/quintet/account/v1/profile_pb.js";
import { useMutation } from "../../../api/use-mutation.ts";
import { Button } from "../../../components/ui/Button.tsx";
import { Field } from "../../../components/ui/Field.tsx";
import { Form } from "../../../components/ui/Form.tsx";
import { Notice } from "../../../components/ui/Notice.tsx";
import { NewPasswordField } from "../../NewPasswordField.tsx";
import styles from "../Account.module.css";

const NAMES = ["current_password", "new_password"];

/** `email` identifies the account to password managers. */
export function PasswordForm({ email }: { readonly email: string | undefined }) {
  const { mutate, isPending, problem } = useMutation(ProfileService.method.changePassword);
  const [changes, setChanges] = useState(0);
  const change = async (values: FormData): Promise<void> => {
    const response = await mutate({
      currentPassword: String(values.get("current_password")),
      newPassword: String(values.get("new_password")),
    });
    if (response !== undefined) {
      setChanges(changes + 1);
    }
  };
  return (
    <section class={styles.section}>
      <h2>Change password</h2>
      <p>This signs you out everywhere else. Your keys keep working.</p>
      {changes > 0 && problem === undefined && <Notice tone="good">Your password has been changed.</Notice>}
      {/* The fields are created again after each change, so they are empty. */}
      <Form key={changes} problem={problem} names={NAMES} onSubmit={(values) => void change(values)}>
        <input type="text" hidden autocomplete="username" value={email} readOnly />
        <Field
          label="Current password"
          name="current_password"
          type="password"
          autocomplete="current-password"
          error={problem?.fields.current_password}
        />
        <NewPasswordField label="New password" name="new_password" error={problem?.fields.new_password} />
        <Button kind="primary" type="submit" isBusy={isPending}>
          {isPending ? "Changing…" : "Change password"}
        </Button>
      </Form>
    </section>
  );
}
