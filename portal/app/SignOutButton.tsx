// Ends the session and forgets all that was read in it.
import { useLocation } from "preact-iso";
import { AccountService } from "../../gen/quintet/account/v1/account_pb.js";
import { useApi } from "../api/api.ts";
import { consoleKeys } from "../api/page-console-key.ts";
import { useMutation } from "../api/use-mutation.ts";
import { Button } from "../components/ui/Button.tsx";

/** The button. */
export function SignOutButton() {
  const { queries } = useApi();
  const { route } = useLocation();
  const { mutate, isPending, problem } = useMutation(AccountService.method.signOut);
  const signOut = async (): Promise<void> => {
    // It can be revoked only while there is a session.
    await consoleKeys.forget();
    if ((await mutate({})) !== undefined) {
      queries.clear();
      route("/app/sign-in");
    }
  };
  return (
    <Button kind="plain" isBusy={isPending} onClick={() => void signOut()}>
      {problem === undefined ? "Sign out" : "Sign out failed. Try again"}
    </Button>
  );
}
