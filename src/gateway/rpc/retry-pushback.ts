// When a gRPC client that retries automatically may try again: `grpc-retry-pushback-ms`, which overrides its own retry policy. A negative
// number tells it not to retry. https://github.com/grpc/proposal/blob/master/A6-client-retries.md#pushback
import { Code } from "@connectrpc/connect";
import { codeOf, type Problem } from "../../problem/problem.ts";
import { REASONS } from "../../problem/reason.ts";
import { isPlanFault } from "../../problem/reason-rule.ts";

const NEVER = "-1";
/** A longer wait is left to the caller: otherwise the client would block the call all that time. */
const WAIT_MS_MAX = 30_000;

/**
 * The trailer for codes on which clients retry: the wait in milliseconds if there is one, and -1 if retrying is pointless. Empty
 * for other codes, and if the client's own delays will do.
 */
export function retryPushback(problem: Problem): Record<string, string> {
  const { reason, retryAfterMs, quotaSubject } = problem;
  const code = codeOf(problem);
  if (code !== Code.ResourceExhausted && code !== Code.Unavailable) {
    return {};
  }
  if (retryAfterMs === undefined) {
    return code === Code.Unavailable ? {} : { "grpc-retry-pushback-ms": NEVER };
  }
  // If the monthly quota is used up, clients are told not to retry even if the month ends in a second: the refusal is always the same.
  const isTooLong = isPlanFault(REASONS[reason].fault) || quotaSubject !== undefined || retryAfterMs > WAIT_MS_MAX;
  return { "grpc-retry-pushback-ms": isTooLong ? NEVER : String(Math.ceil(retryAfterMs)) };
}
