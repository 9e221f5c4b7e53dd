// A server in a separate process whose threads end on command, in a chosen way.
import { EventEmitter, once } from "node:events";
import { Worker } from "node:worker_threads";
import { buildApp } from "../../src/app.ts";
import { createLog } from "../../src/runtime/log.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import { readConfig } from "../../src/server-config.ts";
import { sharedClock, sharedTime } from "./clock-of-threads.ts";
import type { Break } from "./crashable-worker.ts";
import type { WorkerData } from "./worker.ts";

/** How a thread ends: by its own fault, or on the main thread's command. */
export type ThreadEnd = Break | "end";

/** A command to the server. */
export type ServerCommand = { readonly kind: "kill"; readonly threadEnd: ThreadEnd } | { readonly kind: "stop" };

/** A message from the server. */
export type ServerMessage =
  | { readonly kind: "serving"; readonly port: number }
  /** All threads have ended. */
  | { readonly kind: "dead" }
  /** Others have taken their places. */
  | { readonly kind: "replaced" };

// A thread that lived this long is replaced at once.
const LIFE_MS = 10_000;

const send = (message: ServerMessage): void => {
  process.send?.(message);
};
const time = sharedTime();
const workers = new Map<number, Worker>();
// Its events are named after the thread's number.
const starts = new EventEmitter();
const config = readConfig(process.env);
const app = await buildApp(config, {
  clock: sharedClock(time),
  randomness: systemRandomness,
  log: createLog("silent"),
  startThread(data) {
    const workerData: WorkerData = { data, time };
    const worker = new Worker(new URL("./crashable-worker.ts", import.meta.url), { workerData });
    workers.set(data.thread, worker);
    starts.emit(String(data.thread), worker);
    return worker;
  },
});

const isListening = async (worker: Worker): Promise<void> => {
  let said = "";
  while (said !== "listening") {
    [{ kind: said }] = (await once(worker, "message")) as [{ kind: string }];
  }
};

async function killAll(threadEnd: ThreadEnd): Promise<void> {
  Atomics.add(time, 0, LIFE_MS);
  const dying = [...workers.values()];
  const replacements = dying.map((_, thread) => once(starts, String(thread)).then(([worker]) => isListening(worker as Worker)));
  const ended = dying.map((worker) => once(worker, "exit"));
  for (const worker of dying) {
    worker.postMessage({ kind: threadEnd });
  }
  await Promise.all(ended);
  send({ kind: "dead" });
  await Promise.all(replacements);
  send({ kind: "replaced" });
}

process.on("message", async (command: ServerCommand) => {
  if (command.kind === "kill") {
    await killAll(command.threadEnd);
  } else {
    await app.close();
    process.disconnect?.();
  }
});
send({ kind: "serving", port: (await app.listen()).port });
