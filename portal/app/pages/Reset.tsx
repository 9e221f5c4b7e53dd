// Sets a new password with the token of a link that came by mail.
import { useState } from "preact/hooks";
import { SignInService } from "../../../gen/quintet/account/v1/sign_in_pb.js";
import { useMutation } from "../../api/use-mutation.ts";
import { Button, ButtonLink } from "../../components/ui/Button.tsx";
import { Form } from "../../components/ui/Form.tsx";
import { Heading } from "../../components/ui/Heading.tsx";
import { NewPasswordField } from "../NewPasswordField.tsx";
import { useMailedToken } from "./mailed-token.ts";

const NAMES = ["new_password"];

export default function Reset() {
  const token = useMailedToken();
  const { mutate, isPending, problem } = useMutation(SignInService.method.resetPassword);
  const [isSet, setIsSet] = useState(false);
  const set = async (values: FormData): Promise<void> => {
    const answer = await mutate({ token: token ?? "", newPassword: String(values.get("new_password")) });
    setIsSet(answer !== undefined);
  };
  if (isSet) {
    return (
      <>
        <Heading title="Your password is set" lead="All your sessions have ended. Sign in with the new password." />
        <ButtonLink kind="primary" href="/app/sign-in">
          Sign in
        </ButtonLink>
      </>
    );
  }
  if (token === undefined || problem?.fields.token !== undefined) {
    return (
      <>
        <Heading
          title="This link does not work"
          lead="It works once, for an hour. Open it in the mail once more, or ask for another."
        />
        <ButtonLink kind="primary" href="/app/forgot">
          Ask for another link
        </ButtonLink>
      </>
    );
  }
  return (
    <>
      <Heading title="Choose a new password" lead="All your sessions end with it. Keys are not touched." />
      <Form problem={problem} names={NAMES} onSubmit={(values) => void set(values)}>
        <NewPasswordField label="New password" name="new_password" error={problem?.fields.new_password} />
        <Button kind="primary" type="submit" isBusy={isPending}>
          {isPending ? "Setting it …" : "Set the password"}
        </Button>
      </Form>
    </>
  );
}
