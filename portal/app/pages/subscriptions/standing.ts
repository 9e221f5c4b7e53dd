// Where a customer stands with a service, and the one thing to do next.
import { type Subscription, SubscriptionState } from "../../../../gen/quintet/account/v1/account_pb.js";

export interface Standing {
  /** The active plan; undefined if there is none. */
  readonly current: string | undefined;
  /** The requested plan that is not active yet; undefined if there is none. */
  readonly waiting: string | undefined;
  /** What the page's main button for the service does. */
  readonly action: "subscribe" | "switch" | "withdraw";
}

/** `subscription`: the one that is not cancelled. */
export function standingOf(subscription: Subscription | undefined): Standing {
  if (subscription === undefined) {
    return { current: undefined, waiting: undefined, action: "subscribe" };
  }
  const isActive = subscription.state === SubscriptionState.ACTIVE;
  const current = isActive ? subscription.plan : undefined;
  const waiting = isActive ? subscription.requestedPlan : subscription.plan;
  return { current, waiting, action: waiting === undefined ? "switch" : "withdraw" };
}
