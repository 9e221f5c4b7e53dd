// A problem, thrown, and what anything else that is thrown means. Services throw problems inside a Failure; every protocol renders them. Whatever
// else is thrown becomes INTERNAL, with its own text kept for the log and never shown; only an error of Connect's own, which is made to be
// shown, is.
import { Code, ConnectError } from "@connectrpc/connect";
import { problemHeaders } from "./headers.ts";
import { internalProblem, type Problem, problemDetails } from "./problem.ts";
import { REASONS, type Reason } from "./reason.ts";

/** A problem, thrown. To Connect's own adapter it is a ConnectError with the same code, message and details. */
export class Failure extends ConnectError {
  readonly problem: Problem;

  constructor(problem: Problem) {
    super(problem.message, REASONS[problem.reason].code, problemHeaders(problem), problemDetails(problem), problem.cause);
    // The name stays ConnectError's: Connect takes an error for one of its own by the name, and for a defect otherwise.
    this.problem = problem;
  }
}

// What a ConnectError that is not a Failure means.
const REASONS_OF_FOREIGN_CODES: Partial<Record<Code, Reason>> = {
  [Code.InvalidArgument]: "MALFORMED_REQUEST",
  [Code.ResourceExhausted]: "BODY_TOO_LARGE",
  [Code.DeadlineExceeded]: "DEADLINE_EXCEEDED",
  [Code.Canceled]: "CANCELLED",
  [Code.NotFound]: "NOT_FOUND",
  [Code.Unimplemented]: "METHOD_UNKNOWN",
};

/** The problem that a thrown value stands for. */
export function problemOf(thrown: unknown): Problem {
  // `instanceof` would ask ConnectError's own Symbol.hasInstance, which takes any ConnectError for a Failure.
  if (thrown instanceof ConnectError && "problem" in thrown) {
    return (thrown as Failure).problem;
  }
  if (!(thrown instanceof ConnectError)) {
    return internalProblem(thrown);
  }
  const reason = REASONS_OF_FOREIGN_CODES[thrown.code];
  const problem = reason === undefined ? internalProblem(thrown) : { reason, message: thrown.rawMessage, cause: thrown };
  return { ...problem, asThrown: thrown };
}
