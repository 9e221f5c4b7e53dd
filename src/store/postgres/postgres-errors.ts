// What PostgreSQL's errors mean, by their SQLSTATE. https://www.postgresql.org/docs/current/errcodes-appendix.html
import pg from "pg";
import type { FailureKind } from "../backend.ts";

const INTEGRITY_CONSTRAINT = "23";
// Data exceptions, invalid transaction states other than a read-only one, syntax and access rules: the statement itself was wrong.
const OUR_FAULTS = ["22", "2D", "42"];

/** What a query's error means. */
export function failureKindOf(error: unknown): FailureKind {
  if (error instanceof pg.DatabaseError) {
    const sqlState = error.code ?? "";
    if (sqlState.startsWith(INTEGRITY_CONSTRAINT)) {
      return "conflict";
    }
    // Shutting down, out of memory or connections, timed out, deadlocked, read-only since a failover: the database could not do it.
    return OUR_FAULTS.some((errorClass) => sqlState.startsWith(errorClass)) ? "defect" : "unavailable";
  }
  return isConnectionError(error) ? "unavailable" : "defect";
}

// The server could not be reached or the connection was lost: the driver throws plain errors for that, and the system errors with codes.
function isConnectionError(error: unknown): boolean {
  if (!(error instanceof Error) || error instanceof pg.DatabaseError) {
    return false;
  }
  return Object.getPrototypeOf(error) === Error.prototype || "code" in error;
}
