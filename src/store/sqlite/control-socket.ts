// How a command tells a running server that something has changed: a Unix socket in the data directory. The command connects after its
// commit and says one line; the server calls its callbacks and answers one line. So a revoked key is refused on the next request.
import { chmodSync, rmSync } from "node:fs";
import { connect, createServer, type Socket } from "node:net";
import { join } from "node:path";
import type { Clock } from "../../runtime/clock.ts";
import { StoreRefused } from "../store-errors.ts";

// The account that was changed stands between.
const changed = "changed ";
const accountIdCharactersMax = 100;
const noted = "noted\n";

// The longest that either side waits for the other.
const patienceMs = 2000;

// The kernel takes 107 bytes on Linux and 103 on macOS, and cuts off what is longer without a word.
const pathBytesMax = 100;

// Commands last milliseconds; more at once than this is not a person at work.
const connectionsMax = 64;

/** Where the socket is. Throws StoreRefused when the path is longer than a socket's may be. */
export function controlSocketPath(dataDir: string): string {
  const path = join(dataDir, "control.sock");
  if (Buffer.byteLength(path) > pathBytesMax) {
    throw new StoreRefused(
      `The data directory's path is too long: ${path} has ${Buffer.byteLength(path)} bytes, and a socket's path may have ${pathBytesMax}. ` +
        "Point QUINTET_DATA_DIR to a shorter path; it may be relative.",
    );
  }
  return path;
}

/** A listening server. */
export interface ControlSocket {
  close(): Promise<void>;
}

/** Listens, and calls back for each announcement before it is answered. Only for who holds the server's lock: a socket file that is there is stale. */
export async function listenForChanges(path: string, clock: Clock, onChange: (accountId: string) => void): Promise<ControlSocket> {
  rmSync(path, { force: true });
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    const cancel = clock.after(patienceMs, () => socket.destroy());
    let heard = "";
    socket.setEncoding("utf8");
    socket.on("data", (text: string) => {
      heard += text;
      const accountId = /^changed (\S{1,100})\n$/.exec(heard)?.[1];
      if (accountId !== undefined) {
        onChange(accountId);
        socket.end(noted);
      } else if (heard.includes("\n") || heard.length > changed.length + accountIdCharactersMax) {
        socket.destroy();
      }
    });
    // A peer that went away has its change seen anyway.
    socket.on("error", () => socket.destroy());
    socket.on("close", () => {
      cancel();
      sockets.delete(socket);
    });
  });
  server.maxConnections = connectionsMax;
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });
  // A connection that cannot be taken, for want of a descriptor: its change is seen a moment later all the same.
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
 * Tells the server at the socket, if there is one, that an account has changed, and waits until it has taken note, two seconds at most.
 * Answers whether no server is left that has not. Never rejects.
 */
export function announceTo(path: string, clock: Clock, accountId: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    const cancel = clock.after(patienceMs, () => socket.destroy());
    let isDone = false;
    socket.on("connect", () => socket.write(`${changed}${accountId}\n`));
    // Whatever comes, it is the answer: the server says only one thing.
    socket.on("data", () => {
      isDone = true;
      socket.destroy();
    });
    socket.on("error", ({ code }: NodeJS.ErrnoException) => {
      // No server: there is nobody to tell, and the next one starts with what is in the database.
      isDone = code === "ENOENT" || code === "ECONNREFUSED";
      socket.destroy();
    });
    socket.on("close", () => {
      cancel();
      resolve(isDone);
    });
  });
}
