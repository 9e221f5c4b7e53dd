// Ends the session, and forgets everything that was read and typed in it.
import { ProfileService } from "../../gen/quintet/account/v1/profile_pb.js";
import { signedOut } from "../api/leave-account.ts";
import { consoleKeys } from "../api/page-console-key.ts";
import { useMutation } from "../api/use-mutation.ts";
import { Button } from "../components/ui/Button.tsx";

export function SignOutButton() {
  const { mutate, isPending, problem } = useMutation(ProfileService.method.endSessions);
  const signOut = async (): Promise<void> => {
    // The console's key can be revoked only while there is a session.
    await consoleKeys.forget();
    if ((await mutate({ which: { case: "current", value: true } })) !== undefined) {
      signedOut();
    }
  };
  return (
    <Button kind="plain" isBusy={isPending} onClick={() => void signOut()}>
      {problem === undefined ? "Sign out" : "Sign out failed. Try again"}
    </Button>
  );
}
