// Where a provider leads people back to: completes the sign-in, asks for a code if the account needs one, and goes on.
import { useEffect, useRef, useState } from "preact/hooks";
import { type Session, SignInService } from "../../../gen/quintet/account/v1/sign_in_pb.js";
import { useMutation } from "../../api/use-mutation.ts";
import { ButtonLink } from "../../components/ui/Button.tsx";
import { Heading } from "../../components/ui/Heading.tsx";
import { Notice } from "../../components/ui/Notice.tsx";
import { HOME, pathAfterSignIn } from "../sign-in-path.ts";
import { useNewSession } from "../use-new-session.ts";
import { CodeForm } from "./sign-in/CodeForm.tsx";
import { takeBegunSignIn } from "./sign-in/ProviderButtons.tsx";

export default function SignedInByProvider() {
  const { mutate, isPending, problem } = useMutation(SignInService.method.signIn);
  const begin = useNewSession();
  const next = useRef(HOME);
  const isStarted = useRef(false);
  const [isLost, setLost] = useState(false);
  const [challenge, setChallenge] = useState<string>();
  const onSignedIn = (session: Session): void => begin(session, next.current);
  const complete = async (): Promise<void> => {
    const begun = takeBegunSignIn();
    const query = location.search.slice(1);
    // The code works once, and belongs in no history.
    history.replaceState(null, "", location.pathname);
    if (begun === undefined || query === "") {
      setLost(true);
      return;
    }
    next.current = pathAfterSignIn(begun.next, location.origin);
    const value = { provider: begun.provider, ticket: begun.ticket, query };
    const { outcome } = (await mutate({ proof: { case: "providerResponse", value }, useCookie: true })) ?? {};
    if (outcome?.case === "challenge") {
      setChallenge(outcome.value);
    } else if (outcome?.case === "session") {
      onSignedIn(outcome.value);
    }
  };
  useEffect(() => {
    if (!isStarted.current) {
      isStarted.current = true;
      void complete();
    }
  });
  if (challenge !== undefined) {
    return (
      <>
        <Heading title="Enter a code" lead="Open your authenticator app, and enter the code that it shows." />
        <CodeForm challenge={challenge} onSignedIn={onSignedIn} onBack={() => location.replace("/app/sign-in")} />
      </>
    );
  }
  const message = isLost ? "This sign-in was not begun in this tab, or has ended already." : problem?.message;
  return (
    <>
      <Heading title="Sign in" lead={message === undefined || isPending ? "Signing you in…" : "\u00a0"} />
      {message !== undefined && (
        <>
          <Notice tone="bad">{message}</Notice>
          <p>
            <ButtonLink kind="primary" href="/app/sign-in">
              Sign in again
            </ButtonLink>
          </p>
        </>
      )}
    </>
  );
}
