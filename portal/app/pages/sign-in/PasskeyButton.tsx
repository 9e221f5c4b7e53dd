// Signs in with a passkey instead of a password and a code.
import { useState } from "preact/hooks";
import { type Session, SignInService } from "../../../../gen/quintet/account/v1/sign_in_pb.js";
import { useMutation } from "../../../api/use-mutation.ts";
import { Button } from "../../../components/ui/Button.tsx";
import { Notice } from "../../../components/ui/Notice.tsx";

const { beginPasskeySignIn, signIn } = SignInService.method;

/** The button, and why the last attempt failed. */
export function PasskeyButton({ onSignedIn }: { readonly onSignedIn: (session: Session) => void }) {
  const begin = useMutation(beginPasskeySignIn);
  const complete = useMutation(signIn);
  const [refusal, setRefusal] = useState<string>();
  const start = async (): Promise<void> => {
    setRefusal(undefined);
    const started = await begin.mutate({});
    if (started === undefined) {
      return;
    }
    try {
      const { startAuthentication } = await import("@simplewebauthn/browser");
      const { id, rawId, type, response } = await startAuthentication({ optionsJSON: JSON.parse(started.optionsJson) });
      const credentialJson = JSON.stringify({ id, rawId, type, response });
      const completed = await complete.mutate({ proof: { case: "credentialJson", value: credentialJson }, useCookie: true });
      if (completed?.outcome.case === "session") {
        onSignedIn(completed.outcome.value);
      }
    } catch {
      setRefusal("Signing in with a passkey failed. Try again, or use your password.");
    }
  };
  const message = refusal ?? begin.problem?.message ?? complete.problem?.message;
  return (
    <>
      {message !== undefined && <Notice tone="bad">{message}</Notice>}
      <p>
        <Button isBusy={begin.isPending || complete.isPending} onClick={() => void start()}>
          Sign in with a passkey
        </Button>
      </p>
    </>
  );
}
