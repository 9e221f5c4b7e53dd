// The tables of docs/errors.md: what each reason means, and what a caller does about it. The compiler demands an entry for every reason.
import { CODE_NAMES } from "../../src/problem/code.ts";
import { REASONS, type Reason } from "../../src/problem/reason.ts";
import { code, table } from "./markdown.ts";

/** Where a reason comes from, and so in which table it stands. */
type Origin = "key" | "account" | "service" | "request" | "server";

interface ReasonDoc {
  readonly origin: Origin;
  readonly whatToDo: string;
}

const doc = (origin: Origin, whatToDo: string): ReasonDoc => ({ origin, whatToDo });

const DOCS: Readonly<Record<Reason, ReasonDoc>> = {
  KEY_MISSING: doc("key", "Send your key in that header."),
  KEY_INVALID: doc("key", "Check for typing mistakes, and check which services the key may call."),
  KEY_EXPIRED: doc("key", "Use the new key, or make one."),
  KEY_REVOKED: doc("key", "Enable it again if it is disabled; otherwise make a new key."),
  SUBSCRIPTION_REQUIRED: doc("key", "Subscribe to the service. If the plan is paid, wait until it is activated."),
  PLAN_LIMIT: doc("key", "Ask for fewer, or take a larger plan."),
  RATE_LIMITED: doc("key", "Wait as long as `Retry-After` says, then try again."),
  QUOTA_EXCEEDED: doc("key", "Wait for the next month (`Retry-After` says when it begins), or take a larger plan."),
  LIMITS_UNAVAILABLE: doc("key", "Try again after `Retry-After`."),
  SESSION_MISSING: doc("account", "Sign in and send the token."),
  SESSION_INVALID: doc("account", "Sign in again."),
  SIGN_IN_FAILED: doc("account", "Correct them, or ask the operator for a new password."),
  ORIGIN_REFUSED: doc("account", "Send the token in the `authorization` header instead."),
  ACCOUNT_SUSPENDED: doc("account", "Ask the provider to lift the suspension."),
  OPERATOR_REQUIRED: doc("account", "Sign in to an operator's account; `quintet account operator` makes one."),
  STORE_UNAVAILABLE: doc("account", "Try again after `Retry-After`."),
  FAILED_PRECONDITION: doc("account", "Read the message; it says what stands in the way."),
  INVALID_ARGUMENT: doc("service", "Correct the fields. A retry fails the same way."),
  NOT_FOUND: doc("service", "Check the id."),
  UPSTREAM_FAILED: doc("service", "Try again a little later."),
  DEADLINE_EXCEEDED: doc("service", "Try again, with a longer deadline if yours was short."),
  CANCELLED: doc("service", "Nothing, if that was on purpose."),
  INTERNAL: doc("service", "Try again. If it persists, tell the operator the `request_id`."),
  MALFORMED_REQUEST: doc("request", "Fix the client."),
  NOT_ONE_MESSAGE: doc("request", "Send exactly one message."),
  METHOD_UNKNOWN: doc("request", "Check the path; the message names the nearest one."),
  METHOD_NOT_ALLOWED: doc("request", "Use one of the methods in the `Allow` header."),
  NOT_ACCEPTABLE: doc("request", "Accept `application/json`."),
  REQUEST_TIMEOUT: doc("request", "Send it faster, or check the network."),
  LENGTH_REQUIRED: doc("request", "Send `content-length`, or use POST."),
  BODY_TOO_LARGE: doc("request", "Send less at once."),
  URI_TOO_LONG: doc("request", "Send the input in the body."),
  UNSUPPORTED_MEDIA_TYPE: doc("request", "Send JSON or a form."),
  ENCODING_UNKNOWN: doc("request", "Use gzip, or none for the account services."),
  COMPRESSION_UNNAMED: doc("request", "Send `grpc-encoding: gzip`."),
  HEADERS_TOO_LARGE: doc("request", "Send fewer or shorter headers."),
  TRANSFER_ENCODING_UNKNOWN: doc("request", "Use `chunked` or `content-length`."),
  HTTP_VERSION_UNKNOWN: doc("request", "Fix the client."),
  SERVER_BUSY: doc("server", "Try again after `Retry-After`."),
  SHUTTING_DOWN: doc("server", "Try again; another server, or the next one, will answer."),
};

/** What a caller does about a failure with this reason: a sentence or two, in Markdown. */
export const whatToDoAbout = (reason: Reason): string => DOCS[reason].whatToDo;

/** The reasons of one origin, with their statuses. */
export function reasonsTable(origin: string): string {
  const reasons = Object.entries(DOCS).filter(([, { origin: own }]) => own === origin);
  const rows = reasons.map(([name, { whatToDo }]) => {
    const { code: rpcCode, httpStatus, charged, when } = REASONS[name as Reason];
    return [code(name), String(httpStatus), code(CODE_NAMES[rpcCode].toUpperCase()), charged ? "yes" : "no", when, whatToDo];
  });
  return table(["reason", "HTTP", "RPC code", "counted", "meaning", "what to do"], rows);
}
