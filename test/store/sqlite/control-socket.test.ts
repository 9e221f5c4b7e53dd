// How a running server learns of other processes' changes: through the socket, or by polling.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { openStore, type StoreOptions } from "../../../src/store/open.ts";
import type { Store } from "../../../src/store/store.ts";
import { StoreRefused } from "../../../src/store/store-errors.ts";
import { createManualClock, type ManualClock } from "../../fixtures/manual-clock.ts";
import { temporaryDirectory } from "../../fixtures/temporary-directory.ts";

const acme = { id: "a-1", name: "acme", email: null };

interface Opened {
  readonly store: Store;
  readonly clock: ManualClock;
  /** How many changes it has received. */
  readonly changes: () => number;
}

async function open(dataDir: string, role: StoreOptions["role"]): Promise<Opened> {
  const clock = createManualClock({ nowMs: 0 });
  const store = await openStore({ dataDir, clock, role });
  onTestFinished(() => store.close());
  let changes = 0;
  store.onChange(() => changes++);
  return { store, clock, changes: () => changes };
}

describe("a command's change", () => {
  test("has reached the server when the command is done", async () => {
    const dataDir = temporaryDirectory();
    const server = await open(dataDir, "server");
    const command = await open(dataDir, "command");
    await command.store.createAccount(acme);
    expect([server.changes(), command.changes()]).toEqual([1, 1]);
    await command.store.setSuspended("a-1", true);
    expect([server.changes(), command.changes()]).toEqual([2, 2]);
  });

  test("needs no server", async () => {
    const { store } = await open(temporaryDirectory(), "command");
    expect((await store.createAccount(acme)).name).toBe("acme");
  });

  test("waits at most two seconds for a server that does not respond", async () => {
    const dataDir = temporaryDirectory();
    const command = await open(dataDir, "command");
    const mute = createServer((socket) => socket.once("data", () => command.clock.advance(2000))).listen(
      join(dataDir, "control.sock"),
    );
    onTestFinished(() => void mute.close());
    await once(mute, "listening");
    expect((await command.store.createAccount(acme)).name).toBe("acme");
  });

  test("that was not announced is noticed by the server's next poll", async () => {
    const dataDir = temporaryDirectory();
    const server = await open(dataDir, "server");
    const killed = new DatabaseSync(join(dataDir, "quintet.db"));
    killed.exec("INSERT INTO accounts (id, name, suspended, created_at_ms) VALUES ('a-1', 'acme', 0, 0)");
    killed.close();
    server.clock.advance(249);
    expect(server.changes()).toBe(0);
    server.clock.advance(1);
    expect(server.changes()).toBe(1);
    server.clock.advance(1000);
    expect(server.changes()).toBe(1);
  });
});

describe("a server", () => {
  test("receives its own changes immediately and only once", async () => {
    const server = await open(temporaryDirectory(), "server");
    await server.store.createAccount(acme);
    server.clock.advance(1000);
    expect(server.changes()).toBe(1);
  });

  test("is refused while another one runs, and starts after that one has stopped", async () => {
    const dataDir = temporaryDirectory();
    const first = await open(dataDir, "server");
    await expect(open(dataDir, "server")).rejects.toThrow(
      new StoreRefused(
        `A server is running on the data directory ${dataDir}. Stop it first, or name another directory with QUINTET_DATA_DIR.`,
      ),
    );
    const command = await open(dataDir, "command");
    await command.store.createAccount(acme);
    expect(first.changes()).toBe(1);
    await first.store.close();
    expect(existsSync(join(dataDir, "control.sock"))).toBe(false);
    const second = await open(dataDir, "server");
    await command.store.setSuspended("a-1", true);
    expect(second.changes()).toBe(1);
  });

  test("that was killed can be replaced by another", async () => {
    const dataDir = temporaryDirectory();
    const killed = spawn(process.execPath, [join(import.meta.dirname, "../server-process.ts"), dataDir], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    await once(killed.stdout, "data");
    await expect(open(dataDir, "server")).rejects.toThrow(StoreRefused);
    killed.kill("SIGKILL");
    await once(killed, "close");
    expect(existsSync(join(dataDir, "control.sock"))).toBe(true);
    const next = await open(dataDir, "server");
    const command = await open(dataDir, "command");
    await command.store.createAccount(acme);
    expect(next.changes()).toBe(1);
  });

  test.for([
    { case: "that sends something else is cut off", words: "hello\n" },
    { case: "that sends too much is cut off", words: "changed a-1\nchanged a-1\n" },
    { case: "that names no account is cut off", words: "changed \n" },
    { case: "that sends an endless account id is cut off", words: `changed ${"a".repeat(101)}` },
  ])("a peer $case", async ({ words }) => {
    const dataDir = temporaryDirectory();
    const server = await open(dataDir, "server");
    const socket = connect(join(dataDir, "control.sock"));
    socket.end(words);
    await once(socket.resume(), "close");
    expect(server.changes()).toBe(0);
  });

  test("a peer that sends no complete message is cut off after two seconds", async () => {
    const dataDir = temporaryDirectory();
    const server = await open(dataDir, "server");
    const socket = connect(join(dataDir, "control.sock"));
    socket.write("chan");
    await once(socket, "connect");
    // The server has accepted it once a later peer has had its response.
    await (await open(dataDir, "command")).store.createAccount(acme);
    server.clock.advance(2000);
    await once(socket.resume(), "close");
    expect(server.changes()).toBe(1);
  });

  test("stops while a peer is connected", async () => {
    const dataDir = temporaryDirectory();
    const server = await open(dataDir, "server");
    const socket = connect(join(dataDir, "control.sock"));
    await once(socket, "connect");
    await Promise.all([server.store.close(), once(socket.resume(), "close")]);
    expect(server.clock.pending).toBe(0);
  });

  test("rejects a data directory whose socket path would be too long", async () => {
    const dataDir = join(temporaryDirectory(), "x".repeat(100));
    const path = join(dataDir, "control.sock");
    await expect(open(dataDir, "server")).rejects.toThrow(
      new StoreRefused(
        `The data directory's path is too long: ${path} has ${path.length} bytes, and a socket's path may have 100. ` +
          "Point QUINTET_DATA_DIR to a shorter path; it may be relative.",
      ),
    );
  });
});
