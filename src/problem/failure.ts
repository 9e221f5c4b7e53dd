// Problems as errors. Services throw a problem inside a Failure, and every protocol renders it. Connect's own errors are shown too.
// Anything else that is thrown becomes INTERNAL: its text is logged and never shown.
import { Code, ConnectError } from "@connectrpc/connect";
import type { InvalidInput } from "@quintet/transcoding";
import { problemHeaders } from "./headers.ts";
import { internalProblem, invalidArgument, type Problem, problemDetails } from "./problem.ts";
import { REASONS, type Reason } from "./reason.ts";

/** A problem as an error. For Connect's own adapter it is a ConnectError with the same code, message and details. */
export class Failure extends ConnectError {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message, REASONS[problem.reason].code, problemHeaders(problem), problemDetails(problem), problem.cause);
    // The name stays `ConnectError`: Connect recognises its own errors by it, and treats all others as defects.
    this.problem = problem;
  }
}

/** The failure of a request that breaks the rules of its protocol. */
export const malformed = (message: string): Failure => new Failure({ reason: "MALFORMED_REQUEST", message });

// The reason for a ConnectError that is not a Failure.
const REASONS_OF_FOREIGN_CODES: Partial<Record<Code, Reason>> = {
  [Code.InvalidArgument]: "MALFORMED_REQUEST",
  [Code.ResourceExhausted]: "BODY_TOO_LARGE",
  [Code.DeadlineExceeded]: "DEADLINE_EXCEEDED",
  [Code.Canceled]: "CANCELLED",
  [Code.NotFound]: "NOT_FOUND",
  [Code.Unimplemented]: "METHOD_UNKNOWN",
};

export function problemOf(thrown: unknown): Problem {
  // `instanceof Failure` would use ConnectError's own Symbol.hasInstance, which accepts any ConnectError.
  if (thrown instanceof ConnectError && "problem" in thrown) {
    return (thrown as Failure).problem;
  }
  if (thrown instanceof ConnectError && "violations" in thrown) {
    return invalidArgument((thrown as InvalidInput).violations);
  }
  if (!(thrown instanceof ConnectError)) {
    return internalProblem(thrown);
  }
  const reason = REASONS_OF_FOREIGN_CODES[thrown.code];
  const problem = reason === undefined ? internalProblem(thrown) : { reason, message: thrown.rawMessage, cause: thrown };
  return { ...problem, originalError: thrown };
}

/** Throws a Failure with `refusal` if an attempt has to wait. */
export function throwIfLimited(waitMs: number, refusal: (waitMs: number) => Problem): void {
  if (waitMs > 0) {
    throw new Failure(refusal(waitMs));
  }
}
