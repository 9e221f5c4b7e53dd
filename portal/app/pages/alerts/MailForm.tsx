// Which alerts are mailed to the user.
import { useState } from "preact/hooks";
import { AccountService } from "../../../../gen/quintet/account/v1/account_pb.js";
import type { AlertType } from "../../../../gen/quintet/account/v1/alert_pb.js";
import type { ApiProblem } from "../../../api/problem.ts";
import { useMutation } from "../../../api/use-mutation.ts";
import { Button } from "../../../components/ui/Button.tsx";
import { CheckboxList } from "../../../components/ui/CheckboxList.tsx";
import { Form } from "../../../components/ui/Form.tsx";
import { Notice } from "../../../components/ui/Notice.tsx";
import { VerifyNotice } from "../account/VerifyNotice.tsx";
import { MAILED_CHOICES } from "./alert-choices.ts";

const { getAccount, updateAccount } = AccountService.method;

export function MailForm({
  mailed,
  problem: loadProblem,
  email,
  isVerified,
  sendsMail,
}: {
  readonly mailed: readonly AlertType[];
  /** Why the preferences could not be read. */
  readonly problem: ApiProblem | undefined;
  readonly email: string | undefined;
  readonly isVerified: boolean;
  readonly sendsMail: boolean;
}) {
  const { mutate, isPending, problem } = useMutation(updateAccount, [getAccount]);
  const [isSaved, setSaved] = useState(false);
  const save = async (values: FormData): Promise<void> => {
    setSaved(false);
    setSaved((await mutate({ settings: { alerts: { mailed: values.getAll("mailed").map(Number) } } })) !== undefined);
  };
  if (loadProblem !== undefined) {
    return <Notice tone="bad">{loadProblem.message}</Notice>;
  }
  if (!sendsMail || email === undefined) {
    return (
      <p>
        {sendsMail
          ? "Your account has no e-mail address."
          : "This server does not send e-mail. Alerts are listed here and sent to your webhooks."}
      </p>
    );
  }
  return (
    <>
      {!isVerified && <VerifyNotice email={email} />}
      <Form problem={problem} names={["mailed"]} onSubmit={(values) => void save(values)}>
        <CheckboxList
          legend={`Send an e-mail to ${email} when`}
          name="mailed"
          options={MAILED_CHOICES}
          chosen={mailed.map(String)}
          hint={
            isVerified
              ? "All alerts are listed above, whatever you choose here."
              : "E-mails are sent only to an address that you have verified."
          }
          error={problem?.fields.mailed}
        />
        {isSaved && <Notice tone="good">Saved.</Notice>}
        <Button kind="primary" type="submit" isBusy={isPending}>
          {isPending ? "Saving…" : "Save"}
        </Button>
      </Form>
    </>
  );
}
