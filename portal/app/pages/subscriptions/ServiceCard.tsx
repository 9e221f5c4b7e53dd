// One service: its active plan, the requested plan, and one button for the next step.
import type { ComponentChildren } from "preact";
import type { Subscription } from "../../../../gen/quintet/account/v1/account_pb.js";
import type { Plan } from "../../../../gen/quintet/account/v1/status_pb.js";
import { Badge } from "../../../components/ui/Badge.tsx";
import { Button } from "../../../components/ui/Button.tsx";
import { Day } from "../../../components/ui/Time.tsx";
import { planTitle } from "../../formats.ts";
import { takesCards } from "../../server-facts.ts";
import type { Advice } from "./advice.ts";
import { planTerms } from "./plan-terms.ts";
import styles from "./ServiceCard.module.css";
import { type Standing, standingOf } from "./standing.ts";

const ACTIONS = {
  subscribe: { label: "Subscribe", dialog: "plan" },
  switch: { label: "Switch plan", dialog: "plan" },
  withdraw: { label: "Withdraw request", dialog: "withdraw" },
} as const;

type OpenDialog = (name: string, values: Readonly<Record<string, string>>) => void;

// Opens the dialog for choosing a plan, with the recommended plan selected.
const RequestAdvised = ({ plan, title, onOpen }: { readonly plan: Plan; readonly title: string; readonly onOpen: OpenDialog }) => {
  const label = `${takesCards() ? "Choose" : "Request"} ${planTitle(plan.name)}`;
  return (
    <Button label={`${label}: ${title}`} onClick={() => onOpen("plan", { service: plan.service, plan: plan.name })}>
      {label}
    </Button>
  );
};

/** `onOpen` opens the dialog that changes something; undefined if the user's role allows no changes. */
export function ServiceCard({
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
  /** Undefined if the customer has none to the service. */
  readonly subscription: Subscription | undefined;
  /** The advice that follows from this month's refusals. */
  readonly advice: Advice | undefined;
  readonly onOpen: OpenDialog | undefined;
}) {
  const { current, waiting, action } = standingOf(subscription);
  const { label, dialog } = ACTIONS[action];
  return (
    <section class={styles.card} data-service={service} aria-labelledby={service}>
      <div class={styles.about}>
        <div class={styles.head}>
          <h2 id={service}>{title}</h2>
          {current !== undefined && <Badge tone="good" label="Active" />}
          {waiting !== undefined && <Badge tone="waits" label="Waiting for activation" />}
          {current === undefined && waiting === undefined && <Badge tone="off" label="Not subscribed" />}
        </div>
        <p>{summary}</p>
        <Terms current={current} waiting={waiting} plans={plans} subscription={subscription} />
        {advice !== undefined && (
          <p class={styles.advice}>
            {advice.message}{" "}
            {advice.plan !== undefined && action === "switch" && onOpen !== undefined && (
              <RequestAdvised plan={advice.plan} title={title} onOpen={onOpen} />
            )}
          </p>
        )}
      </div>
      {onOpen !== undefined && (
        <div class={styles.actions}>
          <Button
            kind={action === "subscribe" ? "primary" : "secondary"}
            label={`${label}: ${title}`}
            onClick={() => onOpen(dialog, { service })}
          >
            {label}
          </Button>
          {current !== undefined && (
            <Button kind="plain" label={`Cancel subscription: ${title}`} onClick={() => onOpen("cancel", { service })}>
              Cancel subscription
            </Button>
          )}
        </div>
      )}
    </section>
  );
}

function Terms({
  current,
  waiting,
  plans,
  subscription,
}: Pick<Standing, "current" | "waiting"> & {
  readonly plans: readonly Plan[];
  readonly subscription: Subscription | undefined;
}): ComponentChildren {
  // What the customer agreed to may differ from what is on offer.
  const named = (name: string, terms: Plan | undefined): ComponentChildren => {
    const plan = terms ?? plans.find((one) => one.name === name);
    return (
      <>
        <b>{planTitle(name)}</b>
        {plan !== undefined && `: ${planTerms(plan)}`}
      </>
    );
  };
  const cheapest = plans.toSorted((a, b) => a.priceMinor - b.priceMinor)[0];
  return (
    <dl class={styles.terms}>
      {current !== undefined && (
        <>
          <dt>Current plan</dt>
          <dd>{named(current, subscription?.terms)}</dd>
        </>
      )}
      {subscription?.cardPayment?.graceEndsAt !== undefined && (
        <>
          <dt>Payment failed</dt>
          <dd>
            You keep your plan until <Day at={subscription.cardPayment.graceEndsAt} />. Use another card under “Cards and invoices”.
          </dd>
        </>
      )}
      {subscription?.cardPayment?.endsAt !== undefined && (
        <>
          <dt>Cancelled</dt>
          <dd>
            You keep your plan until <Day at={subscription.cardPayment.endsAt} />.
          </dd>
        </>
      )}
      {subscription?.nextTerms !== undefined && subscription.movesAt !== undefined && (
        <>
          <dt>
            From <Day at={subscription.movesAt} />
          </dt>
          <dd>
            {named(subscription.nextTerms.name, subscription.nextTerms)}. Choose another plan or cancel if you do not want that.
          </dd>
        </>
      )}
      {waiting !== undefined && (
        <>
          <dt>Requested plan</dt>
          <dd>
            {named(waiting, current === undefined ? subscription?.terms : subscription?.requestedTerms)}.{" "}
            {current === undefined
              ? "Calls are refused until it is activated."
              : `You stay on ${planTitle(current)} until it is activated.`}
          </dd>
        </>
      )}
      {current === undefined && waiting === undefined && cheapest !== undefined && (
        <>
          <dt>Smallest plan</dt>
          <dd>{named(cheapest.name, cheapest)}</dd>
        </>
      )}
    </dl>
  );
}
