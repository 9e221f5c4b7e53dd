// A gateway whose threads a test can tell apart: every response of a service names its thread, and a connection stays with its
// thread. The threads are the product's own except for their clock, which stands still until the test moves it.
import { once } from "node:events";
import { type ClientHttp2Session, connect, type IncomingHttpHeaders } from "node:http2";
import { Worker } from "node:worker_threads";
import { onTestFinished } from "vitest";
import { type Gateway, type GatewayOptions, startGateway } from "../fixtures/gateway.ts";
import { tally } from "../system/quota/verdict.ts";
import { type SharedTime, sharedClock, sharedTime } from "./clock-of-threads.ts";
import type { WorkerData } from "./worker.ts";

/** A response, and the thread that sent it. */
export interface Responded {
  readonly status: number;
  readonly reason: string;
  readonly headers: IncomingHttpHeaders;
}

/** One connection, and with it one thread. */
export interface Caller {
  /** The thread's number, and how many threads it has replaced: `0.0` at first. */
  readonly thread: string;
  call(path: string, key: string): Promise<Responded>;
  /** Closes the connection when nothing is in progress on it. */
  close(): Promise<void>;
}

/** A gateway with threads. */
export interface TestWorkerPool extends Gateway {
  readonly time: SharedTime;
  /** All threads ever started, by name. */
  readonly workers: ReadonlyMap<string, Worker>;
  /** Opens connections until one reaches the thread with this name. */
  reach(thread: string): Promise<Caller>;
}

/** The header that names the thread. */
export const MARK = "x-thread";

/** Starts a gateway, which is closed when the test ends. */
export async function startWorkerPool(
  threads: number,
  options: GatewayOptions = {},
  entry = "./worker.ts",
): Promise<TestWorkerPool> {
  const time = sharedTime();
  const workers = new Map<string, Worker>();
  const gateway = await startGateway({
    ...options,
    clock: sharedClock(time),
    variables: { ...options.variables, QUINTET_WORKERS: String(threads) },
    startThread(data) {
      const before = [...workers.keys()].filter((name) => name.startsWith(`${data.thread}.`)).length;
      const name = `${data.thread}.${before}`;
      const workerData: WorkerData = { data: { ...data, extraHeaders: { [MARK]: name } }, time };
      const worker = new Worker(new URL(entry, import.meta.url), { workerData });
      workers.set(name, worker);
      return worker;
    },
  });
  onTestFinished(() => gateway.close());
  return { ...gateway, time, workers, reach: (thread) => reach(gateway.origin, thread) };
}

/** Opens a connection to each of the first threads. */
export const reachAll = (workerPool: TestWorkerPool, threads: number): Promise<Caller[]> =>
  Promise.all(Array.from({ length: threads }, (_, thread) => workerPool.reach(`${thread}.0`)));

async function reach(origin: string, thread: string): Promise<Caller> {
  for (;;) {
    const caller = await open(origin);
    if (caller?.thread === thread) {
      return caller;
    }
    await caller?.close();
  }
}

// Undefined if the connection reached a thread that is ending.
async function open(origin: string): Promise<Caller | undefined> {
  const session = connect(origin);
  session.on("error", () => {});
  try {
    const { headers } = await send(session, "/farkle/v1/score?dice=1", "");
    return {
      thread: String(headers[MARK]),
      call: (path, key) => send(session, path, key),
      async close() {
        session.close();
        await once(session, "close");
      },
    };
  } catch {
    session.destroy();
    return undefined;
  }
}

async function send(session: ClientHttp2Session, path: string, key: string): Promise<Responded> {
  const stream = session.request({ ":path": path, "x-gateway-key": key });
  const headers = await new Promise<IncomingHttpHeaders & { ":status": number }>((resolve, reject) => {
    stream.once("response", (head) => resolve(head as IncomingHttpHeaders & { ":status": number }));
    stream.once("error", reject);
    stream.once("close", () => reject(new Error("The connection was cut.")));
  });
  const body = JSON.parse((await stream.setEncoding("utf8").toArray()).join("")) as { error?: { reason: string } };
  return { status: headers[":status"], reason: body.error?.reason ?? "OK", headers };
}

/**
 * Makes concurrent calls on each connection, and counts their outcomes. A call is retried if the response asks for that, because so many
 * calls wait for the store.
 */
export async function callAll(
  callers: readonly Caller[],
  path: string,
  key: string,
  each: number,
): Promise<Record<string, number>> {
  const call = async (caller: Caller): Promise<string> => {
    const { reason } = await caller.call(path, key);
    return reason === "LIMITS_UNAVAILABLE" ? call(caller) : reason;
  };
  const calls = callers.flatMap((caller) => Array.from({ length: each }, () => call(caller)));
  return tally(await Promise.all(calls));
}
