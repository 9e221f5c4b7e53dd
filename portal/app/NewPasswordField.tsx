// The input for choosing a new password.
import { Field } from "../components/ui/Field.tsx";

/** `error` says what is wrong with the password; it follows the label: `is required`. */
export const NewPasswordField = ({
  label,
  name,
  error,
}: {
  readonly label: string;
  readonly name: string;
  readonly error: string | undefined;
}) => (
  <Field
    label={label}
    name={name}
    type="password"
    autocomplete="new-password"
    hint="12 to 128 characters of any kind."
    error={error}
  />
);
