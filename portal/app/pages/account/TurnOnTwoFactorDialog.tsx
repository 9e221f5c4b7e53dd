// Turns two-factor authentication on: asks for the password, then shows the secret for the app and asks for a first code.
import { useState } from "preact/hooks";
import { ProfileService } from "../../../../gen/quintet/account/v1/profile_pb.js";
import type { BeginTwoFactorResponse } from "../../../../gen/quintet/account/v1/two_factor_pb.js";
import { useMutation } from "../../../api/use-mutation.ts";
import { CopyBlock } from "../../../components/ui/CopyBlock.tsx";
import { Dialog } from "../../../components/ui/Dialog.tsx";
import { Field } from "../../../components/ui/Field.tsx";
import { Form } from "../../../components/ui/Form.tsx";
import { ConfirmButtons } from "../../DialogButtons.tsx";
import { CurrentPasswordField } from "./ProofFields.tsx";
import { QrCode } from "./QrCode.tsx";

const { beginTwoFactor, confirmTwoFactor, getProfile } = ProfileService.method;

/** The dialog. `onTurnedOn` gets the recovery codes, to show them in place of the dialog. */
export function TurnOnTwoFactorDialog({
  onClose,
  onTurnedOn,
}: {
  readonly onClose: () => void;
  readonly onTurnedOn: (codes: readonly string[]) => void;
}) {
  const [setup, setSetup] = useState<BeginTwoFactorResponse>();
  return (
    <Dialog title="Turn on two-factor authentication" onClose={onClose}>
      {setup === undefined ? (
        <PasswordStep onBegun={setSetup} onClose={onClose} />
      ) : (
        <CodeStep setup={setup} onConfirmed={onTurnedOn} onClose={onClose} />
      )}
    </Dialog>
  );
}

interface StepProps {
  readonly onClose: () => void;
}

function PasswordStep({ onBegun, onClose }: StepProps & { readonly onBegun: (setup: BeginTwoFactorResponse) => void }) {
  const { mutate, isPending, problem } = useMutation(beginTwoFactor);
  const begin = async (values: FormData): Promise<void> => {
    const response = await mutate({ password: String(values.get("password")) });
    if (response !== undefined) {
      onBegun(response);
    }
  };
  return (
    <Form problem={problem} names={["password"]} onSubmit={(values) => void begin(values)}>
      <p>You need an authenticator app, such as the one in your password manager. This signs you out everywhere else.</p>
      <CurrentPasswordField error={problem?.fields.password} />
      <ConfirmButtons label="Continue" isBusy={isPending} onClose={onClose} />
    </Form>
  );
}

function CodeStep({
  setup: { secret, otpauthUri },
  onConfirmed,
  onClose,
}: StepProps & { readonly setup: BeginTwoFactorResponse; readonly onConfirmed: (codes: readonly string[]) => void }) {
  const { mutate, isPending, problem } = useMutation(confirmTwoFactor, [getProfile]);
  const confirm = async (values: FormData): Promise<void> => {
    const response = await mutate({ code: String(values.get("code")) });
    if (response !== undefined) {
      onConfirmed(response.recoveryCodes);
    }
  };
  return (
    <Form problem={problem} names={["code"]} onSubmit={(values) => void confirm(values)}>
      <p>
        Scan this code with the app, or <a href={otpauthUri}>open it on this device</a>.
      </p>
      <QrCode text={otpauthUri} label="The secret as a QR code" />
      <p>If the app cannot scan the code, enter this secret:</p>
      <CopyBlock code={secret} label="the secret" />
      <Field
        label="Code"
        name="code"
        type="text"
        inputMode="numeric"
        autocomplete="one-time-code"
        spellcheck={false}
        hint="The 6 digits that the app shows."
        error={problem?.fields.code}
      />
      <ConfirmButtons label="Turn on" isBusy={isPending} onClose={onClose} />
    </Form>
  );
}
