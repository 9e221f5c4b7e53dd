// What SQLite's errors mean, by their codes, and how to wait for a busy database. https://www.sqlite.org/rescode.html
import type { Clock } from "../../runtime/clock.ts";
import type { FailureKind } from "../backend.ts";

const SQLITE_ERROR = 1;
const SQLITE_BUSY = 5;
const SQLITE_IOERR = 10;
const SQLITE_CORRUPT = 11;
const SQLITE_FULL = 13;
const SQLITE_CONSTRAINT = 19;
const SQLITE_MISMATCH = 20;
const SQLITE_MISUSE = 21;
const SQLITE_RANGE = 25;
const SQLITE_NOTADB = 26;

/** How long SQLite itself waits for another process, in milliseconds. It blocks the whole thread, so it is short. */
export const BUSY_TIMEOUT_MS = 5;

/**
 * Retries until the database is free. Once `timeoutMs` have passed, throws the error of the last attempt. Between attempts other work of
 * this process continues: it may be what keeps the database busy.
 */
export async function whenFree<Result>(clock: Clock, timeoutMs: number, attempt: () => Result): Promise<Result> {
  const deadlineMs = clock.monotonicMs() + timeoutMs;
  for (;;) {
    try {
      return attempt();
    } catch (error) {
      if (!isBusy(error) || clock.monotonicMs() >= deadlineMs) {
        throw error;
      }
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Whether the error says that another connection has locked the database. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === SQLITE_BUSY;
}

/** Whether the error says that the file is not a database. */
export function isNoDatabase(error: unknown): boolean {
  return primaryCode(error) === SQLITE_NOTADB;
}

/** Whether the error says that the file is a database with missing or wrong parts. */
export function isDamaged(error: unknown): boolean {
  return primaryCode(error) === SQLITE_CORRUPT;
}

/**
 * Whether the error says that the disk is full or failed: SQLite reports a failure for a full disk too, if the log's index has no space.
 */
export function isDiskFailure(error: unknown): boolean {
  const code = primaryCode(error);
  return code === SQLITE_FULL || code === SQLITE_IOERR;
}

/** What a query's error means. */
export function failureKindOf(error: unknown): FailureKind {
  switch (primaryCode(error)) {
    case undefined:
    case SQLITE_ERROR:
    case SQLITE_MISMATCH:
    case SQLITE_MISUSE:
    case SQLITE_RANGE:
      return "defect";
    case SQLITE_CONSTRAINT:
      return "conflict";
    // Busy, locked, full, unreadable, read-only, corrupt: the database could not run the query.
    default:
      return "unavailable";
  }
}

// The low byte: the higher bytes are more specific than needed here.
function primaryCode(error: unknown): number | undefined {
  const errcode = error instanceof Error && "errcode" in error ? error.errcode : undefined;
  return typeof errcode === "number" ? errcode & 0xff : undefined;
}
