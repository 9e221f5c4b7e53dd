// The plans of one service, with the one in force and what can be changed.
import type { ComponentChildren } from "preact";
import { type Plan, type Subscription, SubscriptionState } from "../../../../gen/quintet/account/v1/account_pb.js";
import { Badge } from "../../../components/ui/Badge.tsx";
import { Button } from "../../../components/ui/Button.tsx";
import { type Column, Table } from "../../../components/ui/Table.tsx";
import { formatMoney, formatNumber } from "../../formats.ts";
import type { Advice } from "./advice.ts";
import { includedIn } from "./included.ts";
import styles from "./ServicePlans.module.css";

// The actions come early, where a narrow screen shows them.
const COLUMNS: readonly Column[] = [
  { heading: "Plan" },
  { heading: "Status" },
  { heading: "Price a month", isFigure: true },
  { heading: "Calls a month", isFigure: true },
  { heading: "Calls a second", isFigure: true },
];
const INCLUDES: Column = { heading: "Includes" };

/** `onOpen` opens the dialog that changes or cancels. */
export function ServicePlans({
  service,
  title,
  summary,
  plans,
  subscription,
  advice,
  onOpen,
}: {
  readonly service: string;
  readonly title: string;
  readonly summary: string;
  readonly plans: readonly Plan[];
  readonly subscription: Subscription | undefined;
  /** The advice that follows from this month's refusals. */
  readonly advice: Advice | undefined;
  readonly onOpen: (name: string, values: Readonly<Record<string, string>>) => void;
}) {
  const hasIncluded = plans.some((plan) => includedIn(plan) !== "");
  const yours = (plan: Plan): ComponentChildren => {
    if (
      subscription?.state === SubscriptionState.ACTIVE &&
      subscription.plan === plan.name &&
      subscription.requestedPlan === undefined
    ) {
      return (
        <div class={styles.yours}>
          <Badge tone="good" words="Current" />
        </div>
      );
    }
    const words = actionWords(plan, subscription);
    return (
      <div class={styles.yours}>
        {stateOf(plan, subscription)}
        {words !== undefined && (
          <Button
            kind={subscription === undefined && plan.priceMinor === 0 ? "primary" : "secondary"}
            label={`${words}: ${plan.name} of ${title}`}
            onClick={() => onOpen("plan", { service, plan: plan.name })}
          >
            {words}
          </Button>
        )}
      </div>
    );
  };
  return (
    <section class={styles.service} data-service={service}>
      <div class={styles.head}>
        <h2 id={service}>{title}</h2>
        {subscription !== undefined && (
          <Button kind="danger" label={`Cancel subscription: ${title}`} onClick={() => onOpen("cancel", { service })}>
            Cancel subscription
          </Button>
        )}
      </div>
      <p>{summary}</p>
      {advice !== undefined && <p class={styles.advice}>{advice.words}</p>}
      <Table
        stacks
        label={`Plans of ${title}`}
        columns={[...COLUMNS, ...(hasIncluded ? [INCLUDES] : [])]}
        rows={plans.map((plan) => ({
          key: plan.name,
          cells: [
            <span key="name" class={styles.plan}>
              {plan.name}
            </span>,
            yours(plan),
            plan.priceMinor === 0 ? "Free" : formatMoney(plan.priceMinor, plan.currency),
            formatNumber(plan.callsPerMonth),
            formatNumber(plan.requestsPerSecond),
            ...(hasIncluded ? [includedIn(plan)] : []),
          ],
        }))}
      />
    </section>
  );
}

function stateOf({ name }: Plan, subscription: Subscription | undefined): ComponentChildren {
  if (subscription === undefined) {
    return undefined;
  }
  const { state, plan, requestedPlan } = subscription;
  if (requestedPlan === name || (state === SubscriptionState.REQUESTED && plan === name)) {
    return <Badge tone="waits" words="Waiting for activation" />;
  }
  return plan === name ? <Badge tone="good" words="Current" /> : undefined;
}

// The text of a plan's button; undefined if there is nothing to do.
function actionWords(plan: Plan, subscription: Subscription | undefined): string | undefined {
  if (subscription === undefined) {
    return plan.priceMinor === 0 ? "Subscribe" : "Request";
  }
  if (subscription.requestedPlan === plan.name || (subscription.requestedPlan === undefined && subscription.plan === plan.name)) {
    return undefined;
  }
  if (subscription.plan === plan.name) {
    return "Withdraw request";
  }
  return plan.priceMinor > 0 ? "Request" : "Switch";
}
