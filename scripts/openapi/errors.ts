// The error answers of the REST operations: one for each status, with an example for each reason, from the server's own table.
import { CODE_NAMES } from "../../src/problem/code.ts";
import { REASONS, type Reason } from "../../src/problem/reason.ts";
import type { Schema } from "./schema.ts";

/** A sentence of each reason that a REST caller can meet on a path that exists, and the details that come with it. */
const EXAMPLES = {
  KEY_MISSING: { message: "Send your API key in the x-gateway-key header." },
  KEY_INVALID: { message: "The key in the x-gateway-key header is not a valid API key." },
  KEY_EXPIRED: { message: "This API key has expired." },
  KEY_REVOKED: { message: "This API key has been revoked." },
  SUBSCRIPTION_REQUIRED: { message: "This account has no active subscription to radio." },
  PLAN_LIMIT: { message: "The free plan allows 3 tokens in a call." },
  RATE_LIMITED: {
    message: "The free plan allows 5 requests per second.",
    details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retry_delay: "0.200s" }],
  },
  QUOTA_EXCEEDED: {
    message: "The free plan's 20000 calls of this month are used up.",
    details: [
      {
        "@type": "type.googleapis.com/google.rpc.QuotaFailure",
        violations: [{ subject: "subscription:radio", description: "The free plan's 20000 calls of this month are used up." }],
      },
    ],
  },
  INVALID_ARGUMENT: {
    message: "limit must be from 1 to 100",
    details: [
      {
        "@type": "type.googleapis.com/google.rpc.BadRequest",
        field_violations: [{ field: "limit", description: "must be from 1 to 100" }],
      },
    ],
  },
  NOT_FOUND: { message: "There is nothing by that name." },
  NOT_ACCEPTABLE: { message: "The answer is application/json, which the accept header does not take." },
  REQUEST_TIMEOUT: { message: "The request's body did not arrive in time." },
  LENGTH_REQUIRED: { message: "A GET request with a body must say its length in the content-length header." },
  BODY_TOO_LARGE: { message: "The request is too large: at most 65536 bytes are read." },
  URI_TOO_LONG: { message: "The request's URL is too long." },
  UNSUPPORTED_MEDIA_TYPE: { message: "The body must be application/json or application/x-www-form-urlencoded." },
  HEADERS_TOO_LARGE: { message: "The request's headers are too large." },
  LIMITS_UNAVAILABLE: {
    message: "Your allowance cannot be checked at the moment.",
    details: [{ "@type": "type.googleapis.com/google.rpc.RetryInfo", retry_delay: "1s" }],
  },
  UPSTREAM_FAILED: { message: "The upstream did not answer; the call was not counted." },
  DEADLINE_EXCEEDED: { message: "The call took longer than its deadline; it was not counted." },
  INTERNAL: { message: "Something went wrong on our side; the call was not counted." },
} as const satisfies Partial<Record<Reason, { message: string; details?: readonly Schema[] }>>;

type Documented = keyof typeof EXAMPLES;

const reasons = Object.keys(EXAMPLES) as Documented[];

function exampleOf(reason: Documented): Schema {
  const { message, ...more } = EXAMPLES[reason];
  const info = { "@type": "type.googleapis.com/google.rpc.ErrorInfo", reason, domain: "quintet", metadata: {} };
  return {
    data: null,
    meta: { timestamp: "2026-11-21T12:00:00.000Z", request_id: "5b0c3a2e-7f0e-4a51-9b7c-0d6f5a3e9c11" },
    status: "error",
    message,
    success: false,
    error: {
      reason,
      code: CODE_NAMES[REASONS[reason].code].toUpperCase(),
      details: [info, ...("details" in more ? more.details : [])],
    },
  };
}

/** Status → the answer, for `components.responses`. */
export function errorResponses(): Record<string, Schema> {
  const statuses = [...new Set(reasons.map((reason) => REASONS[reason].httpStatus))].toSorted();
  return Object.fromEntries(
    statuses.map((status) => {
      const here = reasons.filter((reason) => REASONS[reason].httpStatus === status);
      return [
        `Error${status}`,
        {
          description: here.map((reason) => `\`${reason}\`: ${EXAMPLES[reason].message}`).join("\n\n"),
          ...((status === 429 || status === 503) && {
            headers: { "Retry-After": { description: "Seconds to wait.", schema: { type: "integer" } } },
          }),
          content: {
            "application/json": {
              schema: { $ref: "#/components/schemas/Error" },
              examples: Object.fromEntries(here.map((reason) => [reason, { value: exampleOf(reason) }])),
            },
          },
        },
      ];
    }),
  );
}

/** The statuses that every operation can answer with; the rest only where an operation's or its service's comment names the reason. */
const EVERYWHERE: readonly Documented[] = reasons.filter(
  (reason) => !["PLAN_LIMIT", "NOT_FOUND", "UPSTREAM_FAILED", "LENGTH_REQUIRED"].includes(reason),
);

/** The error statuses of one operation. */
export function errorStatusesOf(comments: string, isGet: boolean): readonly number[] {
  const named = reasons.filter((reason) => comments.includes(reason));
  const lengthRequired: readonly Documented[] = isGet ? ["LENGTH_REQUIRED"] : [];
  const all = [...EVERYWHERE, ...named, ...lengthRequired];
  return [...new Set(all.map((reason) => REASONS[reason].httpStatus))].toSorted();
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
