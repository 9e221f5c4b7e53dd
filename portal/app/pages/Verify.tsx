// Verifies an address with the token of a link that came by mail. It waits for a press of the button: programs that look into mails open links too.
import { useState } from "preact/hooks";
import { AccountService } from "../../../gen/quintet/account/v1/account_pb.js";
import { SignInService } from "../../../gen/quintet/account/v1/sign_in_pb.js";
import { useMutation } from "../../api/use-mutation.ts";
import { Button, ButtonLink } from "../../components/ui/Button.tsx";
import { Heading } from "../../components/ui/Heading.tsx";
import { Notice } from "../../components/ui/Notice.tsx";
import { useMailedToken } from "./mailed-token.ts";

export default function Verify() {
  const token = useMailedToken();
  const { mutate, isPending, problem } = useMutation(SignInService.method.verifyEmail, [AccountService.method.getAccount]);
  const [isVerified, setIsVerified] = useState(false);
  const verify = async (): Promise<void> => setIsVerified((await mutate({ token: token ?? "" })) !== undefined);
  if (isVerified) {
    return (
      <>
        <Heading title="Your address is verified" lead="If you have just signed up, your account is made." />
        <ButtonLink kind="primary" href="/app">
          Go on
        </ButtonLink>
      </>
    );
  }
  if (token === undefined || problem?.fields.token !== undefined) {
    return (
      <>
        <Heading title="This link does not work" lead="It works once, for a day. Open it in the mail once more." />
        <p>
          If you signed up, try to <a href="/app/sign-in">sign in</a>: it may have worked before. If not,{" "}
          <a href="/app/sign-up">sign up</a> again to get another link.
        </p>
      </>
    );
  }
  return (
    <>
      <Heading title="Verify your address" lead="You came here by a link that was sent to it." />
      {problem !== undefined && <Notice tone="bad">{problem.message}</Notice>}
      <Button kind="primary" isBusy={isPending} onClick={() => void verify()}>
        {isPending ? "Verifying …" : "Verify my address"}
      </Button>
    </>
  );
}
