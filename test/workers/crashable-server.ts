// A server as a process of its own, whose threads all end whenever it is told, and in the way that it is told.
import { EventEmitter, once } from "node:events";
import { Worker } from "node:worker_threads";
import { buildApp } from "../../src/app.ts";
import { createLog } from "../../src/runtime/log.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import { readConfig } from "../../src/server-config.ts";
import { sharedClock, sharedTime } from "./clock-of-threads.ts";
import type { Break } from "./crashable-worker.ts";
import type { WorkerData } from "./worker.ts";

/** How a thread ends: by its own fault, or as the main thread asks it to. */
export type Death = Break | "end";

/** What it is told. */
export type ServerOrder = { readonly kind: "kill"; readonly death: Death } | { readonly kind: "stop" };

/** What it says. */
export type ServerNews =
  | { readonly kind: "serving"; readonly port: number }
  /** All threads have ended. */
  | { readonly kind: "dead" }
  /** Others have taken their places. */
  | { readonly kind: "replaced" };

// A thread that lived this long is replaced at once.
const LIFE_MS = 10_000;

const tell = (news: ServerNews): void => {
  process.send?.(news);
};
const time = sharedTime();
const workers = new Map<number, Worker>();
// Each is named after the thread's number.
const births = new EventEmitter();
const config = readConfig(process.env);
const app = await buildApp(config, {
  clock: sharedClock(time),
  randomness: systemRandomness,
  log: createLog("silent"),
  startThread(data) {
    const workerData: WorkerData = { data, time };
    const worker = new Worker(new URL("./crashable-worker.ts", import.meta.url), { workerData });
    workers.set(data.thread, worker);
    births.emit(String(data.thread), worker);
    return worker;
  },
});

const isListening = async (worker: Worker): Promise<void> => {
  let said = "";
  while (said !== "listening") {
    [{ kind: said }] = (await once(worker, "message")) as [{ kind: string }];
  }
};

async function killAll(death: Death): Promise<void> {
  Atomics.add(time, 0, LIFE_MS);
  const dying = [...workers.values()];
  const replacements = dying.map((_, thread) => once(births, String(thread)).then(([worker]) => isListening(worker as Worker)));
  const ended = dying.map((worker) => once(worker, "exit"));
  for (const worker of dying) {
    worker.postMessage({ kind: death });
  }
  await Promise.all(ended);
  tell({ kind: "dead" });
  await Promise.all(replacements);
  tell({ kind: "replaced" });
}

process.on("message", async (order: ServerOrder) => {
  if (order.kind === "kill") {
    await killAll(order.death);
  } else {
    await app.close();
    process.disconnect?.();
  }
});
tell({ kind: "serving", port: (await app.listen()).port });
