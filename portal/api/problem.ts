// What went wrong with a call, in words. The only place that reads the errors of calls.
import { Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "../../gen/google/rpc/error_details_pb.js";
import { faultOf } from "./reason.ts";

/** A failed call, as a page shows it. */
export interface ApiProblem {
  /** What to tell the user, in a sentence. */
  readonly message: string;
  /** The reason of the server's table, such as `RATE_LIMITED`. Undefined if this server did not respond. */
  readonly reason: string | undefined;
  /** The name of the data service that the problem concerns, such as `token-price`; undefined if the server names none. */
  readonly service: string | undefined;
  /** The name of the plan that the problem concerns; undefined if the server names none. */
  readonly plan: string | undefined;
  /** What is wrong with each faulty field, by its name in the proto (`current_password`), in words that follow a name: `is required`. */
  readonly fields: Readonly<Record<string, string>>;
  /** When to try again, in milliseconds. Undefined if waiting does not help, or if it is not known how long to wait. */
  readonly retryAfterMs: number | undefined;
  /** Whether there is no session, or it has ended. */
  readonly isSessionLost: boolean;
  /** Whether the same call may succeed within seconds. */
  readonly isTransient: boolean;
}

// The longest that a user is kept waiting without an explanation.
const SOON_MS = 3000;

// The server is down, or a proxy in between responded instead.
const UNREACHABLE = "The server cannot be reached. Check your connection and try again.";

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?…]$/.test(text) ? "" : "."}`;

/** Turns an error that a call threw into a problem. */
export function problemOf(error: unknown): ApiProblem {
  const connectError = ConnectError.from(error);
  const [info] = connectError.findDetails(ErrorInfoSchema);
  const [badRequest] = connectError.findDetails(BadRequestSchema);
  const [retry] = connectError.findDetails(RetryInfoSchema);
  const delay = retry?.retryDelay;
  const retryAfterMs = delay && Number(delay.seconds) * 1000 + delay.nanos / 1_000_000;
  const reason = info?.reason;
  return {
    message: reason === undefined ? UNREACHABLE : sentence(connectError.rawMessage),
    reason,
    service: info?.metadata.service,
    plan: info?.metadata.plan,
    fields: Object.fromEntries((badRequest?.fieldViolations ?? []).map(({ field, description }) => [field, description])),
    retryAfterMs,
    isSessionLost: faultOf(reason) === "session",
    isTransient: reason === undefined ? connectError.code !== Code.Canceled : retryAfterMs !== undefined && retryAfterMs <= SOON_MS,
  };
}
