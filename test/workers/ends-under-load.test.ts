// A thread that ends while HTTP/2 requests arrive closes only its own connections. If it ended the process, no test in that process
// would survive, so the server runs in a separate process.
import { fork } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { type ClientHttp2Session, connect } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { DEAD_UPSTREAMS } from "../fixtures/dead-upstreams.ts";
import { temporaryDirectory } from "../fixtures/temporary-directory.ts";
import type { ServerCommand, ServerMessage, ThreadEnd } from "./crashable-server.ts";

const THREADS = 2;
const SESSIONS = 8;
// Concurrent requests of each session.
const REQUESTS = 16;
// How often every thread ends, for each cause.
const ENDS_PER_CAUSE = 4;
const BODY = Buffer.alloc(1000);

interface Server {
  readonly port: number;
  /** Ends all threads. Calls `dead` when they have ended, and resolves when others have replaced them. */
  killAll(threadEnd: ThreadEnd, dead: () => void): Promise<void>;
  /** Stops it, and returns its exit code, or the signal that ended it. */
  stop(): Promise<number | string>;
}

async function serve(): Promise<Server> {
  const child = fork(join(import.meta.dirname, "crashable-server.ts"), {
    env: {
      PATH: process.env.PATH,
      // Otherwise each thread would strip and compile everything again.
      NODE_COMPILE_CACHE: join(tmpdir(), "node-compile-cache"),
      ...DEAD_UPSTREAMS,
      QUINTET_PORT: "0",
      QUINTET_DATA_DIR: temporaryDirectory(),
      QUINTET_WORKERS: String(THREADS),
      QUINTET_DRAIN_MS: "0",
    },
    stdio: ["ignore", "inherit", "pipe", "ipc"],
  });
  onTestFinished(() => {
    child.kill("SIGKILL");
  });
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    said += text;
  });
  const ended = once(child, "exit").then(([code, signal]) => (code ?? signal) as number | string);
  const over = ended.then((how): never => {
    throw new Error(`The server ended with ${how}:\n${said}`);
  });
  // So that its rejection is handled even if nobody waits.
  over.catch(() => {});
  const all = new EventEmitter<Record<ServerMessage["kind"], [ServerMessage]>>();
  child.on("message", (news: ServerMessage) => all.emit(news.kind, news));
  const heard = async (kind: ServerMessage["kind"]): Promise<ServerMessage> => (await Promise.race([once(all, kind), over]))[0];
  const command = (what: ServerCommand): boolean => child.send(what);
  const first = await heard("serving");
  return {
    port: first.kind === "serving" ? first.port : 0,
    async killAll(threadEnd, dead) {
      const both = [heard("dead").then(dead), heard("replaced")];
      command({ kind: "kill", threadEnd });
      await Promise.all(both);
    },
    stop() {
      command({ kind: "stop" });
      return ended;
    },
  };
}

/** Requests on several connections, each after the response to the one before. */
interface Load {
  /** Resolves when enough responses have arrived. */
  readonly flowing: Promise<void>;
  stop(): void;
}

// The requests are refused without a key, before any of their bodies is read. A connection that breaks is opened again, so that a
// thread to which the kernel gave none gets those of the threads that have ended.
function load(port: number): Load {
  const { promise: flowing, resolve } = Promise.withResolvers<void>();
  const sessions = new Set<ClientHttp2Session>();
  let responses = 0;
  let isOver = false;
  const call = (session: ClientHttp2Session): void => {
    const stream = session.request({ ":method": "POST", ":path": "/quintet.farkle.v1.FarkleService/Score" });
    stream.on("error", () => {});
    stream.on("response", () => {
      responses += 1;
      if (responses === 2 * SESSIONS * REQUESTS) {
        resolve();
      }
    });
    stream.on("close", () => (session.closed || session.destroyed ? undefined : call(session)));
    stream.resume();
    stream.end(BODY);
  };
  const open = (): void => {
    if (isOver) {
      return;
    }
    const session = connect(`http://127.0.0.1:${port}`);
    sessions.add(session);
    session.on("error", () => {});
    session.on("connect", () => {
      for (let count = 0; count < REQUESTS; count++) {
        call(session);
      }
    });
    session.on("close", () => {
      sessions.delete(session);
      setImmediate(open);
    });
  };
  for (let count = 0; count < SESSIONS; count++) {
    open();
  }
  return {
    flowing,
    stop() {
      isOver = true;
      for (const session of sessions) {
        session.destroy();
      }
    },
  };
}

const CAUSES: readonly ThreadEnd[] = ["throws", "rejects", "throws in the middle of a request", "end"];

test.each(CAUSES)("the process survives threads under load that end because: %s", { timeout: 300_000 }, async (threadEnd) => {
  const server = await serve();
  for (let count = 0; count < ENDS_PER_CAUSE; count++) {
    const { flowing, stop } = load(server.port);
    onTestFinished(stop);
    await flowing;
    await server.killAll(threadEnd, stop);
  }
  expect(await server.stop()).toBe(0);
});
