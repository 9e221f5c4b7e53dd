// How a server on SQLite receives the changes that commands make: commands announce them on the control socket, and a poll finds the rest,
// such as those of a command that was killed between its commit and its announcement.

import { chmodSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { Clock } from "../../runtime/clock.ts";
import type { OnChange } from "../changes.ts";
import { StoreRefused } from "../store-errors.ts";

// How a command tells a running server that something has changed: a Unix socket in the data directory. The command connects after its
// commit and sends one line; the server calls its callbacks and responds with one line. So a revoked key is refused from the next request
// on.

// A message is CHANGED, the account's id, and a line feed.
const CHANGED = "changed ";
const ACCOUNT_ID_CHARACTERS_MAX = 100;
const ACKNOWLEDGED = "noted\n";

// How long either side waits for the other.
const TIMEOUT_MS = 2000;

// The kernel accepts 107 bytes on Linux and 103 on macOS, and truncates longer paths without an error.
const PATH_BYTES_MAX = 100;

// Commands take milliseconds. Nobody runs more than this many at once.
const CONNECTIONS_MAX = 64;

/** Where the socket is. Throws StoreRefused if the path is too long for a socket. */
export function controlSocketPath(dataDir: string): string {
  const path = join(dataDir, "control.sock");
  if (Buffer.byteLength(path) > PATH_BYTES_MAX) {
    throw new StoreRefused(
      `The data directory's path is too long: ${path} has ${Buffer.byteLength(path)} bytes, and a socket's path may have ${PATH_BYTES_MAX}. ` +
        "Point QUINTET_DATA_DIR to a shorter path; it may be relative.",
    );
  }
  return path;
}

interface ControlSocket {
  close(): Promise<void>;
}

/**
 * Listens, and calls back for each announcement before responding to it. The caller holds the server's lock, so an existing socket file is
 * stale.
 */
async function listenForChanges(path: string, clock: Clock, onChange: (accountId: string) => void): Promise<ControlSocket> {
  rmSync(path, { force: true });
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    const cancel = clock.after(TIMEOUT_MS, () => socket.destroy());
    let received = "";
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => {
      received += text;
      const accountId = /^changed (\S{1,100})\n$/.exec(received)?.[1];
      if (accountId !== undefined) {
        onChange(accountId);
        socket.end(ACKNOWLEDGED);
      } else if (received.includes("\n") || received.length > CHANGED.length + ACCOUNT_ID_CHARACTERS_MAX) {
        socket.destroy();
      }
    });
    // If the peer disconnects, the poll finds its change.
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      cancel();
      sockets.delete(socket);
    });
  });
  server.maxConnections = CONNECTIONS_MAX;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });
  // No file descriptor was left for a connection: the poll finds its change a moment later.
  server.on("error", () => {});
  chmodSync(path, 0o600);
  return {
    close() {
      for (const socket of sockets) {
        socket.destroy();
      }
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

/**
 * Tells the server at the socket, if there is one, that an account has changed, and waits, for two seconds at most, for its confirmation.
 * Returns whether the server has confirmed or there is none. Never rejects.
 */
export function announceTo(path: string, clock: Clock, accountId: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const cancel = clock.after(TIMEOUT_MS, () => socket.destroy());
    let isDone = false;
    socket.on("connect", () => socket.write(`${CHANGED}${accountId}\n`));
    // The server sends only one message, so any data is the confirmation.
    socket.on("data", () => {
      isDone = true;
      socket.destroy();
    });
    socket.on("error", ({ code }: NodeJS.ErrnoException) => {
      // No server is running, and the next one will read the database when it starts.
      isDone = code === "ENOENT" || code === "ECONNREFUSED";
      socket.destroy();
    });
    socket.on("close", () => {
      cancel();
      resolve(isDone);
    });
  });
}

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
