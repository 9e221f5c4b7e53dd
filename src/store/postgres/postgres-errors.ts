// What PostgreSQL's errors mean, by their SQLSTATE. https://www.postgresql.org/docs/current/errcodes-appendix.html
import pg from "pg";
import type { FailureKind } from "../backend.ts";

const INTEGRITY_CONSTRAINT = "23";
// Data exceptions, invalid transaction terminations, and violations of syntax or access rules: the statement itself was wrong.
const OUR_FAULTS = ["22", "2D", "42"];

/** What a query's error means. */
export function failureKindOf(error: unknown): FailureKind {
  if (error instanceof pg.DatabaseError) {
    const sqlState = error.code ?? "";
    if (sqlState.startsWith(INTEGRITY_CONSTRAINT)) {
      return "conflict";
    }
    // The statement was right, but the database could not run it: it is shutting down, out of memory or connections, read-only after a
    // failover, or the statement timed out or was in a deadlock.
    return OUR_FAULTS.some((errorClass) => sqlState.startsWith(errorClass)) ? "defect" : "unavailable";
  }
  return isConnectionError(error) ? "unavailable" : "defect";
}

// Whether the server could not be reached or the connection was lost. The driver throws a plain Error then; errors of the operating system
// have a code.
function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof pg.DatabaseError) {
    return false;
  }
  return Object.getPrototypeOf(error) === Error.prototype || "code" in error;
}
