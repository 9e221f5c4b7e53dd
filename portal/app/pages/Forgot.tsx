// Requests a link that resets a forgotten password. The response is the same for every address.
import { useState } from "preact/hooks";
import { SignInService } from "../../../gen/quintet/account/v1/sign_in_pb.js";
import { useMutation } from "../../api/use-mutation.ts";
import { Button } from "../../components/ui/Button.tsx";
import { Form } from "../../components/ui/Form.tsx";
import { Heading } from "../../components/ui/Heading.tsx";
import { Notice } from "../../components/ui/Notice.tsx";
import { EmailField } from "../EmailField.tsx";
import { sendsMail } from "../server-facts.ts";

const NAMES = ["email"];

export default function Forgot() {
  const { mutate, isPending, problem } = useMutation(SignInService.method.requestPasswordReset);
  const [sentTo, setSentTo] = useState<string>();
  const ask = async (values: FormData): Promise<void> => {
    const email = String(values.get("email")).trim();
    setSentTo((await mutate({ email })) === undefined ? undefined : email);
  };
  if (!sendsMail()) {
    return (
      <>
        <Heading title="Forgot your password?" lead="This server does not send e-mail. Ask its operator for a new password." />
        <p>
          See <a href="/docs/support">Support</a> for how to reach them, or <a href="/app/sign-in">sign in</a>.
        </p>
      </>
    );
  }
  return (
    <>
      <Heading title="Forgot your password?" lead="We will send you a link to choose a new one." />
      {sentTo !== undefined && (
        <Notice tone="good">
          If {sentTo} has an account, an e-mail is on its way. Its link works once, and expires after an hour. Check your spam
          folder too.
        </Notice>
      )}
      <Form problem={problem} names={NAMES} onSubmit={(values) => void ask(values)}>
        <EmailField error={problem?.fields.email} />
        <Button kind="primary" type="submit" isBusy={isPending}>
          {isPending ? "Sending…" : "Send me a link"}
        </Button>
      </Form>
      <p>
        Remembered it? <a href="/app/sign-in">Sign in</a>
      </p>
    </>
  );
}
