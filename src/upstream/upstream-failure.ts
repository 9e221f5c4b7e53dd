// The caller's error when an upstream could not be reached or gave no good response. It names neither the upstream nor its
// response.
import { Code, ConnectError } from "@connectrpc/connect";
import { Failure } from "../problem/failure.ts";
import { internalProblem } from "../problem/problem.ts";
import type { Deadline } from "./deadline.ts";
import { UpstreamFault } from "./fault.ts";

// Node's timers may fire a little early, with too little time left to do anything.
const TIMER_SLACK_MS = 5;

/**
 * The Failure for a thrown fault. `source` names the upstream in words that the caller knows, such as "the price source".
 * CANCELLED if the caller has disconnected, DEADLINE_EXCEEDED if the call's time is up, RATE_LIMITED if mostly the caller's own requests
 * are waiting, otherwise UPSTREAM_FAILED. A Failure is returned unchanged. Anything else that is not an UpstreamFault is a bug of ours:
 * INTERNAL.
 */
export function upstreamFailure(thrown: unknown, deadline: Deadline, source: string): Failure {
  const { signal } = deadline;
  // `instanceof` would use ConnectError's own Symbol.hasInstance, which accepts any ConnectError as a Failure.
  if (thrown instanceof ConnectError && "problem" in thrown) {
    return thrown as Failure;
  }
  if (!(thrown instanceof UpstreamFault)) {
    return new Failure(internalProblem(thrown));
  }
  const late = signal.aborted
    ? signal.reason instanceof ConnectError && signal.reason.code === Code.DeadlineExceeded
    : deadline.timeLeftMs() <= TIMER_SLACK_MS;
  if (late) {
    return new Failure({
      reason: "DEADLINE_EXCEEDED",
      message: `The call timed out before ${source} responded; it was not counted.`,
      cause: thrown,
    });
  }
  if (signal.aborted) {
    return new Failure({ reason: "CANCELLED", message: "The caller has disconnected.", cause: thrown });
  }
  if (thrown.isOwnShare) {
    return new Failure({
      reason: "RATE_LIMITED",
      message: `Too many requests to ${source} are waiting, most of them of this account's other calls; retry in 1 s.`,
      retryAfterMs: 1000,
      cause: thrown,
    });
  }
  return new Failure({
    reason: "UPSTREAM_FAILED",
    message: `${source.charAt(0).toUpperCase()}${source.slice(1)} gave no usable response; the call was not counted.`,
    cause: thrown,
  });
}
