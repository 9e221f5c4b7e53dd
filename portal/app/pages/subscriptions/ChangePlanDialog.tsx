// Subscribes to a plan, or changes to it, once the reader has seen what it costs and when it takes effect.
import { AccountService, type Plan, type Subscription, SubscriptionState } from "../../../../gen/quintet/account/v1/account_pb.js";
import { useMutation } from "../../../api/use-mutation.ts";
import { Button } from "../../../components/ui/Button.tsx";
import { Dialog, DialogActions } from "../../../components/ui/Dialog.tsx";
import { Notice } from "../../../components/ui/Notice.tsx";
import { formatMoney, formatNumber, serviceTitle } from "../../formats.ts";

const CHANGES = [AccountService.method.listSubscriptions, AccountService.method.getUsage];

/** `onChanged` gets the result in a sentence. */
export function ChangePlanDialog({
  plan,
  subscription,
  onChanged,
  onClose,
}: {
  readonly plan: Plan;
  readonly subscription: Subscription | undefined;
  readonly onChanged: (words: string) => void;
  readonly onClose: () => void;
}) {
  const creation = useMutation(AccountService.method.createSubscription, CHANGES);
  const request = useMutation(AccountService.method.requestPlan, CHANGES);
  const problem = creation.problem ?? request.problem;
  const isPending = creation.isPending || request.isPending;
  const title = serviceTitle(plan.service);
  const send = async (): Promise<void> => {
    const response =
      subscription === undefined
        ? await creation.mutate({ service: plan.service, plan: plan.name })
        : await request.mutate({ subscriptionId: subscription.id, plan: plan.name });
    if (response?.subscription !== undefined) {
      onChanged(outcome(response.subscription, plan.name));
    }
  };
  return (
    <Dialog title={`${title}: ${plan.name}`} onClose={onClose}>
      {problem !== undefined && <Notice tone="bad">{problem.message}</Notice>}
      <p>
        {plan.priceMinor === 0 ? "Free" : `${formatMoney(plan.priceMinor, plan.currency)} a month`}, for{" "}
        {formatNumber(plan.callsPerMonth)} calls a month and at most {formatNumber(plan.requestsPerSecond)} a second.
      </p>
      <p>{consequence(plan, subscription)}</p>
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="primary" isBusy={isPending} onClick={() => void send()}>
          {isPending ? "Sending …" : wordsOf(plan, subscription)}
        </Button>
      </DialogActions>
    </Dialog>
  );
}

const keeps = (plan: Plan, subscription: Subscription | undefined): boolean =>
  subscription?.state === SubscriptionState.ACTIVE && subscription.plan === plan.name;

function wordsOf(plan: Plan, subscription: Subscription | undefined): string {
  if (keeps(plan, subscription)) {
    return "Withdraw request";
  }
  if (plan.priceMinor > 0) {
    return `Request ${plan.name}`;
  }
  return subscription === undefined ? "Subscribe" : `Switch to ${plan.name}`;
}

function consequence(plan: Plan, subscription: Subscription | undefined): string {
  if (keeps(plan, subscription)) {
    return `This withdraws your request for ${subscription?.requestedPlan ?? "another plan"}. You stay on ${plan.name}.`;
  }
  const used = subscription === undefined ? "" : " Calls already used this month still count.";
  if (plan.priceMinor === 0) {
    return `A free plan is active right away.${used}`;
  }
  const until =
    subscription?.state === SubscriptionState.ACTIVE
      ? ` Until then you stay on ${subscription.plan}.`
      : " Until then calls are refused.";
  return `The operator of this server activates paid plans.${until}${used}`;
}

function outcome({ service, state, plan, requestedPlan }: Subscription, requested: string): string {
  const title = serviceTitle(service);
  return state === SubscriptionState.REQUESTED || requestedPlan === requested
    ? `You requested ${requested} for ${title}. It is waiting for activation by the operator.`
    : `${title} is on ${plan} from the next call.`;
}
