// How a command tells a running server that something has changed: a Unix socket in the data directory. The command connects after its
// commit and sends one line; the server calls its callbacks and responds with one line. So a revoked key is refused from the next request
// on.
import { chmodSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import type { Clock } from "../../runtime/clock.ts";
import { StoreRefused } from "../store-errors.ts";

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

export interface ControlSocket {
  close(): Promise<void>;
}

/**
 * Listens, and calls back for each announcement before responding to it. The caller holds the server's lock, so an existing socket file is
 * stale.
 */
export async function listenForChanges(path: string, clock: Clock, onChange: (accountId: string) => void): Promise<ControlSocket> {
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
