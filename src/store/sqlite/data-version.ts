// The fallback for changes that were not announced, such as those of a command that was killed between its commit and its announcement:
// SQLite counts the commits of other connections, and reading that number takes microseconds.
import type { DatabaseSync } from "node:sqlite";
import type { Clock } from "../../runtime/clock.ts";

const POLL_MS = 250;

export interface DataVersionPoll {
  /** Treats all changes so far as seen, because they were announced. */
  catchUp(): void;
  stop(): void;
}

/** Calls back, within a quarter of a second, when another connection has changed the database. */
export function pollForChanges(database: DatabaseSync, clock: Clock, onForeignChange: () => void): DataVersionPoll {
  const statement = database.prepare("PRAGMA data_version");
  let seen = statement.get()?.data_version;
  // Returns whether there was a new change.
  const look = (): boolean => {
    try {
      const before = seen;
      seen = statement.get()?.data_version;
      return seen !== before;
    } catch {
      // The number cannot be read now. The next query will report the error; the next poll may succeed.
      return false;
    }
  };
  const poll = (): void => {
    cancel = clock.after(POLL_MS, poll);
    if (look()) {
      onForeignChange();
    }
  };
  let cancel = clock.after(POLL_MS, poll);
  return { catchUp: look, stop: () => cancel() };
}
