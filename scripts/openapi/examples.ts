// A problem of each reason that a REST caller can meet on a path that exists, as the server's own code says it.
import {
  accountSuspended,
  noMail,
  operatorRequired,
  originRefused,
  sessionInvalid,
  sessionMissing,
  signInFailed,
  stateForbids,
  storeUnavailable,
  tooManyAttempts,
  tooManyCalls,
  tooManyPublicCalls,
} from "../../src/account/refusals.ts";
import { LEAST_ENTITLEMENTS } from "../../src/catalogue/entitlements.ts";
import type { Plan } from "../../src/catalogue/plan.ts";
import { DEFAULT_HTTP_LIMITS } from "../../src/config/http-limits.ts";
import { isGzip } from "../../src/gateway/rpc/compression.ts";
import { BODY_BYTES_MAX } from "../../src/gateway/session/account-services.ts";
import { keyExpired, keyMissing, keyRevoked, keyUnknown, notSubscribed } from "../../src/guard/keys/key-refusals.ts";
import { dayAt } from "../../src/guard/quota/month.ts";
import { limitsUnavailable, quotaExceeded, rateLimited, shuttingDown } from "../../src/guard/refusals.ts";
import { noRoomForBody } from "../../src/http/body-budget.ts";
import { bodyTooLarge } from "../../src/http/request-body.ts";
import { headersTooLarge, uriTooLong } from "../../src/http/request-head.ts";
import { Failure } from "../../src/problem/failure.ts";
import { internalProblem, invalidArgument, type Problem } from "../../src/problem/problem.ts";
import type { Access } from "./access.ts";

/** When the examples were made, in milliseconds since the epoch. */
export const NOW_MS = Date.UTC(2026, 10, 21, 12);

const TODAY = dayAt(NOW_MS);
const FREE: Plan = {
  service: "radio",
  name: "free",
  priceMinor: 0,
  currency: "EUR",
  callsPerMonth: 20_000,
  requestsPerSecond: 5,
  entitlements: LEAST_ENTITLEMENTS,
};

function encodingFault(encoding: string, limits: { readonly takesGzip: boolean }): Problem {
  try {
    isGzip(encoding, limits);
  } catch (thrown) {
    if (thrown instanceof Failure) {
      return thrown.problem;
    }
    throw thrown;
  }
  throw new Error(`${encoding} is taken`);
}

const LIMIT = { field: "limit", description: 'must be a whole number from 1 to 100, not "ten"' };

/** What the callers of all services can meet. */
export const EXAMPLES_OF_ALL: readonly Problem[] = [
  invalidArgument([LIMIT]),
  { reason: "MALFORMED_REQUEST", message: "The path's percent-encoding is not valid UTF-8 text." },
  { reason: "NOT_ACCEPTABLE", message: "The answer is application/json, which the accept header does not take." },
  { reason: "REQUEST_TIMEOUT", message: "The body did not arrive within 20000 ms." },
  { reason: "LENGTH_REQUIRED", message: "A GET with a body must say its length in content-length." },
  uriTooLong(DEFAULT_HTTP_LIMITS),
  {
    reason: "UNSUPPORTED_MEDIA_TYPE",
    message: "The body must be application/json or application/x-www-form-urlencoded; say which in content-type.",
  },
  headersTooLarge(DEFAULT_HTTP_LIMITS),
  noRoomForBody().fault,
  shuttingDown(),
  { reason: "DEADLINE_EXCEEDED", message: "The call took longer than its deadline of 30000 ms; it was not counted." },
  internalProblem(undefined),
];

// The account services take short bodies only, and none that is compressed.
const BODY_OF_ACCOUNT: readonly Problem[] = [bodyTooLarge(BODY_BYTES_MAX).fault, encodingFault("gzip", { takesGzip: false })];

/** What those can meet besides who call with a key, with a session, or with nothing. */
export const EXAMPLES: Readonly<Record<Access, readonly Problem[]>> = {
  key: [
    bodyTooLarge(DEFAULT_HTTP_LIMITS.bodyBytesMax).fault,
    encodingFault("br", { takesGzip: true }),
    keyMissing(),
    keyUnknown(),
    keyExpired(NOW_MS),
    keyRevoked(),
    notSubscribed("radio", true),
    {
      reason: "PLAN_LIMIT",
      message:
        "Your plan includes up to 3 tokens in one call, and 5 were asked for: ask for fewer at a time, or take a larger plan: GET /account/v1/plans?service=token-price lists them.",
    },
    rateLimited(FREE, 200),
    quotaExceeded(FREE, TODAY, TODAY.monthEndMs - NOW_MS),
    {
      reason: "NOT_FOUND",
      message: "The radio directory has no station with the uuid 5b0c3a2e-7f0e-4a51-9b7c-0d6f5a3e9c11.",
    },
    limitsUnavailable("radio", FREE),
    { reason: "UPSTREAM_FAILED", message: "The radio directory did not answer as it should; the call was not counted." },
  ],
  session: [
    ...BODY_OF_ACCOUNT,
    sessionMissing(),
    sessionInvalid(),
    originRefused(),
    accountSuspended(),
    { reason: "NOT_FOUND", message: "The account has no key with the id 5b0c3a2e-7f0e-4a51-9b7c-0d6f5a3e9c11." },
    stateForbids("key_id", "The key 5b0c3a2e-7f0e-4a51-9b7c-0d6f5a3e9c11 is revoked, which is final; make a new one."),
    tooManyCalls(100),
    storeUnavailable(),
  ],
  operator: [
    ...BODY_OF_ACCOUNT,
    sessionMissing(),
    sessionInvalid(),
    originRefused(),
    accountSuspended(),
    operatorRequired(),
    { reason: "NOT_FOUND", message: "There is no account with the id 5b0c3a2e-7f0e-4a51-9b7c-0d6f5a3e9c11." },
    stateForbids("subscription_id", "No plan of farkle waits to be activated; free is in force."),
    tooManyCalls(200),
    storeUnavailable(),
  ],
  public: [...BODY_OF_ACCOUNT, tooManyPublicCalls(100), storeUnavailable()],
  nothing: [...BODY_OF_ACCOUNT, signInFailed(), originRefused(), noMail(), tooManyAttempts(12_000), storeUnavailable()],
};
