// A server program of somebody else's, run for a test: found where Debian's packages put it, run by an ordinary user with data of its own in a
// temporary directory, and gone when the test's process is, however that ends.
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { describe, test } from "vitest";

/** A program that is installed, or why it is not. */
export type Found = { readonly path: string } | { readonly missing: string };

/** As `describe`, where the program is installed. Where it is not, the reason is told in a skipped test; in CI, in a failed one. */
export function describeWith(found: Found, name: string, body: () => void): void {
  if ("path" in found) {
    describe(name, body);
  } else if (process.env.CI === "true") {
    test(name, () => {
      throw new Error(found.missing);
    });
  } else {
    test.skip(`${name}: ${found.missing}`);
  }
}

/** Who runs the servers: PostgreSQL refuses to be run by root. */
const runAs = process.getuid?.() === 0 ? { uid: idOf("-u"), gid: idOf("-g") } : {};

function idOf(option: "-u" | "-g"): number {
  return Number(execFileSync("id", [option, "nobody"], { encoding: "utf8" }));
}

/** A new directory that belongs to who runs the servers. */
export function serverDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), "quintet-server-"));
  if (runAs.uid !== undefined && runAs.gid !== undefined) {
    chownSync(directory, runAs.uid, runAs.gid);
  }
  return directory;
}

/** Copies a file into such a directory, for the server's eyes alone, and answers the copy's path. */
export function lend(file: string, directory: string): string {
  const copy = join(directory, basename(file));
  copyFileSync(file, copy);
  chmodSync(copy, 0o600);
  if (runAs.uid !== undefined && runAs.gid !== undefined) {
    chownSync(copy, runAs.uid, runAs.gid);
  }
  return copy;
}

/** Removes it. */
export const removeDirectory = (directory: string): void => rmSync(directory, { recursive: true, force: true });

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  return typeof address === "object" && address !== null ? address.port : 0;
}

/** Runs a program to its end as the servers' user. Throws with what it said when it fails. */
export function runOnce(path: string, args: readonly string[], cwd: string): void {
  execFileSync(path, [...args], { ...runAs, cwd, stdio: ["ignore", "ignore", "pipe"] });
}

/** A running server. */
export interface ServerProcess {
  /** Stops the process and its children where they are: they hold their connections and answer nothing. */
  pause(): void;
  resume(): void;
  /** Ends it without giving it time, and waits until it is gone. */
  kill(): Promise<void>;
}

// Ends with the server. The second shell waits for the end of its input, which comes when the test's process is gone, and then ends it.
const KEEPER = 'exec 3<&0; "$@" & server=$!; (read _ <&3; kill -CONT $server; kill -KILL $server) & echo $server; wait $server';

/** Starts a server and waits until it accepts connections at the port. `crash` is the signal that ends it and all that it has started. */
export async function startServer(
  command: readonly [path: string, ...args: string[]],
  options: { readonly cwd: string; readonly port: number; readonly crash: NodeJS.Signals },
): Promise<ServerProcess> {
  const { cwd, port, crash } = options;
  const keeper = spawn("sh", ["-c", KEEPER, "keeper", ...command], { ...runAs, cwd, stdio: ["pipe", "pipe", "pipe"] });
  const ended = once(keeper, "exit");
  let said = "";
  keeper.stderr.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const [first] = (await once(keeper.stdout.setEncoding("utf8"), "data")) as [string];
  keeper.stdout.resume();
  const pid = Number.parseInt(first, 10);
  await accepting(port, keeper, () => said);
  return {
    pause: () => signalAll(pid, "SIGSTOP"),
    resume: () => signalAll(pid, "SIGCONT"),
    async kill() {
      if (keeper.exitCode === null) {
        signalAll(pid, "SIGCONT");
        signal(pid, crash);
        await ended;
      }
      keeper.stdin.end();
    },
  };
}

async function accepting(port: number, keeper: ChildProcess, said: () => string): Promise<void> {
  for (;;) {
    if (keeper.exitCode !== null) {
      throw new Error(`The server did not start: ${said()}`);
    }
    const socket = connect(port, "127.0.0.1");
    const there = await new Promise<boolean>((resolve) => {
      socket.once("connect", () => resolve(true)).once("error", () => resolve(false));
    });
    socket.destroy();
    if (there) {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

// The parent first, so that it starts no more children.
function signalAll(pid: number, name: NodeJS.Signals): void {
  signal(pid, name);
  for (const child of family(pid).slice(1)) {
    signal(child, name);
  }
}

function family(pid: number): number[] {
  try {
    const children = execFileSync("ps", ["-o", "pid=", "--ppid", String(pid)], { encoding: "utf8" });
    return [pid, ...children.split("\n").map(Number).filter(Boolean)];
  } catch {
    // It has none.
    return [pid];
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // Gone already.
  }
}
