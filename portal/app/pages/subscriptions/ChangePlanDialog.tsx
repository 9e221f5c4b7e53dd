// Subscribes to a plan, or changes to another one. The user chooses the plan here, and sees its price and when it takes effect.
import { useState } from "preact/hooks";
import { AccountService, type Subscription, SubscriptionState } from "../../../../gen/quintet/account/v1/account_pb.js";
import type { Plan } from "../../../../gen/quintet/account/v1/status_pb.js";
import { type MonthStanding, UsageService } from "../../../../gen/quintet/account/v1/usage_pb.js";
import { useMutation } from "../../../api/use-mutation.ts";
import { Button } from "../../../components/ui/Button.tsx";
import { Dialog, DialogActions } from "../../../components/ui/Dialog.tsx";
import { Notice } from "../../../components/ui/Notice.tsx";
import { formatNumber, planTitle, serviceTitle } from "../../formats.ts";
import styles from "./ChangePlanDialog.module.css";
import { overPlanWarning } from "./over-plan.ts";
import { planAllowance, planPrice } from "./plan-terms.ts";
import { canChoose, initialPlan, standingOf } from "./standing.ts";

const CHANGES = [AccountService.method.listSubscriptions, UsageService.method.getUsage];

/**
 * `wanted`: the plan to select when the dialog opens, if the user has asked for one. `month`: what was used this month, if it is known.
 * `onChanged` gets the result as a sentence.
 */
export function ChangePlanDialog({
  service,
  plans,
  wanted,
  subscription,
  month,
  onChanged,
  onClose,
}: {
  readonly service: string;
  readonly plans: readonly Plan[];
  readonly wanted: string | undefined;
  readonly subscription: Subscription | undefined;
  readonly month: MonthStanding | undefined;
  readonly onChanged: (message: string) => void;
  readonly onClose: () => void;
}) {
  const { mutate, isPending, problem } = useMutation(AccountService.method.setSubscription, CHANGES);
  const standing = standingOf(subscription);
  const { current, waiting } = standing;
  const [name, setName] = useState(() => initialPlan(plans, standing, wanted)?.name);
  const plan = plans.find((one) => one.name === name);
  const warning = plan && overPlanWarning(plan, month);
  const send = async (): Promise<void> => {
    if (plan === undefined) {
      return;
    }
    const response = await mutate({ service, plan: plan.name });
    if (response?.subscription !== undefined) {
      onChanged(outcome(response.subscription, plan.name));
    }
  };
  return (
    <Dialog title={`${serviceTitle(service)}: choose a plan`} onClose={onClose}>
      {problem !== undefined && <Notice tone="bad">{problem.message}</Notice>}
      <fieldset class={styles.plans}>
        <legend class="unseen">Plan</legend>
        {plans.map((one) => (
          <label key={one.name}>
            <input
              type="radio"
              name="plan"
              value={one.name}
              checked={one.name === name}
              disabled={!canChoose(one, standing)}
              onChange={() => setName(one.name)}
            />
            <b>{planTitle(one.name)}</b>
            <span>
              {planPrice(one)}
              {one.name === current && " · current"}
              {one.name === waiting && " · waiting for activation"}
            </span>
            <small>{planAllowance(one)}</small>
          </label>
        ))}
      </fieldset>
      {warning !== undefined && <Notice tone="bad">{warning}</Notice>}
      {plan !== undefined && <p>{consequence(plan, current, subscription)}</p>}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        {plan !== undefined && (
          <Button kind="primary" isBusy={isPending} onClick={() => void send()}>
            {isPending ? "Sending…" : labelOf(plan, subscription)}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}

function labelOf({ name, priceMinor }: Plan, subscription: Subscription | undefined): string {
  if (priceMinor > 0) {
    return `Request ${planTitle(name)}`;
  }
  return subscription === undefined ? "Subscribe" : `Switch to ${planTitle(name)}`;
}

function consequence(plan: Plan, current: string | undefined, subscription: Subscription | undefined): string {
  const used = subscription === undefined ? "" : " Calls already used this month still count.";
  if (plan.priceMinor === 0) {
    return `A free plan is active right away, with ${formatNumber(plan.callsPerMonth)} calls per month.${used}`;
  }
  const until =
    current === undefined
      ? " Calls are refused until your plan is active."
      : ` You stay on ${planTitle(current)} until your new plan is active.`;
  return `The operator of this server activates paid plans.${until}${used}`;
}

function outcome({ service, state, plan, requestedPlan }: Subscription, requested: string): string {
  const title = serviceTitle(service);
  return state === SubscriptionState.REQUESTED || requestedPlan === requested
    ? `You requested ${planTitle(requested)} for ${title}. It is waiting for activation.`
    : `You're on the ${planTitle(plan)} plan for ${title}.`;
}
