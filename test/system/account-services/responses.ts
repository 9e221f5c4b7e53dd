// The expected outcome of a call, defined once and converted to each protocol, as the whole response that the client should see.
import { type DescMethodUnary, getOption, type JsonObject } from "@bufbuild/protobuf";
import { rulesOf } from "@quintet/transcoding";
import { expect } from "vitest";
import { success_message } from "../../../gen/quintet/options/v1/options_pb.js";
import { ALERT_TYPES } from "../../../src/store/alert-records.ts";
import type { Seen } from "../matrix/seen.ts";
import type { Client } from "./clients.ts";

/** The id that every call sends and should get back. */
export const REQUEST_ID = "0a3c56d8-7d06-4f0e-9f67-2b1c1f6f0d55";

/** A time. */
export const A_TIME: unknown = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{3})?Z$/);
/** A UUID. */
export const AN_ID: unknown = expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
/** A session's token. */
export const A_TOKEN: unknown = expect.stringMatching(/^[0-9A-Za-z]{32}$/);
/** An API key. */
export const A_KEY: unknown = expect.stringMatching(/^qk_live_[0-9A-Za-z]{38}$/);

/** Headers of the account services' responses, besides those of every response. */
export const OF_ACCOUNT = { "cache-control": "no-store" };
/** The same for a data service's responses to a caller with a known subscription. */
export const OF_DATA = { "cache-control": "private", ratelimit: expect.any(String), "ratelimit-policy": expect.any(String) };

/** Headers of every response to a page, besides those. */
export const TO_PAGE = { "access-control-allow-origin": "*", "access-control-expose-headers": expect.any(String) };

/** A whole number of milliseconds. */
export const MILLISECONDS: unknown = expect.toSatisfy((ms: unknown) => Number.isInteger(ms) && Number(ms) >= 0);
/** The settings of an account that has changed none. */
export const SETTINGS = { alerts: { mailed: ALERT_TYPES.map((type) => type.replace(".", "_")) }, logs_parameters: false };
const META = { timestamp: A_TIME, request_id: REQUEST_ID };

function contentHeaders({ name, protocol }: Client, ok: boolean): Record<string, string> {
  switch (protocol) {
    case "rest":
      return { "content-type": "application/json; charset=utf-8", "x-content-type-options": "nosniff" };
    case "connect":
      return { "content-type": ok && name === "Connect binary" ? "application/proto" : "application/json" };
    case "grpc-web":
      return { "content-type": "application/grpc-web+proto" };
    case "grpc":
      return { "content-type": "application/grpc+proto" };
  }
}

/** The response to a call that succeeds. `output` is the whole output message, with the proto's names. */
export function succeeded(client: Client, method: DescMethodUnary, output: object, headers: object = OF_ACCOUNT): unknown {
  const own = { ...contentHeaders(client, true), "x-request-id": REQUEST_ID, ...headers };
  if (client.protocol !== "rest") {
    return { code: "ok", headers: own, body: output, trailers: {} };
  }
  const [{ responseBody } = { responseBody: "" }] = rulesOf(method);
  const message = getOption(method, success_message);
  const data = responseBody === "" ? output : (output as JsonObject)[responseBody];
  return { status: 200, code: "ok", headers: own, body: { data, meta: META, status: "ok", message, success: true } };
}

// Reason → RPC code and REST status.
const REASONS = {
  SESSION_MISSING: ["unauthenticated", 401],
  SESSION_INVALID: ["unauthenticated", 401],
  SIGN_IN_FAILED: ["unauthenticated", 401],
  ORIGIN_REFUSED: ["permission_denied", 403],
  ACCOUNT_MISMATCH: ["permission_denied", 403],
  ACCOUNT_SUSPENDED: ["permission_denied", 403],
  OPERATOR_REQUIRED: ["permission_denied", 403],
  ROLE_REQUIRED: ["permission_denied", 403],
  INVALID_ARGUMENT: ["invalid_argument", 400],
  NOT_FOUND: ["not_found", 404],
  FAILED_PRECONDITION: ["failed_precondition", 409],
  RATE_LIMITED: ["resource_exhausted", 429],
  KEY_INVALID: ["unauthenticated", 401],
  KEY_SERVICE_REFUSED: ["permission_denied", 403],
  KEY_REVOKED: ["unauthenticated", 401],
  SUBSCRIPTION_REQUIRED: ["permission_denied", 402],
} as const;

