// Why a call with a valid key is refused: one function for each reason, each with a message that a person can act on. For refused keys see
// `keys/key-refusals.ts`.
import type { LimitState } from "@quintet/guard";
import type { Plan } from "../catalogue/plan.ts";
import type { ServiceName } from "../catalogue/service-names.ts";
import type { Problem } from "../problem/problem.ts";
import type { Day } from "../runtime/calendar.ts";
import { isoTime } from "../runtime/iso-time.ts";
import type { Refused } from "./guard.ts";
import type { CallerIdentity } from "./keys/access.ts";

/** The refusal of a call. `limits` are present once its subscription is known, and the key's owner once it has been looked up. */
export const refused = (problem: Problem, limits?: LimitState<Plan>, identity?: CallerIdentity): Refused => ({
  admitted: false,
  problem,
  ...(limits && { limits }),
  ...(identity && { identity }),
});

const RETRY_SOON_MS = 1000;

const wholeSeconds = (ms: number): number => Math.max(1, Math.ceil(ms / 1000));

/** The rate limit has been reached. `waitMs`: until the next request is allowed. */
export function rateLimited(plan: Plan, waitMs: number): Problem {
  const requests = plan.requestsPerSecond === 1 ? "1 request" : `${plan.requestsPerSecond} requests`;
  return {
    reason: "RATE_LIMITED",
    message: `The ${plan.name} plan allows ${requests} per second; retry in ${wholeSeconds(waitMs)} s.`,
    retryAfterMs: Math.ceil(waitMs),
    metadata: { service: plan.service, plan: plan.name },
  };
}

/** This month's calls are used up. `waitMs`: until the month ends. */
export function quotaExceeded(plan: Plan, day: Day, waitMs: number): Problem {
  return {
    reason: "QUOTA_EXCEEDED",
    message: `The ${plan.name} plan's ${plan.callsPerMonth} calls for ${day.month} are used up; the quota resets at ${isoTime(day.monthEndMs)}.`,
    retryAfterMs: waitMs,
    quotaSubject: `subscription:${plan.service}`,
    metadata: { service: plan.service, plan: plan.name },
  };
}

/** The key's own rate limit has been reached. `waitMs`: until the next request is allowed. */
export function keyRateLimited(service: ServiceName, keyId: string, requestsPerSecond: number, waitMs: number): Problem {
  const requests = requestsPerSecond === 1 ? "1 request" : `${requestsPerSecond} requests`;
  return {
    reason: "KEY_RATE_LIMITED",
    message: `This API key has its own limit of ${requests} per second; retry in ${wholeSeconds(waitMs)} s, or raise the limit: PATCH /account/v1/keys/${keyId}.`,
    retryAfterMs: Math.ceil(waitMs),
    metadata: { service },
  };
}

/** The key's own calls for this month are used up. `waitMs`: until the month ends. */
export function keyQuotaExceeded(service: ServiceName, keyId: string, callsPerMonth: number, day: Day, waitMs: number): Problem {
  const calls = callsPerMonth === 1 ? "1 call" : `${callsPerMonth} calls`;
  return {
    reason: "KEY_QUOTA_EXCEEDED",
    message: `This API key's own quota of ${calls} for ${day.month} is used up; it resets at ${isoTime(day.monthEndMs)}. To raise it: PATCH /account/v1/keys/${keyId}.`,
    retryAfterMs: waitMs,
    quotaSubject: `key:${keyId}`,
    metadata: { service },
  };
}

/** The store cannot be reached, and what is needed from it is not in memory. */
export const limitsUnavailable = (service: ServiceName | undefined, plan?: Plan): Problem => ({
  reason: "LIMITS_UNAVAILABLE",
  message: `The limits of this API key cannot be checked at the moment; retry in ${wholeSeconds(RETRY_SOON_MS)} s.`,
  retryAfterMs: RETRY_SOON_MS,
  ...(service !== undefined && { metadata: plan === undefined ? { service } : { service, plan: plan.name } }),
});

/** The store was silent for so long that a cached key may have been revoked in the meantime. */
export const keyStatusUnknown = (service: ServiceName | undefined): Problem => ({
  reason: "LIMITS_UNAVAILABLE",
  message: `This API key cannot be validated at the moment; retry in ${wholeSeconds(RETRY_SOON_MS)} s.`,
  retryAfterMs: RETRY_SOON_MS,
  ...(service !== undefined && { metadata: { service } }),
});

/** The guard has been closed. */
export const shuttingDown = (): Problem => ({
  reason: "SHUTTING_DOWN",
  message: `The server is shutting down; retry in ${wholeSeconds(RETRY_SOON_MS)} s.`,
  retryAfterMs: RETRY_SOON_MS,
});
