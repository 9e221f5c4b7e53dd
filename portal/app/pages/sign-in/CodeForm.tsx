// The second step of signing in, for accounts with two-factor authentication: a code from the authenticator app, or a recovery code.
import { useEffect, useRef } from "preact/hooks";
import { type Session, SignInService } from "../../../../gen/quintet/account/v1/sign_in_pb.js";
import { useMutation } from "../../../api/use-mutation.ts";
import { Button } from "../../../components/ui/Button.tsx";
import { Field } from "../../../components/ui/Field.tsx";
import { Form } from "../../../components/ui/Form.tsx";
import { Notice } from "../../../components/ui/Notice.tsx";

const NAMES = ["code"];

/**
 * `challenge` is what the first step returned. It is kept only in memory, so after a reload the user starts again. `onBack` is called when
 * the user wants to start again.
 */
export function CodeForm({
  challenge,
  onSignedIn,
  onBack,
}: {
  readonly challenge: string;
  readonly onSignedIn: (session: Session) => void;
  readonly onBack: () => void;
}) {
  const { mutate, isPending, problem } = useMutation(SignInService.method.signIn);
  const first = useRef<HTMLDivElement>(null);
  useEffect(() => first.current?.querySelector("input")?.focus(), []);
  const complete = async (values: FormData): Promise<void> => {
    const response = await mutate({ challenge, proof: { case: "code", value: String(values.get("code")) }, useCookie: true });
    if (response?.outcome.case === "session") {
      onSignedIn(response.outcome.value);
    }
  };
  if (problem?.fields.challenge !== undefined) {
    return (
      <>
        <Notice tone="bad">This sign-in took too long, or the password was changed in the meantime.</Notice>
        <p>
          <Button kind="primary" onClick={onBack}>
            Start again
          </Button>
        </p>
      </>
    );
  }
  return (
    <div ref={first}>
      <Form problem={problem} names={NAMES} onSubmit={(values) => void complete(values)}>
        <Field
          label="Code"
          name="code"
          type="text"
          autocomplete="one-time-code"
          autocapitalize="none"
          spellcheck={false}
          hint="6 digits, or one of your recovery codes."
          error={problem?.fields.code}
        />
        <Button kind="primary" type="submit" isBusy={isPending}>
          {isPending ? "Signing in…" : "Sign in"}
        </Button>
      </Form>
      <p>
        <Button onClick={onBack}>Start again</Button>
      </p>
      <p>Lost your phone and your recovery codes? Ask the operator of this server to turn off two-factor authentication.</p>
    </div>
  );
}
