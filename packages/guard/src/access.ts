// What a key may call, apart from rates and quotas.
import type { Refusal } from "./refusal.ts";

/** What a subscription includes. */
export interface Plan {
  readonly name: string;
  /** The rate; a second's worth may come at once. */
  readonly requestsPerSecond: number;
  /** The calls of a calendar month, UTC. */
  readonly callsPerMonth: number;
}

/** An account's subscription to a service. `requested`: not active yet. `unpaid`: ended because it was not paid. */
export interface Subscription<OwnPlan extends Plan = Plan> {
  readonly id: string;
  readonly service: string;
  readonly plan: OwnPlan;
  readonly state: "active" | "requested" | "unpaid";
}

/** Everything about a key that decides whether it may be used. */
export interface KeyRecord<OwnPlan extends Plan = Plan> {
  readonly id: string;
  readonly accountId: string;
  /** `revoked` is permanent; `disabled` is until its owner enables it. */
  readonly state: "enabled" | "disabled" | "revoked";
  /** In milliseconds since the epoch; Infinity if it does not expire. */
  readonly expiresAtMs: number;
  /** The services that it may call; null for all. */
  readonly services: readonly string[] | null;
  /** Whether the whole account is suspended. */
  readonly isSuspended: boolean;
  /** The subscriptions of its account, at most one for each service. */
  readonly subscriptions: readonly Subscription<OwnPlan>[];
}

/** Why a key may not be used for anything at `nowMs` since the epoch; undefined if it may. */
export function unusable({ id, state, expiresAtMs }: Pick<KeyRecord, "id" | "state" | "expiresAtMs">, nowMs: number) {
  if (state !== "enabled") {
    return { reason: state === "revoked" ? "KEY_REVOKED" : "KEY_DISABLED", keyId: id } as const;
  }
  return nowMs >= expiresAtMs ? ({ reason: "KEY_EXPIRED", keyId: id, expiresAtMs } as const) : undefined;
}

/** The active subscription to a service of a key that may be used, or why there is none. */
export function subscriptionOf<OwnPlan extends Plan>(
  { services, isSuspended, subscriptions }: Pick<KeyRecord<OwnPlan>, "services" | "isSuspended" | "subscriptions">,
  service: string,
): Subscription<OwnPlan> | AccessRefusal {
  if (services !== null && !services.includes(service)) {
    return { reason: "SERVICE_REFUSED", service, services };
  }
  if (isSuspended) {
    return { reason: "ACCOUNT_SUSPENDED", service };
  }
  const subscription = subscriptions.find((one) => one.service === service);
  if (subscription === undefined) {
    return { reason: "SUBSCRIPTION_REQUIRED", service };
  }
  const { state, plan } = subscription;
  if (state === "active") {
    return subscription;
  }
  return { reason: state === "unpaid" ? "PAYMENT_FAILED" : "SUBSCRIPTION_PENDING", service, plan: plan.name };
}

/** Why a known key has no access, as `unusable` and `subscriptionOf` return it. */
export type AccessRefusal = Extract<
  Refusal,
  {
    reason:
      | "KEY_REVOKED"
      | "KEY_DISABLED"
      | "KEY_EXPIRED"
      | "SERVICE_REFUSED"
      | "ACCOUNT_SUSPENDED"
      | "SUBSCRIPTION_REQUIRED"
      | "SUBSCRIPTION_PENDING"
      | "PAYMENT_FAILED";
  }
>;
