// A node under test, in a separate process: the whole app, with a clock that the harness steps and workers that it kills. Its environment
// is that of the product.
import { MessageChannel, type MessagePort, Worker } from "node:worker_threads";
import { buildApp } from "../../../src/app.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { systemRandomness } from "../../../src/runtime/randomness.ts";
import { readConfig } from "../../../src/server-config.ts";
import type { WorkerThreadData } from "../../../src/workers/messages.ts";
import { createNodeLog, type NodeNews, type NodeOrder } from "./node-log.ts";
import { makeOffset, steppedClock } from "./stepped-clock.ts";
import type { LimitsThreadData } from "./thread.ts";

const tell = (news: NodeNews): void => {
  process.send?.(news);
};
const { LIMITS_OFFSET_MS, ...variables } = process.env;
const offset = makeOffset(Number(LIMITS_OFFSET_MS));
const workers = new Map<number, { readonly worker: Worker; readonly news: MessagePort }>();

function startThread(data: WorkerThreadData): Worker {
  const { port1, port2 } = new MessageChannel();
  port1.on("message", tell).unref();
  const workerData: LimitsThreadData = { data, offset, news: port2 };
  const worker = new Worker(new URL("./thread.js", import.meta.url), { workerData, transferList: [port2] });
  workers.set(data.thread, { worker, news: port1 });
  return worker;
}

async function killWorker(thread: number): Promise<void> {
  const { worker, news } = workers.get(thread) ?? {};
  if (worker !== undefined && worker.threadId !== -1) {
    // A worker that is killed during its start ends with the error that it was told to throw.
    const gone = new Promise((resolve) => worker.once("exit", resolve));
    news?.postMessage("die");
    await gone;
  }
  tell({ kind: "worker killed", atMs: systemClock.monotonicMs(), thread });
}

const app = await buildApp(readConfig(variables), {
  clock: steppedClock(offset),
  randomness: systemRandomness,
  log: createNodeLog(-1, tell),
  startThread,
});

// The harness has gone without stopping it, so nobody needs it.
let isStopped = false;
process.on("disconnect", () => {
  if (!isStopped) {
    process.exit(1);
  }
});
process.on("message", async (order: NodeOrder) => {
  switch (order.kind) {
    case "step":
      Atomics.store(offset, 0, BigInt(order.offsetMs));
      tell({ kind: "stepped" });
      break;
    case "kill worker":
      await killWorker(order.thread);
      break;
    case "stop":
      await app.close();
      tell({ kind: "stopped" });
      isStopped = true;
      process.disconnect?.();
      break;
  }
});
const { port } = await app.listen();
tell({ kind: "listening", port });
