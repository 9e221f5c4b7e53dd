// The fields with which users prove who they are: the account's password, and a code for two-factor authentication.
import { ProfileService } from "../../../../gen/quintet/account/v1/profile_pb.js";
import type { ApiProblem } from "../../../api/problem.ts";
import { useQuery } from "../../../api/use-query.ts";
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

/** The names of the fields of `OwnerProofFields`. */
export const OWNER_PROOF_NAMES = ["password", "code"];

/** What the server asks for before it makes somebody an owner: the user's password, and a code if two-factor authentication is on. */
export function OwnerProofFields({ problem }: { readonly problem: ApiProblem | undefined }) {
  const { data } = useQuery(ProfileService.method.getProfile, {});
  return (
    <>
      <CurrentPasswordField error={problem?.fields.password} />
      {data?.twoFactor !== undefined && <CodeField error={problem?.fields.code} />}
    </>
  );
}

/** The values of these fields; empty for those that are not shown. */
export const ownerProofOf = (values: FormData) => ({
  password: String(values.get("password") ?? ""),
  code: String(values.get("code") ?? "").trim(),
});
