// Asks for the address to be verified, where the server sends mail and it is not.
import { useState } from "preact/hooks";
import { AccountService } from "../../../../gen/quintet/account/v1/account_pb.js";
import { useMutation } from "../../../api/use-mutation.ts";
import { Button } from "../../../components/ui/Button.tsx";
import { Notice } from "../../../components/ui/Notice.tsx";

/** For an account with this address. */
export function VerifyNotice({ email }: { readonly email: string }) {
  const { mutate, isPending, problem } = useMutation(AccountService.method.sendVerification);
  const [isSent, setIsSent] = useState(false);
  const send = async (): Promise<void> => setIsSent((await mutate({})) !== undefined);
  if (isSent) {
    return <Notice tone="good">A mail is on its way to {email}. Open the link in it within a day.</Notice>;
  }
  return (
    <Notice tone={problem === undefined ? "plain" : "bad"}>
      <p>
        {problem?.message ??
          "Your address is not verified. Follow a link that is sent there, to be sure that our mail reaches you."}
      </p>
      <Button isBusy={isPending} onClick={() => void send()}>
        Send me a link
      </Button>
    </Notice>
  );
}
