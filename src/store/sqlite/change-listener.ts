// How a server on SQLite receives the changes that commands make: commands announce them on the control socket, and a poll finds the rest.
import type { DatabaseSync } from "node:sqlite";
import type { Clock } from "../../runtime/clock.ts";
import type { OnChange } from "../changes.ts";
import { listenForChanges } from "./control-socket.ts";
import { pollForChanges } from "./data-version.ts";

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
