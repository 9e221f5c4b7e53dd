// How a customer gets a plan and changes it. A free plan begins immediately, a paid one when it is paid by card, or when an operator
// says so.
import { didYouMean, withoutSecrets } from "@quintet/transcoding";
import { isFree, type Plan } from "../catalogue/plan.ts";
import type { Plans } from "../catalogue/plans.ts";
import type { ServiceName } from "../catalogue/service-names.ts";
import { Failure } from "../problem/failure.ts";
import { invalidArgument } from "../problem/problem.ts";
import type { Randomness } from "../runtime/randomness.ts";
import type { Subscription } from "../store/records.ts";
import type { AdminStore } from "../store/store.ts";
import { StoreConflict } from "../store/store-errors.ts";
import type { Billing } from "./billing.ts";

export interface SubscriptionOptions {
  readonly store: AdminStore;
  readonly plans: Plans;
  /** Undefined if customers cannot pay by card. */
  readonly billing?: Billing | undefined;
  readonly randomness: Randomness;
}

interface PlanChoice {
  readonly accountId: string;
  readonly service: ServiceName;
  /** The name of a plan on offer. */
  readonly plan: string;
}

/**
 * Puts an account on a plan of a service: creates the subscription, or requests the plan on the one it has. One that is paid by card is
 * changed where it is paid. Two calls at the same time end like two in a row.
 */
export async function setSubscription(options: SubscriptionOptions, choice: PlanChoice): Promise<Subscription> {
  const current = () => options.store.findSubscription(choice.accountId, choice.service);
  const subscription = await current();
  if (subscription !== undefined) {
    const plan = options.plans.find(choice.service, choice.plan);
    if (plan !== undefined && (await options.billing?.change(choice.accountId, plan)) === true) {
      return (await current()) ?? subscription;
    }
    return requestPlan(options, subscription, choice.plan);
  }
  try {
    return await createSubscription(options, choice);
  } catch (error) {
    const other = error instanceof StoreConflict ? await current() : undefined;
    if (other === undefined) {
      throw error;
    }
    return requestPlan(options, other, choice.plan);
  }
}

/**
 * Creates a subscription. On a free plan it is active. A paid one is pending; until it is activated, the service's first free plan is
 * active, if there is one. Rejects with a Failure if there is no such plan, and
 * with a StoreConflict if the account already has a subscription to the service.
 */
export async function createSubscription(
  { store, plans, randomness }: SubscriptionOptions,
  input: PlanChoice,
): Promise<Subscription> {
  const plan = requirePlan(plans, input.service, input.plan);
  const id = randomness.uuid();
  if (isFree(plan)) {
    return store.createSubscription({ id, ...input, state: "active" });
  }
  const free = plans.of(input.service).find(isFree);
  return store.createSubscription(
    free === undefined
      ? { id, ...input, state: "requested" }
      : { id, ...input, plan: free.name, state: "active", requestedPlan: plan.name },
  );
}

/**
 * Requests another plan. A free one is active immediately. A paid one is pending, and the active plan stays until the new one is activated.
 * Requesting the active plan withdraws an earlier request. Rejects with a Failure if there is no such plan, and with a StoreConflict if the
 * subscription is cancelled.
 */
export async function requestPlan(
  { store, plans }: SubscriptionOptions,
  subscription: Subscription,
  planName: string,
): Promise<Subscription> {
  if (planName === subscription.plan && subscription.requestedPlan !== null) {
    return store.requestPlan(subscription.id, planName);
  }
  const kept = planName === subscription.plan ? subscription.terms : undefined;
  const plan = plans.find(subscription.service, planName) ?? kept ?? requirePlan(plans, subscription.service, planName);
  return isFree(plan) ? store.activate(subscription.id, plan.name) : store.requestPlan(subscription.id, plan.name);
}

/**
 * Activates a plan: the named one, or else the pending one. Rejects with a Failure if there is no such plan, and with a StoreConflict if no
 * plan is pending or the subscription is cancelled.
 */
export async function activatePlan(
  { store, plans }: Pick<SubscriptionOptions, "store" | "plans">,
  subscription: Subscription,
  planName: string | undefined,
): Promise<Subscription> {
  const wanted = planName ?? pendingPlan(subscription);
  if (wanted === undefined) {
    throw new StoreConflict(
      `No plan of ${subscription.service} is waiting for activation; ${subscription.plan} is active. To activate another plan, name it.`,
    );
  }
  // What was requested may no longer be on offer.
  const name = wanted === pendingPlan(subscription) ? wanted : requirePlan(plans, subscription.service, wanted).name;
  return store.activate(subscription.id, name);
}

/** The pending plan, if there is one. */
export function pendingPlan(subscription: Subscription): string | undefined {
  return subscription.state === "requested" ? subscription.plan : (subscription.requestedPlan ?? undefined);
}

/** The plan on offer with this name. Rejects with a Failure that lists those that there are. */
export function requirePlan(plans: Plans, service: ServiceName, name: string): Plan {
  const plan = plans.find(service, name);
  if (plan === undefined) {
    const names = plans.of(service).map((each) => each.name);
    throw new Failure(
      invalidArgument([
        {
          field: "plan",
          description: `must be one of ${names.join(", ")} for ${service}, not "${withoutSecrets(name)}"${didYouMean(name, names)}`,
        },
      ]),
    );
  }
  return plan;
}
