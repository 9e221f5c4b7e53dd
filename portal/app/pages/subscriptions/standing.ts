// Where a customer stands with a service, and the one thing to do next.
import { type Subscription, SubscriptionState } from "../../../../gen/quintet/account/v1/account_pb.js";
import type { Plan } from "../../../../gen/quintet/account/v1/status_pb.js";

export interface Standing {
  /** The active plan; undefined if there is none. */
  readonly current: string | undefined;
  /** The requested plan that is not active yet; undefined if there is none. */
  readonly waiting: string | undefined;
  /** What the main button of the service's card does. */
  readonly action: "subscribe" | "switch" | "withdraw";
}

/** `subscription`: the customer's subscription to the service; undefined if there is none, or it is cancelled. */
export function standingOf(subscription: Subscription | undefined): Standing {
  if (subscription === undefined) {
    return { current: undefined, waiting: undefined, action: "subscribe" };
  }
  const isActive = subscription.state === SubscriptionState.ACTIVE;
  const current = isActive ? subscription.plan : undefined;
  const waiting = isActive ? subscription.requestedPlan : subscription.plan;
  return { current, waiting, action: waiting === undefined ? "switch" : "withdraw" };
}

/** Whether the customer can choose the plan: it is neither active nor requested. */
export const canChoose = ({ name }: Pick<Plan, "name">, { current, waiting }: Pick<Standing, "current" | "waiting">): boolean =>
  name !== current && name !== waiting;

/**
 * The plan that is chosen when the dialog opens: the one that the customer has asked for, or else the next larger one. Undefined if there
 * is none, so that nobody moves to a smaller plan by pressing the only button.
 */
export function initialPlan<Offer extends Pick<Plan, "name" | "priceMinor">>(
  plans: readonly Offer[],
  standing: Pick<Standing, "current" | "waiting">,
  wanted: string | undefined,
): Offer | undefined {
  const choices = plans.filter((plan) => canChoose(plan, standing)).toSorted((a, b) => a.priceMinor - b.priceMinor);
  const current = plans.find(({ name }) => name === standing.current);
  return (
    choices.find(({ name }) => name === wanted) ??
    (standing.current === undefined
      ? choices[0]
      : choices.find(({ priceMinor }) => current !== undefined && priceMinor > current.priceMinor))
  );
}

/**
 * How a customer gets a plan: `buy` and `change` by card, `request` from the operator, `free` at once, and `end` when the month that is
 * paid by card ends.
 */
export type WayToPlan = "buy" | "change" | "request" | "free" | "end";

/** `hasCards`: whether the server takes cards. */
export function wayTo(
  { priceMinor }: Pick<Plan, "priceMinor">,
  subscription: Pick<Subscription, "cardPayment"> | undefined,
  hasCards: boolean,
): WayToPlan {
  const isPaidByCard = subscription?.cardPayment !== undefined;
  if (priceMinor === 0) {
    return isPaidByCard ? "end" : "free";
  }
  return isPaidByCard ? "change" : hasCards ? "buy" : "request";
}
