// Asks the customer to verify the address, if it is not verified and the server sends mail.
import { useState } from "preact/hooks";
import { ProfileService } from "../../../../gen/quintet/account/v1/profile_pb.js";
import { useMutation } from "../../../api/use-mutation.ts";
import { Button } from "../../../components/ui/Button.tsx";
import { Notice } from "../../../components/ui/Notice.tsx";

/** `email` is the address to verify. */
export function VerifyNotice({ email }: { readonly email: string }) {
  const { mutate, isPending, problem } = useMutation(ProfileService.method.sendVerification);
  const [isSent, setIsSent] = useState(false);
  const send = async (): Promise<void> => setIsSent((await mutate({})) !== undefined);
  if (isSent) {
    return <Notice tone="good">We sent a link to {email}. Open it within a day.</Notice>;
  }
  return (
    <Notice tone={problem === undefined ? "plain" : "bad"}>
      <p>{problem?.message ?? "Your e-mail address is not verified. Get a link to confirm that our e-mails reach you."}</p>
      <Button isBusy={isPending} onClick={() => void send()}>
        Send me a link
      </Button>
    </Notice>
  );
}
