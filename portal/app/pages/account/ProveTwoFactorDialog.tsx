// A change that asks for the password and a code: turning two-factor authentication off, or getting new recovery codes.
import type { DescMethodUnary } from "@bufbuild/protobuf";
import { ProfileService } from "../../../../gen/quintet/account/v1/profile_pb.js";
import type {
  EndTwoFactorRequestSchema,
  EndTwoFactorResponseSchema,
  ReplaceRecoveryCodesRequestSchema,
  ReplaceRecoveryCodesResponseSchema,
} from "../../../../gen/quintet/account/v1/two_factor_pb.js";
import { useMutation } from "../../../api/use-mutation.ts";
import { Dialog } from "../../../components/ui/Dialog.tsx";
import { Form } from "../../../components/ui/Form.tsx";
import { ConfirmButtons } from "../../DialogButtons.tsx";
import { CodeField, CurrentPasswordField } from "./ProofFields.tsx";

const NAMES = ["password", "code"];
const { getProfile } = ProfileService.method;

/** The dialog. `onDone` gets the recovery codes that `method` has returned, if any, to show them in place of the dialog. */
export function ProveTwoFactorDialog({
  title,
  message,
  button,
  isDangerous = false,
  method,
  onClose,
  onDone,
}: {
  readonly title: string;
  readonly message: string;
  readonly button: string;
  readonly isDangerous?: boolean;
  readonly method:
    | DescMethodUnary<typeof EndTwoFactorRequestSchema, typeof EndTwoFactorResponseSchema>
    | DescMethodUnary<typeof ReplaceRecoveryCodesRequestSchema, typeof ReplaceRecoveryCodesResponseSchema>;
  readonly onClose: () => void;
  readonly onDone: (codes: readonly string[] | undefined) => void;
}) {
  const { mutate, isPending, problem } = useMutation(method as DescMethodUnary<typeof ReplaceRecoveryCodesRequestSchema>, [
    getProfile,
  ]);
  const change = async (values: FormData): Promise<void> => {
    const response = await mutate({ password: String(values.get("password")), code: String(values.get("code")) });
    if (response !== undefined) {
      onDone("recoveryCodes" in response ? (response.recoveryCodes as readonly string[]) : undefined);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <p>{message}</p>
      <Form problem={problem} names={NAMES} onSubmit={(values) => void change(values)}>
        <CurrentPasswordField error={problem?.fields.password} />
        <CodeField error={problem?.fields.code} />
        <ConfirmButtons kind={isDangerous ? "danger" : "primary"} label={button} isBusy={isPending} onClose={onClose} />
      </Form>
    </Dialog>
  );
}
