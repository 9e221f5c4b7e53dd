// The fields with which users prove who they are: the account's password, and a code for two-factor authentication.
import { Field } from "../../../components/ui/Field.tsx";

interface ProofFieldProps {
  /** What the server found wrong with the value. */
  readonly error: string | undefined;
}

export const CurrentPasswordField = ({ error }: ProofFieldProps) => (
  <Field label="Your password" name="password" type="password" autocomplete="current-password" error={error} />
);

/** A code from the app, or a recovery code. */
export const CodeField = ({ error }: ProofFieldProps) => (
  <Field
    label="Code"
    name="code"
    type="text"
    autocomplete="one-time-code"
    spellcheck={false}
    hint="6 digits, or one of your recovery codes."
    error={error}
  />
);
