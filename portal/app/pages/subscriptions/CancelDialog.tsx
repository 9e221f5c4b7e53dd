// Cancels a subscription, once the reader has said so twice.
import { AccountService, type Subscription } from "../../../../gen/quintet/account/v1/account_pb.js";
import { useMutation } from "../../../api/use-mutation.ts";
import { Button } from "../../../components/ui/Button.tsx";
import { Dialog, DialogActions } from "../../../components/ui/Dialog.tsx";
import { Notice } from "../../../components/ui/Notice.tsx";
import { serviceTitle } from "../../formats.ts";

/** `onCancelled` gets what has become of it, in a sentence. */
export function CancelDialog({
  subscription,
  onCancelled,
  onClose,
}: {
  readonly subscription: Subscription;
  readonly onCancelled: (words: string) => void;
  readonly onClose: () => void;
}) {
  const { mutate, isPending, problem } = useMutation(AccountService.method.cancelSubscription, [
    AccountService.method.listSubscriptions,
    AccountService.method.getUsage,
  ]);
  const title = serviceTitle(subscription.service);
  const cancel = async (): Promise<void> => {
    if ((await mutate({ subscriptionId: subscription.id })) !== undefined) {
      onCancelled(`Your subscription to ${title} is cancelled.`);
    }
  };
  return (
    <Dialog title={`Cancel ${title}`} onClose={onClose}>
      {problem !== undefined && <Notice tone="bad">{problem.message}</Notice>}
      <p>
        Calls to {title} are refused from the next one on. You may subscribe again; within this month the calls that you have used
        stay used.
      </p>
      <DialogActions>
        <Button onClick={onClose}>Keep it</Button>
        <Button kind="danger" isBusy={isPending} onClick={() => void cancel()}>
          {isPending ? "Cancelling …" : "Cancel the subscription"}
        </Button>
      </DialogActions>
    </Dialog>
  );
}
