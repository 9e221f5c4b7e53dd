// Signs the user in, and leads back to where they came from.
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { type Session, SignInService } from "../../../gen/quintet/account/v1/sign_in_pb.js";
import { useMutation } from "../../api/use-mutation.ts";
import { Button } from "../../components/ui/Button.tsx";
import { Field } from "../../components/ui/Field.tsx";
import { Form } from "../../components/ui/Form.tsx";
import { Heading } from "../../components/ui/Heading.tsx";
import { Agreement } from "../Agreement.tsx";
import { EmailField } from "../EmailField.tsx";
import { identityProviders, passkeyOrigin } from "../server-facts.ts";
import { pathAfterSignIn } from "../sign-in-path.ts";
import { useNewSession } from "../use-new-session.ts";
import { CodeForm } from "./sign-in/CodeForm.tsx";
import { PasskeyButton } from "./sign-in/PasskeyButton.tsx";
import { ProviderButtons } from "./sign-in/ProviderButtons.tsx";
import { SignedIn, useSignedIn } from "./sign-in/SignedIn.tsx";

const NAMES = ["email", "password"];

export default function SignIn() {
  const { query } = useLocation();
  const next = pathAfterSignIn(query.next, location.origin);
  const { mutate, isPending, problem } = useMutation(SignInService.method.signIn);
  const begin = useNewSession();
  const own = useSignedIn();
  // Once the session has started, this page must not say that the user is already signed in while the next page loads.
  const [isStarted, setIsStarted] = useState(false);
  const [challenge, setChallenge] = useState<string>();
  const onSignedIn = (session: Session): void => {
    setIsStarted(true);
    begin(session, next);
  };
  const signIn = async (values: FormData): Promise<void> => {
    const { outcome } =
      (await mutate({
        email: String(values.get("email")).trim(),
        proof: { case: "password", value: String(values.get("password")) },
        useCookie: true,
      })) ?? {};
    if (outcome?.case === "challenge") {
      setChallenge(outcome.value);
    } else if (outcome?.case === "session") {
      onSignedIn(outcome.value);
    }
  };
  if (own !== undefined && !isStarted) {
    return (
      <>
        <Heading title="Sign in" />
        <SignedIn account={own} next={next} />
      </>
    );
  }
  if (challenge !== undefined) {
    return (
      <>
        <Heading title="Enter a code" lead="Open your authenticator app, and enter the code that it shows." />
        <CodeForm challenge={challenge} onSignedIn={onSignedIn} onBack={() => setChallenge(undefined)} />
      </>
    );
  }
  const search = query.next === undefined ? "" : `?next=${encodeURIComponent(query.next)}`;
  return (
    <>
      <Heading title="Sign in" {...(query.next !== undefined && { lead: "Sign in to continue where you left off." })} />
      <Form problem={problem} names={NAMES} onSubmit={(values) => void signIn(values)}>
        <EmailField error={problem?.fields.email} />
        <Field label="Password" name="password" type="password" autocomplete="current-password" error={problem?.fields.password} />
        <Button kind="primary" type="submit" isBusy={isPending}>
          {isPending ? "Signing in…" : "Sign in"}
        </Button>
      </Form>
      {identityProviders().length > 0 && <Agreement />}
      <ProviderButtons next={next} />
      {passkeyOrigin() === location.origin && <PasskeyButton onSignedIn={onSignedIn} />}
      <p>
        <a href="/app/forgot">Forgot your password?</a>
      </p>
      <p>
        No account yet? <a href={`/app/sign-up${search}`}>Sign up</a>
      </p>
    </>
  );
}
