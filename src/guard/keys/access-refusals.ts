// Why a known caller has no access. The reasons are the same for keys and for mesh principals; the messages differ.
import type { AccessRefusal } from "@quintet/guard";
import type { ServiceName } from "../../catalogue/service-names.ts";
import type { Problem } from "../../problem/problem.ts";
import {
  accountSuspended,
  keyDisabled,
  keyExpired,
  keyOutOfScope,
  keyRevoked,
  notSubscribed,
  subscriptionPending,
  subscriptionUnpaid,
} from "./key-refusals.ts";

/** One problem for each reason. */
export interface AccessRefusals {
  revoked(): Problem;
  disabled(keyId: string): Problem;
  /** `expiresAtMs` is in milliseconds since the epoch. */
  expired(expiresAtMs: number): Problem;
  /** The caller may only call `services`. */
  outOfScope(service: ServiceName, services: readonly ServiceName[]): Problem;
  suspended(service: ServiceName): Problem;
  /** `freePlan`: the free one that the customer could simply choose. */
  notSubscribed(service: ServiceName, freePlan: string | undefined): Problem;
  notActivated(service: ServiceName, plan: string): Problem;
  unpaid(service: ServiceName, plan: string): Problem;
}

/** The refusals of callers with an API key. */
export const KEY_REFUSALS: AccessRefusals = {
  revoked: keyRevoked,
  disabled: keyDisabled,
  expired: keyExpired,
  outOfScope: keyOutOfScope,
  suspended: accountSuspended,
  notSubscribed,
  notActivated: subscriptionPending,
  unpaid: subscriptionUnpaid,
};

/** A refusal as the problem that its caller gets. `freePlan` finds the free plan that the customer could simply choose. */
export function problemOf(refusal: AccessRefusal, refusals: AccessRefusals, freePlan?: () => string | undefined): Problem {
  switch (refusal.reason) {
    case "KEY_REVOKED":
      return refusals.revoked();
    case "KEY_DISABLED":
      return refusals.disabled(refusal.keyId);
    case "KEY_EXPIRED":
      return refusals.expired(refusal.expiresAtMs);
    case "SERVICE_REFUSED":
      return refusals.outOfScope(refusal.service as ServiceName, refusal.services as readonly ServiceName[]);
    case "ACCOUNT_SUSPENDED":
      return refusals.suspended(refusal.service as ServiceName);
    case "SUBSCRIPTION_REQUIRED":
      return refusals.notSubscribed(refusal.service as ServiceName, freePlan?.());
    case "SUBSCRIPTION_PENDING":
      return refusals.notActivated(refusal.service as ServiceName, refusal.plan);
    case "PAYMENT_FAILED":
      return refusals.unpaid(refusal.service as ServiceName, refusal.plan);
  }
}
