// An example of each reason: by the server's own code if it is listed here, otherwise from the table of reasons.

import { bodyTooLarge, headersTooLarge, noRoomForBody, uriTooLong } from "@quintet/http";
import {
  accountMismatch,
  accountSuspended,
  noMail,
  operatorRequired,
  originRefused,
  roleRequired,
  sessionInvalid,
  sessionMissing,
  signInFailed,
  stateForbids,
  storeUnavailable,
  tooManyAttempts,
  tooManyCalls,
  tooManyPublicCalls,
} from "../../src/account/refusals.ts";
import { notFound } from "../../src/account/rpc/handlers.ts";
import { LOWEST_ENTITLEMENTS } from "../../src/catalogue/entitlements.ts";
import type { Plan } from "../../src/catalogue/plan.ts";
import { DEFAULT_HTTP_LIMITS } from "../../src/config/http-limits.ts";
import { isGzip } from "../../src/gateway/rpc/compression.ts";
import { BODY_BYTES_MAX } from "../../src/gateway/session/account-services.ts";
import { keyExpired, keyMissing, keyRevoked, keyUnknown, notSubscribed } from "../../src/guard/keys/key-refusals.ts";
import { limitsUnavailable, quotaExceeded, rateLimited, shuttingDown } from "../../src/guard/refusals.ts";
import { Failure } from "../../src/problem/failure.ts";
import { internalProblem, invalidArgument, type Problem } from "../../src/problem/problem.ts";
import { REASONS, type Reason } from "../../src/problem/reason.ts";
import type { Access } from "../../src/problem/reason-rule.ts";
import { dayAt } from "../../src/runtime/calendar.ts";

/** The time at which the examples are set, in milliseconds since the epoch. */
export const NOW_MS = Date.UTC(2026, 10, 21, 12);

const RETRY_AFTER_MS = 1000;
const SOME_ID = "5b0c3a2e-7f0e-4a51-9b7c-0d6f5a3e9c11";
const TODAY = dayAt(NOW_MS);
const FREE: Plan = {
  id: "radio/free/1",
  service: "radio",
  name: "free",
  priceMinor: 0,
  currency: "EUR",
  callsPerMonth: 20_000,
  requestsPerSecond: 5,
  entitlements: LOWEST_ENTITLEMENTS,
};

function encodingFault(encoding: string, limits: { readonly allowsGzip: boolean }): Problem {
  try {
    isGzip(encoding, limits);
  } catch (thrown) {
    if (thrown instanceof Failure) {
      return thrown.problem;
    }
    throw thrown;
  }
  throw new Error(`${encoding} is accepted`);
}

const LIMIT = { field: "limit", description: 'must be a whole number from 1 to 100, not "ten"' };

const OF_ALL: readonly Problem[] = [
  invalidArgument([LIMIT]),
  uriTooLong(DEFAULT_HTTP_LIMITS),
  headersTooLarge(DEFAULT_HTTP_LIMITS),
  noRoomForBody().fault,
  shuttingDown(),
  internalProblem(undefined),
];

// The account services accept only short bodies, and no compressed ones.
const OF_ACCOUNTS: readonly Problem[] = [
  bodyTooLarge(BODY_BYTES_MAX).fault,
  encodingFault("gzip", { allowsGzip: false }),
  sessionMissing(),
  sessionInvalid(),
  signInFailed(),
  originRefused(),
  accountMismatch(),
  accountSuspended(),
  roleRequired("developer", "reader"),
  operatorRequired(),
  storeUnavailable(),
];

// If a reason has several, the first is used.
const FROM_SERVER: Readonly<Record<Access, readonly Problem[]>> = {
  key: [
    bodyTooLarge(DEFAULT_HTTP_LIMITS.bodyBytesMax).fault,
    encodingFault("br", { allowsGzip: true }),
    keyMissing(),
    keyUnknown(),
    keyExpired(NOW_MS),
    keyRevoked(),
    notSubscribed("radio", "free"),
    rateLimited(FREE, 200),
    quotaExceeded(FREE, TODAY, TODAY.monthEndMs - NOW_MS),
    limitsUnavailable("radio", FREE),
    ...OF_ALL,
  ],
  session: [
    notFound("key", SOME_ID).problem,
    stateForbids("key_id", `The key ${SOME_ID} is revoked, which is final; create a new one.`),
    tooManyCalls(100),
    ...OF_ACCOUNTS,
    ...OF_ALL,
  ],
  operator: [
    { reason: "NOT_FOUND", message: `There is no account with the ID ${SOME_ID}.` },
    stateForbids("subscription_id", "No plan of farkle is waiting for activation; free is active."),
    tooManyCalls(200),
    ...OF_ACCOUNTS,
    ...OF_ALL,
  ],
  public: [tooManyPublicCalls(100), ...OF_ACCOUNTS, ...OF_ALL],
  nothing: [noMail(), tooManyAttempts(12_000), ...OF_ACCOUNTS, ...OF_ALL],
};

/** The example for a caller with this access. */
export function exampleOf(reason: Reason, access: Access): Problem {
  const { when, example = when, retry } = REASONS[reason];
  const created = FROM_SERVER[access].find((problem) => problem.reason === reason);
  return created ?? { reason, message: example, ...(retry && { retryAfterMs: RETRY_AFTER_MS }) };
}
