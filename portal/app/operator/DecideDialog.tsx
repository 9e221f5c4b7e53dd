// Activates or declines a requested plan, once the operator has seen whose request it is and what the plan costs.
import { type Plan, StatusService } from "../../../gen/quintet/account/v1/status_pb.js";
import { OperatorService, SubscriptionDecision, type WaitingSubscription } from "../../../gen/quintet/operator/v1/operator_pb.js";
import { useMutation } from "../../api/use-mutation.ts";
import { useQuery } from "../../api/use-query.ts";
import { Dialog } from "../../components/ui/Dialog.tsx";
import { Loaded } from "../../components/ui/Loaded.tsx";
import { Notice } from "../../components/ui/Notice.tsx";
import { ConfirmButtons } from "../DialogButtons.tsx";
import { formatCount, formatMoney, formatNumber, planTitle, serviceTitle } from "../formats.ts";

const { listWaitingSubscriptions, decideSubscription, getAccount, listAuditEntries } = OperatorService.method;
// The methods whose data shows a subscription's plan or a change of it.
const CHANGED = [listWaitingSubscriptions, getAccount, listAuditEntries];

interface DecideDialogProps {
  readonly waiting: WaitingSubscription;
  /** Called with the result as a sentence. */
  readonly onDecided: (message: string) => void;
  readonly onClose: () => void;
}

const nameOf = ({ account }: WaitingSubscription): string => account?.email ?? account?.name ?? "";

/** Asks before a plan is activated. */
export function ActivateDialog({ waiting, onDecided, onClose }: DecideDialogProps) {
  const { subscription, waitingPlan } = waiting;
  const service = subscription?.service ?? "";
  const plans = useQuery(StatusService.method.listPlans, { service });
  const { mutate, isPending, problem } = useMutation(decideSubscription, CHANGED);
  const activate = async (): Promise<void> => {
    if (
      (await mutate({ subscriptionId: subscription?.id ?? "", decision: SubscriptionDecision.ACTIVATE, plan: waitingPlan })) !==
      undefined
    ) {
      onDecided(`${nameOf(waiting)} is now on ${planTitle(waitingPlan)} for ${serviceTitle(service)}.`);
    }
  };
  return (
    <Dialog title={`Activate ${planTitle(waitingPlan)} for ${serviceTitle(service)}?`} onClose={onClose}>
      {problem !== undefined && <Notice tone="bad">{problem.message}</Notice>}
      <Loaded query={plans} rem={7}>
        {({ results }) => <Terms waiting={waiting} plan={results.find(({ name }) => name === waitingPlan)} />}
      </Loaded>
      <ConfirmButtons
        label="Activate"
        busyLabel="Activating…"
        cancelLabel="Not now"
        isBusy={isPending || plans.data === undefined}
        onConfirm={() => void activate()}
        onClose={onClose}
      />
    </Dialog>
  );
}

function Terms({ waiting, plan }: { readonly waiting: WaitingSubscription; readonly plan: Plan | undefined }) {
  const { subscription } = waiting;
  if (plan === undefined) {
    return <Notice tone="bad">This plan is no longer on offer, so it cannot be activated.</Notice>;
  }
  return (
    <>
      <p>
        <b>{plan.priceMinor === 0 ? "Free" : `${formatMoney(plan.priceMinor, plan.currency)} a month`}</b>, for{" "}
        {formatNumber(plan.callsPerMonth)} calls per month and up to {formatCount(plan.requestsPerSecond, "request")} per second.
      </p>
      <p>
        {nameOf(waiting)} gets this plan immediately
        {subscription?.requestedPlan === undefined ? "" : `, instead of ${planTitle(subscription.plan)}`}.{" "}
        {plan.priceMinor > 0 && "This does not charge anyone: make sure that the plan is paid for."}
      </p>
    </>
  );
}

/** Asks before a request is declined. */
export function DeclineDialog({ waiting, onDecided, onClose }: DecideDialogProps) {
  const { subscription, waitingPlan } = waiting;
  const { mutate, isPending, problem } = useMutation(decideSubscription, CHANGED);
  const title = serviceTitle(subscription?.service ?? "");
  const decline = async (): Promise<void> => {
    if ((await mutate({ subscriptionId: subscription?.id ?? "", decision: SubscriptionDecision.DECLINE })) !== undefined) {
      onDecided(`${nameOf(waiting)}'s request for ${planTitle(waitingPlan)} (${title}) was declined.`);
    }
  };
  return (
    <Dialog title={`Decline ${planTitle(waitingPlan)} for ${title}?`} onClose={onClose}>
      {problem !== undefined && <Notice tone="bad">{problem.message}</Notice>}
      <p>
        {subscription?.requestedPlan === undefined
          ? `This also cancels the subscription of ${nameOf(waiting)}, because it has no other plan.`
          : `${nameOf(waiting)} stays on ${planTitle(subscription.plan)}.`}
      </p>
      <ConfirmButtons
        kind="danger"
        label="Decline"
        busyLabel="Declining…"
        cancelLabel="Not now"
        isBusy={isPending}
        onConfirm={() => void decline()}
        onClose={onClose}
      />
    </Dialog>
  );
}
