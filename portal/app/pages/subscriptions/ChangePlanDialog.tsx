// Subscribes to a plan, or changes to another one. The user chooses the plan here, and sees its price and when it takes effect. Where the
// server takes cards, a paid plan is bought on Stripe's page.
import { useState } from "preact/hooks";
import { AccountService, type Subscription, SubscriptionState } from "../../../../gen/quintet/account/v1/account_pb.js";
import { BillingService } from "../../../../gen/quintet/account/v1/billing_pb.js";
import type { Plan } from "../../../../gen/quintet/account/v1/status_pb.js";
import { UsageService } from "../../../../gen/quintet/account/v1/usage_pb.js";
import { useMutation } from "../../../api/use-mutation.ts";
import { useQuery } from "../../../api/use-query.ts";
import { Button } from "../../../components/ui/Button.tsx";
import { Dialog, DialogActions } from "../../../components/ui/Dialog.tsx";
import { Notice } from "../../../components/ui/Notice.tsx";
import { formatNumber, planTitle, serviceTitle } from "../../formats.ts";
import { takesCards } from "../../server-facts.ts";
import type { MonthStanding } from "../../usage/usage-report.ts";
import styles from "./ChangePlanDialog.module.css";
import { overPlanWarning } from "./over-plan.ts";
import { planAllowance, planPrice, priceOfChange } from "./plan-terms.ts";
import { canChoose, initialPlan, standingOf, type WayToPlan, wayTo } from "./standing.ts";

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
  const change = useMutation(AccountService.method.setSubscription, CHANGES);
  const checkout = useMutation(BillingService.method.createCheckout);
  const isPending = change.isPending || checkout.isPending;
  const standing = standingOf(subscription);
  const { current, waiting } = standing;
  const [name, setName] = useState(() => initialPlan(plans, standing, wanted)?.name);
  const plan = plans.find((one) => one.name === name);
  const way = plan && wayTo(plan, subscription, takesCards());
  const preview = useQuery(
    BillingService.method.previewChange,
    { service, plan: name ?? "" },
    { enabled: way === "change", staleTime: 0 },
  );
  const problem = change.problem ?? checkout.problem ?? preview.problem;
  const warning = plan && overPlanWarning(plan, month);
  const send = async (): Promise<void> => {
    if (plan === undefined) {
      return;
    }
    if (way === "buy") {
      const page = await checkout.mutate({ service, plan: plan.name });
      if (page !== undefined) {
        location.assign(page.url);
      }
      return;
    }
    const response = await change.mutate({ service, plan: plan.name });
    if (response?.subscription !== undefined) {
      onChanged(
        way === "end"
          ? `Your ${planTitle(response.subscription.plan)} plan for ${serviceTitle(service)} will not be renewed.`
          : outcome(response.subscription, plan.name),
      );
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
      {plan !== undefined && (
        <p>{way === "change" ? preview.data && priceOfChange(preview.data) : consequence(plan, current, subscription, way)}</p>
      )}
      <DialogActions>
        <Button onClick={onClose}>Cancel</Button>
        {plan !== undefined && (
          <Button kind="primary" isBusy={isPending || (way === "change" && preview.data === undefined)} onClick={() => void send()}>
            {isPending ? "Sending…" : labelOf(plan, subscription, way)}
          </Button>
        )}
      </DialogActions>
    </Dialog>
  );
}

function labelOf(plan: Plan, subscription: Subscription | undefined, way: WayToPlan | undefined): string {
  const { name } = plan;
  if (way === "request") {
    return `Request ${planTitle(name)}`;
  }
  if (way === "buy") {
    return `Buy ${planTitle(name)}, ${planPrice(plan)}`;
  }
  return subscription === undefined ? "Subscribe" : `Switch to ${planTitle(name)}`;
}

function consequence(
  plan: Plan,
  current: string | undefined,
  subscription: Subscription | undefined,
  way: WayToPlan | undefined,
): string {
  const used = subscription === undefined ? "" : " Calls already used this month still count.";
  if (way === "end") {
    return `You keep ${planTitle(current ?? "")} until the end of the paid month. It is not charged again.`;
  }
  if (plan.priceMinor === 0) {
    return `A free plan is active right away, with ${formatNumber(plan.callsPerMonth)} calls per month.${used}`;
  }
  const until =
    current === undefined
      ? " Calls are refused until your plan is active."
      : ` You stay on ${planTitle(current)} until your new plan is active.`;
  return `${way === "buy" ? "You pay on Stripe's page, and the plan is active once it is paid." : "The operator of this server activates paid plans."}${until}${used}`;
}

function outcome({ service, state, plan, requestedPlan }: Subscription, requested: string): string {
  const title = serviceTitle(service);
  return state === SubscriptionState.REQUESTED || requestedPlan === requested
    ? `You requested ${planTitle(requested)} for ${title}. It is waiting for activation.`
    : `You're on the ${planTitle(plan)} plan for ${title}.`;
}
