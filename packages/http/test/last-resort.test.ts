import { AsyncLocalStorage } from "node:async_hooks";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { connect as connectHttp2 } from "node:http2";
import { Socket } from "node:net";
import { join } from "node:path";
import { pino } from "pino";
import { describe, expect, onTestFinished, test } from "vitest";
import { connectionScope, containUncaught } from "../src/connection-scope.ts";
import { dial, fetchHttp2 } from "./listening.ts";

async function startFaulty(): Promise<{ readonly port: number; log(): readonly string[]; readonly isRunning: () => boolean }> {
  const child = spawn(process.execPath, [join(import.meta.dirname, "faulty-server.ts")], { stdio: ["ignore", "pipe", "pipe"] });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => {
    log += text;
  });
  const [line] = await once(child.stdout, "data");
  return {
    port: Number(line),
    log: () => log.trim().split("\n"),
    isRunning: () => child.exitCode === null && child.signalCode === null,
  };
}

const post = (path: string): string => `POST ${path} HTTP/1.1\r\nhost: a\r\ncontent-length: 4\r\n\r\nbody`;

test.each(["/at-once", "/later", "/rejected", "/while-reading"])(
  "an uncaught error (%s) cuts only the connection on which it occurred, over HTTP/1.1 and HTTP/2",
  async (path) => {
    const server = await startFaulty();
    const others = [await dial(server.port), await dial(server.port)] as const;
    others[0].send(post("/good"));
    await others[0].until("fine");
    const peer = await dial(server.port);
    peer.send(post(path));
    const received = await peer.closed();
    const session = connectHttp2(`http://127.0.0.1:${server.port}`);
    session.on("error", () => undefined);
    const closed = new Promise((resolve) => session.once("close", resolve));
    await fetchHttp2(session, { ":method": "POST", ":path": path }, "body");
    await closed;
    for (const other of others) {
      other.send(post("/again"));
      expect(await other.until("fine")).toContain("200 OK");
    }
    const logged = server.log().map((entry) => JSON.parse(entry));
    expect({ received, isRunning: server.isRunning(), logged }).toEqual({
      received: "",
      isRunning: true,
      logged: Array.from({ length: 2 }, () =>
        expect.objectContaining({
          level: 50,
          msg: "uncaught error while serving a connection; the connection is cut",
          peer: "127.0.0.1",
          err: expect.objectContaining({ message: "It is broken." }),
        }),
      ),
    });
  },
);

describe("an uncaught error that belongs to no connection", () => {
  const coded = (code: string): Error => Object.assign(new Error("It failed."), { code });
  test.each([
    { error: coded("ECONNRESET"), isContained: true },
    { error: coded("EPIPE"), isContained: true },
    { error: coded("ERR_STREAM_PREMATURE_CLOSE"), isContained: true },
    { error: coded("HPE_INVALID_CONSTANT"), isContained: true },
    { error: coded("EADDRINUSE"), isContained: false },
    { error: new TypeError("undefined is not a function"), isContained: false },
    { error: "a string", isContained: false },
  ])("is survived only if a peer caused it: $error", ({ error, isContained }) => {
    expect(containUncaught(error, pino({ level: "silent" }))).toBe(isContained);
  });
});

test("an error after a contained one is not attributed to its connection", () => {
  const socket = new Socket();
  const log = pino({ level: "silent" });
  const other = new AsyncLocalStorage<string>();
  const decisions: boolean[] = [];
  const runInScope = connectionScope(socket);
  const fail = (error: Error): never => {
    throw error;
  };
  other.run("another scope", () => {
    expect(() => runInScope(fail, new Error("first"))).toThrow("first");
    decisions.push(containUncaught(new Error("first"), log), containUncaught(new Error("second"), log));
    expect(other.getStore()).toBe("another scope");
  });
  expect([...decisions, socket.destroyed]).toEqual([true, false, true]);
});
