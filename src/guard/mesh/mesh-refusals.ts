// Why a caller with a client certificate may not call: one function for each reason, each with a message that a person can act on.
import type { ServiceName } from "../../catalogue/service-names.ts";
import type { Problem } from "../../problem/problem.ts";
import { isoTime } from "../../runtime/iso-time.ts";

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

/** The store does not have the principal, which every server registers when it starts. */
export const principalNotReady = (principal: string, service: ServiceName | undefined): Problem =>
  principalRefused(principal, service, { reason: "SUBSCRIPTION_REQUIRED", message: "" });

/**
 * The principal may not call the service, or anything if none is named. `problem` is why its account and its internal credential may
 * not, in words for customers.
 */
export function principalRefused(principal: string, service: ServiceName | undefined, { reason }: Problem): Problem {
  if (reason !== "SUBSCRIPTION_REQUIRED") {
    return { reason, message: `The principal ${principal} is disabled. Ask the operator to enable it.` };
  }
  return {
    reason,
    message: `The principal ${principal} may not call ${service ?? "any service"}. Ask the operator for a plan in QUINTET_MESH_PRINCIPALS, or to resume the account mesh:${principal}.`,
    ...(service !== undefined && { metadata: { service } }),
  };
}
