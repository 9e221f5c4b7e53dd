// What the guard says when it refuses: one function for each reason, each text a sentence that a person can act on. No text holds a
// key, and the texts for keys do not tell whether a key that is refused was ever anybody's.

import type { Plan } from "../catalogue/plan.ts";
import type { ServiceName } from "../catalogue/service-names.ts";
import type { Problem } from "../problem/problem.ts";
import type { Day } from "./quota/month.ts";

const RETRY_SOON_MS = 1000;

// Not Intl.ListFormat, which loads the tables of all languages: 7 MB, and at the start some 50 ms.
const listed = (names: readonly string[]): string =>
  names.length > 2 ? `${names.slice(0, -1).join(", ")}, and ${names.at(-1)}` : names.join(" and ");
const wholeSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));
const iso = (ms: number): string => new Date(ms).toISOString().replace(".000Z", "Z");

/** There is no key. */
export const keyMissing = (): Problem => ({
  reason: "KEY_MISSING",
  message: "Send your API key in the x-gateway-key header. To get one, POST /account/v1/sign-up, then POST /account/v1/keys.",
});

/** What was sent is not a key. `message` says what is wrong with it. */
export const keyMalformed = (message: string): Problem => ({ reason: "KEY_INVALID", message });

/** It is a sandbox's key, and this server is none. */
export const keyOfSandbox = (): Problem => ({
  reason: "KEY_INVALID",
  message:
    "This is the key of a sandbox, qk_test_…, which this server does not take. Send one of its own, which begins with qk_live_.",
});

/** It has the form of a key, and nobody has it. */
export const keyUnknown = (): Problem => ({
  reason: "KEY_INVALID",
  message: "The API key is not known. Check that it was copied whole, or make a new one: POST /account/v1/keys.",
});

/** The key is good, but not for this service. */
export function keyOutOfScope(service: ServiceName, services: readonly ServiceName[]): Problem {
  const may = services.length === 0 ? "may not call any service" : `may call ${listed(services)}, not ${service}`;
  return {
    reason: "KEY_INVALID",
    message: `This API key ${may}. Use a key that may call ${service}.`,
    metadata: { service },
  };
}

/** The key is revoked, for good. */
export const keyRevoked = (): Problem => ({
  reason: "KEY_REVOKED",
  message: "This API key has been revoked. Use another one, or make a new one: POST /account/v1/keys.",
});

/** The key is disabled, until its owner enables it. */
export const keyDisabled = (): Problem => ({
  reason: "KEY_REVOKED",
  message: 'This API key is disabled. Use another one, or enable it: PATCH /account/v1/keys/KEY_ID {"disabled":false}.',
});

/** The key was good until `expiresAtMs`, in milliseconds since the epoch. */
export const keyExpired = (expiresAtMs: number): Problem => ({
  reason: "KEY_EXPIRED",
  message: `This API key expired at ${iso(expiresAtMs)}. Use another one, or make a new one: POST /account/v1/keys.`,
});

/** The whole account is suspended. */
export const accountSuspended = (service: ServiceName): Problem => ({
  reason: "SUBSCRIPTION_REQUIRED",
  message: "This account is suspended. Ask the provider to lift the suspension.",
  metadata: { service },
});

/** There is no subscription to the service. `hasFreePlan`: whether the customer could simply take one. */
export function notSubscribed(service: ServiceName, hasFreePlan: boolean): Problem {
  const hint = hasFreePlan
    ? `POST /account/v1/subscriptions {"service":"${service}"} begins a free plan.`
    : `GET /account/v1/plans?service=${service} lists the plans.`;
  return {
    reason: "SUBSCRIPTION_REQUIRED",
    message: `This account has no active subscription to ${service}. ${hint}`,
    metadata: { service },
  };
}

/** There is a subscription, and the provider has not activated it. */
export const subscriptionWaits = (service: ServiceName, plan: string): Problem => ({
  reason: "SUBSCRIPTION_REQUIRED",
  message: `This account's subscription to ${service}, plan ${plan}, has not been activated by the provider yet.`,
  metadata: { service, plan },
});

/** The subscription is active on a plan that the plan file does not have. */
export const planWithdrawn = (service: ServiceName, plan: string): Problem => ({
  reason: "SUBSCRIPTION_REQUIRED",
  message: `This account's subscription to ${service} is on the plan ${plan}, which is no longer offered. GET /account/v1/plans?service=${service} lists those that are.`,
  metadata: { service, plan },
});

/** This second is used up. `waitMs`: until the next request is allowed. */
export function rateLimited(plan: Plan, waitMs: number): Problem {
  const requests = plan.requestsPerSecond === 1 ? "1 request" : `${plan.requestsPerSecond} requests`;
  return {
    reason: "RATE_LIMITED",
    message: `The ${plan.name} plan allows ${requests} per second; retry in ${wholeSeconds(waitMs)} s.`,
    retryAfterMs: Math.ceil(waitMs),
    metadata: { service: plan.service, plan: plan.name },
  };
}

/** This month is used up. `waitMs`: until it ends. */
export function quotaExceeded(plan: Plan, day: Day, waitMs: number): Problem {
  return {
    reason: "QUOTA_EXCEEDED",
    message: `The ${plan.name} plan's ${plan.callsPerMonth} calls of ${day.month} are used up; the quota resets at ${iso(day.monthEndMs)}.`,
    retryAfterMs: waitMs,
    quotaSubject: `subscription:${plan.service}`,
    metadata: { service: plan.service, plan: plan.name },
  };
}

/** The store cannot be asked, and what is needed from it is not in memory. */
export const limitsUnavailable = (service: ServiceName, plan?: Plan): Problem => ({
  reason: "LIMITS_UNAVAILABLE",
  message: `The limits of this API key cannot be checked at the moment; retry in ${wholeSeconds(RETRY_SOON_MS)} s.`,
  retryAfterMs: RETRY_SOON_MS,
  metadata: plan === undefined ? { service } : { service, plan: plan.name },
});

/** Nothing was heard of the store for so long that a key which is remembered as good may have been revoked. */
export const changesUnheard = (service: ServiceName): Problem => ({
  reason: "LIMITS_UNAVAILABLE",
  message: `Whether this API key is still good cannot be checked at the moment; retry in ${wholeSeconds(RETRY_SOON_MS)} s.`,
  retryAfterMs: RETRY_SOON_MS,
  metadata: { service },
});

/** The guard has been closed. */
export const shuttingDown = (): Problem => ({
  reason: "SHUTTING_DOWN",
  message: `The server is shutting down; retry in ${wholeSeconds(RETRY_SOON_MS)} s.`,
  retryAfterMs: RETRY_SOON_MS,
});
