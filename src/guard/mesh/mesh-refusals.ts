// Why a caller with a client certificate may not call: one function for each reason, each with a message that a person can act on.
import type { ServiceName } from "../../catalogue/service-names.ts";
import type { Problem } from "../../problem/problem.ts";
import { isoTime } from "../../runtime/iso-time.ts";
import type { AccessRefusals } from "../keys/access-refusals.ts";
import { mayCall } from "../keys/key-refusals.ts";
import { principalAccountName } from "./mesh-caller.ts";

/** The certificate identifies nobody. */
export const principalUnknown = (): Problem => ({
  reason: "KEY_MISSING",
  message:
    "The client certificate has no identity that this server knows. Send an API key in the x-gateway-key header, or ask the operator to add the certificate's SPIFFE ID or DNS name to QUINTET_MESH_PRINCIPALS.",
});

/** The certificate expired at `validUntilMs`, in milliseconds since the epoch. */
export const certificateExpired = (validUntilMs: number): Problem => ({
  reason: "KEY_EXPIRED",
  message: `The client certificate expired at ${isoTime(validUntilMs)}. Connect again with a new one.`,
});

/** The store does not have the principal's account, which every server creates when it starts: it has been deleted since then. */
export const principalWithoutAccount = (principal: string, service: ServiceName | undefined): Problem => ({
  reason: "SUBSCRIPTION_REQUIRED",
  message: `The principal ${principal} has no account. Ask the operator to restart a server: it creates the account at startup.`,
  ...(service !== undefined && { metadata: { service } }),
});

/** Why a principal with an account has no access. */
export function principalRefusals(principal: string): AccessRefusals {
  const account = principalAccountName(principal);
  const credential = `The credential of the principal ${principal}`;
  const recreate = `Ask the operator to delete the account ${account} and to restart a server: it creates the account again at startup.`;
  return {
    revoked: () => ({ reason: "KEY_REVOKED", message: `${credential} has been revoked. ${recreate}` }),
    disabled: () => ({
      reason: "KEY_REVOKED",
      message: `${credential} is disabled. Ask the operator to enable the key of the account ${account}.`,
    }),
    expired: (expiresAtMs) => ({ reason: "KEY_EXPIRED", message: `${credential} expired at ${isoTime(expiresAtMs)}. ${recreate}` }),
    outOfScope: (service, services) => ({
      reason: "KEY_SERVICE_REFUSED",
      message: `${credential} ${mayCall(service, services)}. Ask the operator to allow ${service}.`,
      metadata: { service },
    }),
    suspended: (service) => ({
      reason: "SUBSCRIPTION_REQUIRED",
      message: `The account of the principal ${principal} is suspended. Ask the operator to lift the suspension of ${account}.`,
      metadata: { service },
    }),
    notSubscribed: (service) => ({
      reason: "SUBSCRIPTION_REQUIRED",
      message: `The principal ${principal} has no plan for ${service}. Ask the operator to add one to QUINTET_MESH_PRINCIPALS.`,
      metadata: { service },
    }),
    notActivated: (service, plan) => ({
      reason: "SUBSCRIPTION_REQUIRED",
      message: `The plan of the principal ${principal} for ${service}, ${plan}, is not active yet. Ask the operator to activate it.`,
      metadata: { service, plan },
    }),
    unpaid: (service, plan) => ({
      reason: "PAYMENT_FAILED",
      message: `The plan of the principal ${principal} for ${service}, ${plan}, ended because a payment failed. Ask the operator for a plan.`,
      metadata: { service, plan },
    }),
  };
}
