// Why a key may not be used for a service: one function for each reason, each with a message that a person can act on. No message contains
// a key, and none reveals whether an unknown key ever belonged to anybody.
import type { ServiceName } from "../../catalogue/service-names.ts";
import type { Problem } from "../../problem/problem.ts";
import { isoTime } from "../../runtime/iso-time.ts";
import { isWebOrigin } from "../../runtime/web-origin.ts";

// Not Intl.ListFormat, which loads the tables of all languages: 7 MB, and about 50 ms at the start.
const listed = (names: readonly string[]): string =>
  names.length > 2 ? `${names.slice(0, -1).join(", ")}, and ${names.at(-1)}` : names.join(" and ");

export const keyMissing = (): Problem => ({
  reason: "KEY_MISSING",
  message:
    "Send your API key in the x-gateway-key header. To get one, sign up at /app; or POST /account/v1/sign-up, follow the link if you get an e-mail, then POST /account/v1/keys.",
});

/** The header is not a key. `message` says what is wrong with it. */
export const keyMalformed = (message: string): Problem => ({ reason: "KEY_INVALID", message });

/** The key is a sandbox's, and this server is not a sandbox. */
export const sandboxKeyRefused = (): Problem => ({
  reason: "KEY_INVALID",
  message:
    "This is a sandbox key, qk_test_…, which this server does not accept. Send one of this server's keys, which begin with qk_live_.",
});

/** The key is well formed, but nobody owns it. */
export const keyUnknown = (): Problem => ({
  reason: "KEY_INVALID",
  message: "The API key is unknown. Check that it was copied completely, or create a new one: POST /account/v1/keys.",
});

/** What the holder of a key for `services` may call instead of `service`. */
export const mayCall = (service: ServiceName, services: readonly ServiceName[]): string =>
  services.length === 0 ? "may not call any service" : `may call ${listed(services)}, not ${service}`;

/** The key is valid, but not for this service. */
export function keyOutOfScope(service: ServiceName, services: readonly ServiceName[]): Problem {
  return {
    reason: "KEY_SERVICE_REFUSED",
    message: `This API key ${mayCall(service, services)}. Use a key that may call ${service}.`,
    metadata: { service },
  };
}

/** The key is permanently revoked. */
export const keyRevoked = (): Problem => ({
  reason: "KEY_REVOKED",
  message: "This API key has been revoked. Use another one, or create a new one: POST /account/v1/keys.",
});

/** The key is disabled, until its owner enables it. */
export const keyDisabled = (keyId: string): Problem => ({
  reason: "KEY_REVOKED",
  message: `This API key is disabled. Use another one, or enable it: PATCH /account/v1/keys/${keyId} {"disabled":false}.`,
});

/** The key expired at `expiresAtMs`, in milliseconds since the epoch. */
export const keyExpired = (expiresAtMs: number): Problem => ({
  reason: "KEY_EXPIRED",
  message: `This API key expired at ${isoTime(expiresAtMs)}. Use another one, or create a new one: POST /account/v1/keys.`,
});

/** The key may not be used from this address. */
export const keyAddressRefused = (keyId: string, address: string): Problem => ({
  reason: "KEY_ADDRESS_REFUSED",
  message: `This API key may not be used from ${address}. Call from one of its allowed addresses, or add this one: PATCH /account/v1/keys/${keyId}.`,
});

/** The key may not be used by pages from this origin; undefined if the caller is not a page. */
export const keyOriginRefused = (keyId: string, origin: string | undefined): Problem => ({
  reason: "KEY_ORIGIN_REFUSED",
  message:
    origin === undefined
      ? "This API key may only be used by pages from its allowed origins, and the call has no Origin header. Use another key for calls from outside a browser."
      : `This API key may not be used by pages from ${isWebOrigin(origin) ? origin : "this origin"}. Call from a page on one of its allowed origins, or add this one: PATCH /account/v1/keys/${keyId}.`,
});

/** The whole account is suspended. */
export const accountSuspended = (service: ServiceName): Problem => ({
  reason: "SUBSCRIPTION_REQUIRED",
  message: "This account is suspended. Ask the operator to lift the suspension.",
  metadata: { service },
});

/** There is no subscription to the service. `freePlan`: the free one that the customer could simply choose. */
export function notSubscribed(service: ServiceName, freePlan: string | undefined): Problem {
  const hint =
    freePlan === undefined
      ? `GET /account/v1/plans?service=${service} lists the plans.`
      : `PUT /account/v1/subscriptions/${service} {"plan":"${freePlan}"} starts a free plan.`;
  return {
    reason: "SUBSCRIPTION_REQUIRED",
    message: `This account has no active subscription to ${service}. ${hint}`,
    metadata: { service },
  };
}

/** There is a subscription, but the provider has not activated it. */
export const subscriptionPending = (service: ServiceName, plan: string): Problem => ({
  reason: "SUBSCRIPTION_REQUIRED",
  message: `This account's subscription to ${service}, plan ${plan}, has not been activated by the operator yet.`,
  metadata: { service, plan },
});

/** There was a subscription, which ended because a payment failed. */
export const subscriptionUnpaid = (service: ServiceName, plan: string): Problem => ({
  reason: "PAYMENT_FAILED",
  message: `This account's subscription to ${service}, plan ${plan}, ended because a payment failed. Choose a plan again at /app/subscriptions.`,
  metadata: { service, plan },
});
