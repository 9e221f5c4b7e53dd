// Asks an operator before an account is suspended.
import { OperatorService, type UpdateAccountResponse } from "../../../gen/quintet/operator/v1/operator_pb.js";
import { useMutation } from "../../api/use-mutation.ts";
import { Button } from "../../components/ui/Button.tsx";
import { Dialog, DialogActions } from "../../components/ui/Dialog.tsx";
import { Notice } from "../../components/ui/Notice.tsx";
import { formatNumber } from "../formats.ts";

const { getAccount, listAccounts, listAuditEntries, updateAccount } = OperatorService.method;

export function SuspendDialog({
  accountId,
  name,
  onDone,
  onClose,
}: {
  readonly accountId: string;
  readonly name: string;
  /** Called with the result as a sentence. */
  readonly onDone: (message: string) => void;
  readonly onClose: () => void;
}) {
  const { mutate, isPending, problem } = useMutation(updateAccount, [getAccount, listAccounts, listAuditEntries]);
  const suspend = async (): Promise<void> => {
    const response = await mutate({ accountId, suspended: true });
    if (response !== undefined) {
      onDone(suspensionText(response));
      onClose();
    }
  };
  return (
    <Dialog title={`Suspend ${name}?`} onClose={onClose}>
      <p>Its calls are refused, its open streams end, and its owner sees only that it is suspended.</p>
      {problem !== undefined && <Notice tone="bad">{problem.message}</Notice>}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="danger" isBusy={isPending} onClick={() => void suspend()}>
          Suspend
        </Button>
      </DialogActions>
    </Dialog>
  );
}

// How soon the servers refused the account's calls, or that this is not known yet.
const suspensionText = ({ refusedEverywhereAfterMs }: UpdateAccountResponse): string =>
  refusedEverywhereAfterMs === undefined
    ? "Some servers have not confirmed this yet. A server that cannot be reached refuses all calls after a few seconds."
    : `Every server refused its calls within ${formatNumber(refusedEverywhereAfterMs)} ms.`;
