// Why a known caller has no access. The reasons are the same for keys and for mesh principals; the messages differ.
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
