// Subscribes to a plan, or changes to it, once the reader has seen what it costs and since when it holds.
import { AccountService, type Plan, type Subscription, SubscriptionState } from "../../../../gen/quintet/account/v1/account_pb.js";
import { useMutation } from "../../../api/use-mutation.ts";
import { Button } from "../../../components/ui/Button.tsx";
import { Dialog, DialogActions } from "../../../components/ui/Dialog.tsx";
import { Notice } from "../../../components/ui/Notice.tsx";
import { formatMoney, formatNumber, serviceTitle } from "../../formats.ts";

const CHANGES = [AccountService.method.listSubscriptions, AccountService.method.getUsage];

/** `onChanged` gets what has become of it, in a sentence. */
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
    const answer =
      subscription === undefined
        ? await creation.mutate({ service: plan.service, plan: plan.name })
        : await request.mutate({ subscriptionId: subscription.id, plan: plan.name });
    if (answer?.subscription !== undefined) {
      onChanged(outcome(answer.subscription, plan.name));
    }
  };
  return (
    <Dialog title={`${title}: ${plan.name}`} onClose={onClose}>
      {problem !== undefined && <Notice tone="bad">{problem.message}</Notice>}
      <p>
        {formatMoney(plan.priceMinor, plan.currency)} a month, for {formatNumber(plan.callsPerMonth)} calls a month and at most{" "}
        {formatNumber(plan.requestsPerSecond)} a second.
      </p>
      <p>{consequence(plan, subscription)}</p>
      <DialogActions>
        <Button onClick={onClose}>Leave it as it is</Button>
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
    return `Keep ${plan.name}`;
  }
  if (plan.priceMinor > 0) {
    return `Ask for ${plan.name}`;
  }
  return subscription === undefined ? "Subscribe" : `Change to ${plan.name}`;
}

function consequence(plan: Plan, subscription: Subscription | undefined): string {
  if (keeps(plan, subscription)) {
    return `You have asked for ${subscription?.requestedPlan ?? "another plan"}. That request is withdrawn, and ${plan.name} stays in force.`;
  }
  const used = subscription === undefined ? "" : " Calls already used this month stay used.";
  if (plan.priceMinor === 0) {
    return `A free plan is in force at once.${used}`;
  }
  const until =
    subscription?.state === SubscriptionState.ACTIVE
      ? ` Until then ${subscription.plan} stays in force.`
      : " Until then calls are refused.";
  return `A paid plan waits until the operator of this server activates it.${until}${used}`;
}

function outcome({ service, state, plan, requestedPlan }: Subscription, asked: string): string {
  const title = serviceTitle(service);
  return state === SubscriptionState.REQUESTED || requestedPlan === asked
    ? `You have asked for ${asked} of ${title}. It waits until the operator activates it.`
    : `${title} is on ${plan}, from the next call on.`;
}
