// What went wrong, in words. The only place that reads an error of a call.
import { Code, ConnectError } from "@connectrpc/connect";
import { BadRequestSchema, ErrorInfoSchema, RetryInfoSchema } from "../../gen/google/rpc/error_details_pb.js";

/** A failed call, as a page shows it. */
export interface ApiProblem {
  /** A sentence for the reader. */
  readonly message: string;
  /** The reason of the server's table, such as `RATE_LIMITED`. Undefined when no answer of this server came. */
  readonly reason: string | undefined;
  /** Wrong fields, by their names in the proto (`current_password`): what is wrong, to stand after the field's name, as `is required`. */
  readonly fields: Readonly<Record<string, string>>;
  /** When to come back, in milliseconds. Undefined where waiting does not help, or nobody knows how long. */
  readonly retryAfterMs: number | undefined;
  /** Whether there is no session, or no longer. */
  readonly isSessionLost: boolean;
  /** Whether the same call may succeed within seconds. */
  readonly isTransient: boolean;
}

const SESSION_REASONS: readonly (string | undefined)[] = ["SESSION_MISSING", "SESSION_INVALID"];
// A reader waits for no longer than this without being told.
const SOON_MS = 3000;

// The server is not there, or something between it and the page answered.
const UNREACHABLE = "The server cannot be reached. Check your connection and try again.";

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}${/[.!?…]$/.test(text) ? "" : "."}`;

/** Reads what a call threw. */
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
    fields: Object.fromEntries((badRequest?.fieldViolations ?? []).map(({ field, description }) => [field, description])),
    retryAfterMs,
    isSessionLost: SESSION_REASONS.includes(reason),
    isTransient: reason === undefined ? connectError.code !== Code.Canceled : retryAfterMs !== undefined && retryAfterMs <= SOON_MS,
  };
}
