// Cancels a subscription, once the user has confirmed it.
import { AccountService, type Subscription } from "../../../../gen/quintet/account/v1/account_pb.js";
import { UsageService } from "../../../../gen/quintet/account/v1/usage_pb.js";
import { useMutation } from "../../../api/use-mutation.ts";
import { Dialog } from "../../../components/ui/Dialog.tsx";
import { Notice } from "../../../components/ui/Notice.tsx";
import { ConfirmButtons } from "../../DialogButtons.tsx";
import { serviceTitle } from "../../formats.ts";

/** `onCancelled` gets a sentence that tells the user what happened. */
export function CancelDialog({
  subscription,
  onCancelled,
  onClose,
}: {
  readonly subscription: Subscription;
  readonly onCancelled: (message: string) => void;
  readonly onClose: () => void;
}) {
  const { mutate, isPending, problem } = useMutation(AccountService.method.cancelSubscription, [
    AccountService.method.listSubscriptions,
    UsageService.method.getUsage,
  ]);
  const title = serviceTitle(subscription.service);
  const cancel = async (): Promise<void> => {
    if ((await mutate({ service: subscription.service })) !== undefined) {
      onCancelled(`Your subscription to ${title} has been cancelled.`);
    }
  };
  return (
    <Dialog title={`Cancel your subscription to ${title}?`} onClose={onClose}>
      {problem !== undefined && <Notice tone="bad">{problem.message}</Notice>}
      <p>Calls to {title} will be refused. You can subscribe again at any time; calls already used this month still count.</p>
      <ConfirmButtons
        kind="danger"
        label="Cancel subscription"
        busyLabel="Cancelling…"
        cancelLabel="Keep subscription"
        isBusy={isPending}
        onConfirm={() => void cancel()}
        onClose={onClose}
      />
    </Dialog>
  );
}
