// The error answers of the REST operations: one for each status, with an example for each reason, written by the server's own code.
import { dayAt } from "../../src/guard/month.ts";
import type { Plan } from "../../src/guard/plan.ts";
import {
  keyExpired,
  keyMissing,
  keyRevoked,
  keyUnknown,
  limitsUnavailable,
  notSubscribed,
  quotaExceeded,
  rateLimited,
  shuttingDown,
} from "../../src/guard/refusals.ts";
import { internalProblem, invalidArgument, type Problem } from "../../src/problem/problem.ts";
import { REASONS, type Reason } from "../../src/problem/reason.ts";
import { writeProblem } from "../../src/rest/respond.ts";
import { defaultServerLimits } from "../../src/server/limits.ts";
import { headersTooLarge, uriTooLong } from "../../src/server/request-head.ts";
import type { Schema } from "./schema.ts";

const NOW_MS = Date.UTC(2026, 10, 21, 12);
const TODAY = dayAt(NOW_MS);
const REQUEST_ID = "5b0c3a2e-7f0e-4a51-9b7c-0d6f5a3e9c11";

const FREE: Plan = {
  service: "radio",
  name: "free",
  priceMinor: 0,
  currency: "EUR",
  callsPerMonth: 20_000,
  requestsPerSecond: 5,
  entitlements: { tokensPerCallMax: 3, farkleBreakdown: false },
};

const LIMIT = { field: "limit", description: "must be greater than or equal to 1 and less than or equal to 100" };

/** A problem of each reason that a REST caller can meet on a path that exists. */
const EXAMPLES: readonly Problem[] = [
  keyMissing(),
  keyUnknown(),
  keyExpired(NOW_MS),
  keyRevoked(),
  notSubscribed("radio", true),
  {
    reason: "PLAN_LIMIT",
    message: "Your plan includes up to 3 tokens in one call, and 5 were asked for: ask for fewer at a time, or take a larger plan.",
  },
  rateLimited(FREE, 200),
  quotaExceeded(FREE, TODAY, TODAY.monthEndMs - NOW_MS),
  invalidArgument([LIMIT]),
  { reason: "MALFORMED_REQUEST", message: "The path's percent-encoding is not valid UTF-8 text." },
  {
    reason: "NOT_FOUND",
    message: "The radio directory has no station with the uuid 5b0c3a2e-7f0e-4a51-9b7c-0d6f5a3e9c11.",
  },
  { reason: "NOT_ACCEPTABLE", message: "The answer is application/json, which the accept header does not take." },
  { reason: "REQUEST_TIMEOUT", message: "The body did not arrive within 20000 ms." },
  { reason: "LENGTH_REQUIRED", message: "A GET with a body must say its length in content-length." },
  { reason: "BODY_TOO_LARGE", message: "The body is longer than 65536 bytes." },
  uriTooLong(defaultServerLimits),
  {
    reason: "UNSUPPORTED_MEDIA_TYPE",
    message: "The body must be application/json or application/x-www-form-urlencoded; say which in content-type.",
  },
  { reason: "ENCODING_UNKNOWN", message: "The request's compression is not known here; use gzip, identity or none." },
  headersTooLarge(defaultServerLimits),
  limitsUnavailable("radio", FREE),
  shuttingDown(),
  { reason: "UPSTREAM_FAILED", message: "The radio directory did not answer as it should; the call was not counted." },
  { reason: "DEADLINE_EXCEEDED", message: "The call took longer than its deadline of 30000 ms; it was not counted." },
  internalProblem(undefined),
];

const statusOf = ({ reason }: Problem): number => REASONS[reason].httpStatus;

const bodyOf = (problem: Problem): Schema => JSON.parse(writeProblem(problem, { nowMs: NOW_MS, requestId: REQUEST_ID }).body);

/** Status → the answer, for `components.responses`. */
export function errorResponses(): Record<string, Schema> {
  const statuses = [...new Set(EXAMPLES.map(statusOf))].toSorted();
  return Object.fromEntries(
    statuses.map((status) => {
      const here = EXAMPLES.filter((problem) => statusOf(problem) === status);
      return [
        `Error${status}`,
        {
          description: here.map(({ reason, message }) => `\`${reason}\`: ${message}`).join("\n\n"),
          ...((status === 429 || status === 503) && {
            headers: { "Retry-After": { description: "Seconds to wait.", schema: { type: "integer" } } },
          }),
          content: {
            "application/json": {
              schema: { $ref: "#/components/schemas/Error" },
              examples: Object.fromEntries(here.map((problem) => [problem.reason, { value: bodyOf(problem) }])),
            },
          },
        },
      ];
    }),
  );
}

/** Met only where an operation's or its service's comment names them, or where a GET has a body. */
const SOMEWHERE: readonly Reason[] = ["PLAN_LIMIT", "NOT_FOUND", "UPSTREAM_FAILED", "LENGTH_REQUIRED"];

/** The error statuses of one operation. */
export function errorStatusesOf(comments: string, isGet: boolean): readonly number[] {
  const here = EXAMPLES.filter(
    ({ reason }) => !SOMEWHERE.includes(reason) || comments.includes(reason) || (isGet && reason === "LENGTH_REQUIRED"),
  );
  return [...new Set(here.map(statusOf))].toSorted();
}

/** The error envelope. */
export const errorSchema: Schema = {
  type: "object",
  description: "Every failure has this shape, those of the transport included.",
  required: ["data", "meta", "status", "message", "success", "error"],
  properties: {
    data: { type: "null" },
    meta: { $ref: "#/components/schemas/Meta" },
    status: { const: "error" },
    message: { type: "string", description: "A sentence that a person can act on." },
    success: { const: false },
    error: {
      type: "object",
      required: ["reason", "code", "details"],
      properties: {
        reason: {
          type: "string",
          description: "A word from the closed table of reasons, for programs.",
          enum: Object.keys(REASONS),
        },
        code: { type: "string", description: "The canonical RPC code's name, upper case." },
        details: {
          type: "array",
          description: "google.rpc messages: ErrorInfo first, then BadRequest, QuotaFailure or RetryInfo where they apply.",
          items: { type: "object", required: ["@type"], properties: { "@type": { type: "string" } }, additionalProperties: true },
        },
      },
    },
  },
};
