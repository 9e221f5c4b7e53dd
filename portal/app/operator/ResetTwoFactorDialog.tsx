// Asks an operator before the two-factor authentication and the passkeys of an account are reset.
import { OperatorService, type ResetTwoFactorResponse } from "../../../gen/quintet/operator/v1/operator_pb.js";
import { useMutation } from "../../api/use-mutation.ts";
import { Dialog } from "../../components/ui/Dialog.tsx";
import { Notice } from "../../components/ui/Notice.tsx";
import { ConfirmButtons } from "../DialogButtons.tsx";
import styles from "./OperatorPage.module.css";

const { getAccount, listAuditEntries, resetTwoFactor } = OperatorService.method;

export function ResetTwoFactorDialog({
  accountId,
  email,
  onDone,
  onClose,
}: {
  readonly accountId: string;
  readonly email: string;
  /** Called with the result in sentences. */
  readonly onDone: (message: string) => void;
  readonly onClose: () => void;
}) {
  const { mutate, isPending, problem } = useMutation(resetTwoFactor, [getAccount, listAuditEntries]);
  const reset = async (): Promise<void> => {
    const response = await mutate({ accountId });
    if (response !== undefined) {
      onDone(resetText(response));
      onClose();
    }
  };
  return (
    <Dialog title="Reset two-factor authentication?" onClose={onClose}>
      {problem !== undefined && <Notice tone="bad">{problem.message}</Notice>}
      <p>
        Use this only for an owner who has lost the authenticator app, the recovery codes and the passkeys. First make sure that the
        person asking really is <b class={styles.break}>{email}</b>: afterwards, the password alone is enough to sign in.
      </p>
      <p>Their passkeys are deleted and their sessions end. This is recorded in the audit trail.</p>
      <ConfirmButtons
        kind="danger"
        label="Reset"
        busyLabel="Resetting…"
        isBusy={isPending}
        onConfirm={() => void reset()}
        onClose={onClose}
      />
    </Dialog>
  );
}

const resetText = ({ mailSent }: ResetTwoFactorResponse): string =>
  `Two-factor authentication is off, the passkeys are deleted, and all sessions have ended. ${
    mailSent ? "The owner has been notified by e-mail." : "No e-mail was sent: notify the owner yourself."
  }`;
