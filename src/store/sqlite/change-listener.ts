// How a server on SQLite receives the changes that commands make: commands announce them on the control socket, and a poll finds the rest,
// such as those of a command that was killed between its commit and its announcement.
import type { DatabaseSync } from "node:sqlite";
import type { Clock } from "../../runtime/clock.ts";
import type { OnChange } from "../changes.ts";
import { listenForChanges } from "./control-socket.ts";

const POLL_MS = 250;

export interface SqliteChangeListener {
  close(): Promise<void>;
}

/** Calls back for each change that another process makes. Rejects when the socket cannot be opened. */
export async function listenOnSqlite(
  database: DatabaseSync,
  socketPath: string,
  clock: Clock,
  onChange: OnChange,
): Promise<SqliteChangeListener> {
  const poll = pollForChanges(database, clock, () => onChange());
  const onAnnouncement = (accountId: string): void => {
    poll.catchUp();
    onChange(accountId);
  };
  try {
    const socket = await listenForChanges(socketPath, clock, onAnnouncement);
    return {
      async close() {
        poll.stop();
        await socket.close();
      },
    };
  } catch (error) {
    poll.stop();
    throw error;
  }
}

interface DataVersionPoll {
  /** Treats all changes so far as seen, because they were announced. */
  catchUp(): void;
  stop(): void;
}

// Calls back, within a quarter of a second, when another connection has changed the database. SQLite counts the commits of other
// connections, and reading that number takes microseconds.
function pollForChanges(database: DatabaseSync, clock: Clock, onForeignChange: () => void): DataVersionPoll {
  const statement = database.prepare("PRAGMA data_version");
  let seen = statement.get()?.data_version;
  // Returns whether there was a new change.
  const hasNewCommit = (): boolean => {
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
    if (hasNewCommit()) {
      onForeignChange();
    }
  };
  let cancel = clock.after(POLL_MS, poll);
  return { catchUp: hasNewCommit, stop: () => cancel() };
}
