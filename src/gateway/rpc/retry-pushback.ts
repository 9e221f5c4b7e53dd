// When a gRPC client that retries by itself may try again: `grpc-retry-pushback-ms`, which overrules the pause of its own retry policy. A
// negative number tells it not to try again. https://github.com/grpc/proposal/blob/master/A6-client-retries.md#pushback
import { Code } from "@connectrpc/connect";
import { codeOf, type Problem } from "../../problem/problem.ts";

const NEVER = "-1";
/** A longer wait is for the caller to decide on: the client would hold its call back all the while. */
const WAIT_MS_MAX = 30_000;

/**
 * The trailer, for the codes on which clients retry: the wait in milliseconds where there is one, and -1 where to try again is no use. Empty for
 * other codes, and where the client's own pauses will do.
 */
export function retryPushback(problem: Problem): Record<string, string> {
  const { reason, retryAfterMs } = problem;
  const code = codeOf(problem);
  if (code !== Code.ResourceExhausted && code !== Code.Unavailable) {
    return {};
  }
  if (retryAfterMs === undefined) {
    return code === Code.Unavailable ? {} : { "grpc-retry-pushback-ms": NEVER };
  }
  // A used-up month is answered in the same way on its last second as on its first day.
  const isTooLong = reason === "QUOTA_EXCEEDED" || retryAfterMs > WAIT_MS_MAX;
  return { "grpc-retry-pushback-ms": isTooLong ? NEVER : String(Math.ceil(retryAfterMs)) };
}
