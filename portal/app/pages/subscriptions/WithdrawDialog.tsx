// Withdraws the request for a plan, once the user has confirmed it.
import { AccountService, type Subscription } from "../../../../gen/quintet/account/v1/account_pb.js";
import { UsageService } from "../../../../gen/quintet/account/v1/usage_pb.js";
import { useMutation } from "../../../api/use-mutation.ts";
import { Dialog } from "../../../components/ui/Dialog.tsx";
import { Notice } from "../../../components/ui/Notice.tsx";
import { ConfirmButtons } from "../../DialogButtons.tsx";
import { planTitle, serviceTitle } from "../../formats.ts";
import { standingOf } from "./standing.ts";

const { listSubscriptions, setSubscription, cancelSubscription } = AccountService.method;
const { getUsage } = UsageService.method;
const CHANGES = [listSubscriptions, getUsage];

/** `onWithdrawn` gets the result as a sentence. */
export function WithdrawDialog({
  subscription,
  onWithdrawn,
  onClose,
}: {
  readonly subscription: Subscription;
  readonly onWithdrawn: (message: string) => void;
  readonly onClose: () => void;
}) {
  // Requesting the active plan withdraws the other request. A subscription without an active plan is only a request, so it is cancelled.
  const request = useMutation(setSubscription, CHANGES);
  const cancel = useMutation(cancelSubscription, CHANGES);
  const problem = request.problem ?? cancel.problem;
  const isPending = request.isPending || cancel.isPending;
  const { current, waiting = "" } = standingOf(subscription);
  const title = serviceTitle(subscription.service);
  const withdraw = async (): Promise<void> => {
    const response =
      current === undefined
        ? await cancel.mutate({ service: subscription.service })
        : await request.mutate({ service: subscription.service, plan: current });
    if (response !== undefined) {
      onWithdrawn(`Your request for ${planTitle(waiting)} for ${title} has been withdrawn.`);
    }
  };
  return (
    <Dialog title={`Withdraw your request for ${planTitle(waiting)}?`} onClose={onClose}>
      {problem !== undefined && <Notice tone="bad">{problem.message}</Notice>}
      <p>
        {current === undefined ? `You will have no subscription to ${title}.` : `You stay on ${planTitle(current)} for ${title}.`}
      </p>
      <ConfirmButtons
        kind="danger"
        label="Withdraw request"
        busyLabel="Withdrawing…"
        cancelLabel="Keep request"
        isBusy={isPending}
        onConfirm={() => void withdraw()}
        onClose={onClose}
      />
    </Dialog>
  );
}
