// Creates an account.
import { useState } from "preact/hooks";
import { useLocation } from "preact-iso";
import { SignInService } from "../../../gen/quintet/account/v1/sign_in_pb.js";
import { useMutation } from "../../api/use-mutation.ts";
import { Button } from "../../components/ui/Button.tsx";
import { Form } from "../../components/ui/Form.tsx";
import { Heading } from "../../components/ui/Heading.tsx";
import { Notice } from "../../components/ui/Notice.tsx";
import { Agreement } from "../Agreement.tsx";
import { EmailField } from "../EmailField.tsx";
import { NewPasswordField } from "../NewPasswordField.tsx";
import { sendsMail } from "../server-facts.ts";
import { HOME, pathAfterSignIn } from "../sign-in-path.ts";
import { useNewSession } from "../use-new-session.ts";
import { ProviderButtons } from "./sign-in/ProviderButtons.tsx";
import { SignedIn, useSignedIn } from "./sign-in/SignedIn.tsx";

const NAMES = ["email", "password"];

export default function SignUp() {
  const { query } = useLocation();
  const next = pathAfterSignIn(query.next, location.origin);
  const { mutate, isPending, problem } = useMutation(SignInService.method.signUp);
  const begin = useNewSession();
  const own = useSignedIn();
  // Once the session has started, this page must not say that the user is already signed in while the next page loads.
  const [isStarted, setIsStarted] = useState(false);
  const [sentTo, setSentTo] = useState<string>();
  const [isSentAgain, setIsSentAgain] = useState(false);
  const signUp = async (email: string, password: string): Promise<void> => {
    const response = await mutate({ email, password, useCookie: true, next: next === HOME ? "" : next });
    setIsSentAgain(email === sentTo && response !== undefined);
    if (response?.outcome.case === "mailSent") {
      setSentTo(email);
    } else if (response?.outcome.case === "session") {
      setIsStarted(true);
      begin(response.outcome.value, next);
    }
  };
  const submit = (values: FormData): void => void signUp(String(values.get("email")).trim(), String(values.get("password") ?? ""));
  if (sentTo !== undefined) {
    return (
      <>
        <Heading
          title="Check your inbox"
          lead={`We sent a link to ${sentTo}. Open it within a day, and choose a password there.`}
        />
        {problem !== undefined && <Notice tone="bad">{problem.message}</Notice>}
        {isSentAgain && <Notice tone="good">Sent again.</Notice>}
        <p>
          Nothing there? Check your spam folder, or <a href="/app/forgot">choose a new password</a> if you already have an account.
        </p>
        <p>
          <Button isBusy={isPending} onClick={() => void signUp(sentTo, "")}>
            {isPending ? "Sending…" : "Resend"}
          </Button>{" "}
          <Button onClick={() => setSentTo(undefined)}>Wrong address?</Button>
        </p>
      </>
    );
  }
  if (own !== undefined && !isStarted) {
    return (
      <>
        <Heading title="Sign up" />
        <SignedIn account={own} next={next} />
      </>
    );
  }
  const search = query.next === undefined ? "" : `?next=${encodeURIComponent(query.next)}`;
  return (
    <>
      <Heading
        title="Sign up"
        lead="An account is free. You subscribe to each service separately, and every service has a free plan."
      />
      {query.deleted !== undefined && <Notice tone="good">Your account has been deleted.</Notice>}
      <Form problem={problem} names={NAMES} onSubmit={submit}>
        <EmailField error={problem?.fields.email} />
        {!sendsMail() && <NewPasswordField label="Password" name="password" error={problem?.fields.password} />}
        <Agreement />
        <Button kind="primary" type="submit" isBusy={isPending}>
          {isPending ? "Creating your account…" : "Create account"}
        </Button>
      </Form>
      <ProviderButtons next={next} />
      <p>
        Already have an account? <a href={`/app/sign-in${search}`}>Sign in</a>
      </p>
    </>
  );
}
