// A thread that ends while HTTP/2 requests arrive takes nothing with it but its connections. Node would abort the process, which no test in
// that process would survive, so the server is a process of its own.
import { fork } from "node:child_process";
import { EventEmitter, once } from "node:events";
import { type ClientHttp2Session, connect } from "node:http2";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { DEAD_UPSTREAMS } from "../fixtures/dead-upstreams.ts";
import { temporaryDirectory } from "../fixtures/temporary-directory.ts";
import type { Death, ServerNews, ServerOrder } from "./crashable-server.ts";

const THREADS = 2;
const SESSIONS = 8;
// Of each session at once.
const REQUESTS = 16;
// Of every thread, for each cause.
const DEATHS = 4;
const BODY = Buffer.alloc(1000);

interface Server {
  readonly port: number;
  /** Ends all threads; `dead` is called when they have, and it resolves when others have taken their places. */
  killAll(death: Death, dead: () => void): Promise<void>;
  /** Lets it stop, and answers its exit code, or the signal that ended it. */
  stop(): Promise<number | string>;
}

async function serve(): Promise<Server> {
  const child = fork(join(import.meta.dirname, "crashable-server.ts"), {
    env: {
      PATH: process.env.PATH,
      // Otherwise each of the threads would strip and compile everything again.
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
  // Whether anybody waits for news or not.
  over.catch(() => {});
  const all = new EventEmitter<Record<ServerNews["kind"], [ServerNews]>>();
  child.on("message", (news: ServerNews) => all.emit(news.kind, news));
  const heard = async (kind: ServerNews["kind"]): Promise<ServerNews> => (await Promise.race([once(all, kind), over]))[0];
  const order = (what: ServerOrder): boolean => child.send(what);
  const first = await heard("serving");
  return {
    port: first.kind === "serving" ? first.port : 0,
    async killAll(death, dead) {
      const both = [heard("dead").then(dead), heard("replaced")];
      order({ kind: "kill", death });
      await Promise.all(both);
    },
    stop() {
      order({ kind: "stop" });
      return ended;
    },
  };
}

/** Requests on several connections, one after another's answer. */
interface Load {
  /** Resolves when there have been answers enough. */
  readonly flowing: Promise<void>;
  stop(): void;
}

// The requests are refused for want of a key, before a byte of their bodies is read. A connection that breaks is made again, so that a thread
// that has none, by the kernel's choice, gets those of the threads that have ended.
function load(port: number): Load {
  const { promise: flowing, resolve } = Promise.withResolvers<void>();
  const sessions = new Set<ClientHttp2Session>();
  let answers = 0;
  let isOver = false;
  const ask = (session: ClientHttp2Session): void => {
    const stream = session.request({ ":method": "POST", ":path": "/quintet.farkle.v1.FarkleService/Score" });
    stream.on("error", () => {});
    stream.on("response", () => {
      answers += 1;
      if (answers === 2 * SESSIONS * REQUESTS) {
        resolve();
      }
    });
    stream.on("close", () => (session.closed || session.destroyed ? undefined : ask(session)));
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
        ask(session);
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

const DEATHS_TOLD: readonly Death[] = ["throws", "rejects", "throws in the midst of a request", "end"];

test.each(DEATHS_TOLD)("the process survives threads under load that end because: %s", { timeout: 300_000 }, async (death) => {
  const server = await serve();
  for (let count = 0; count < DEATHS; count++) {
    const { flowing, stop } = load(server.port);
    onTestFinished(stop);
    await flowing;
    await server.killAll(death, stop);
  }
  expect(await server.stop()).toBe(0);
});