/** A failure. */
export interface Expected {
  readonly reason: keyof typeof REASONS;
  readonly message: string;
  readonly metadata?: Readonly<Record<string, string>>;
  /** The invalid fields, each with its error. */
  readonly violations?: readonly { readonly field: string; readonly description: string }[];
  /** What is in the wrong state. */
  readonly preconditionSubject?: string;
  /** When the caller may retry, in seconds. */
  readonly retryAfterS?: number;
}

/** Bad input, with the message made from its violations. */
export const badInput = (...violations: readonly { readonly field: string; readonly description: string }[]): Expected => ({
  reason: "INVALID_ARGUMENT",
  message: violations.map(({ field, description }) => `${field} ${description}`).join("; "),
  violations,
});

/** A call that the state of `subject` forbids, with the sentence that explains it. */
export const forbidden = (subject: string, message: string): Expected => ({
  reason: "FAILED_PRECONDITION",
  message,
  preconditionSubject: subject,
});

const type = (name: string): string => `type.googleapis.com/google.rpc.${name}`;

function detailsOf({ reason, message, metadata, violations, preconditionSubject: subject, retryAfterS }: Expected): unknown[] {
  return [
    { "@type": type("ErrorInfo"), reason, domain: "quintet.example", ...(metadata && { metadata }) },
    ...(violations === undefined ? [] : [{ "@type": type("BadRequest"), field_violations: violations }]),
    ...(subject === undefined
      ? []
      : [{ "@type": type("PreconditionFailure"), violations: [{ type: "STATE", subject, description: message }] }]),
    ...(retryAfterS === undefined
      ? []
      : [{ "@type": type("RetryInfo"), retry_delay: `${Number.isInteger(retryAfterS) ? retryAfterS : retryAfterS.toFixed(3)}s` }]),
  ];
}

const CHALLENGES: Partial<Record<Expected["reason"], string>> = {
  SESSION_MISSING: 'Bearer realm="quintet"',
  SESSION_INVALID: 'Bearer realm="quintet", error="invalid_token"',
  SIGN_IN_FAILED: 'Bearer realm="quintet"',
};

/** The response to a call that fails. */
export function failed(client: Client, expected: Expected, headers: object = OF_ACCOUNT): unknown {
  const { reason, message, retryAfterS } = expected;
  const [code, status] = REASONS[reason];
  const own = {
    ...contentHeaders(client, false),
    "x-request-id": REQUEST_ID,
    ...headers,
    link: `</errors/${reason}>; rel="help"`,
    ...(status === 401 &&
      (client.protocol === "rest" || client.protocol === "connect") && {
        "www-authenticate": CHALLENGES[reason] ?? 'ApiKey realm="quintet", header="x-gateway-key"',
      }),
    ...(retryAfterS !== undefined && { "retry-after": String(Math.ceil(retryAfterS)) }),
    ...(retryAfterS !== undefined &&
      (client.protocol === "grpc" || client.protocol === "grpc-web") && {
        "grpc-retry-pushback-ms": String(Math.ceil(retryAfterS * 1000)),
      }),
  };
  const details = detailsOf(expected);
  if (client.protocol !== "rest") {
    return { code, headers: own, body: undefined, message, details };
  }
  const error = { reason, code: code.toUpperCase(), details };
  const body = { data: null, meta: META, status: "error", message, success: false, error };
  return { status, code: code.toUpperCase(), headers: own, body };
}

/** The output message of a response that succeeded, with the proto's names. */
export function outputOf<Output>({ protocol }: Client, method: DescMethodUnary, { body }: Seen): Output {
  if (protocol !== "rest") {
    return body as Output;
  }
  const { data } = body as { data: unknown };
  const [{ responseBody } = { responseBody: "" }] = rulesOf(method);
  return (responseBody === "" ? data : { [responseBody]: data }) as Output;
}
