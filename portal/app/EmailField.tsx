// The input for the e-mail address that the user signs in with.
import { Field } from "../components/ui/Field.tsx";

/** `error` says what is wrong with the address: `must be an e-mail address like name@example.com`. */
export const EmailField = ({ error }: { readonly error: string | undefined }) => (
  <Field label="E-mail address" errorLabel="This" name="email" type="email" autocomplete="username" error={error} />
);
