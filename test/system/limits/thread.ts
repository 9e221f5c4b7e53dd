// A worker thread of a node under test: the product's own, with a clock that the harness steps and a log that the harness reads.
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { systemRandomness } from "../../../src/runtime/randomness.ts";
import type { WorkerThreadData } from "../../../src/workers/messages.ts";
import { runWorkerThread } from "../../../src/workers/worker-thread-entry.ts";
import { createNodeLog } from "./node-log.ts";
import { type Offset, steppedClock } from "./stepped-clock.ts";

/** What it gets at its start. */
export interface LimitsThreadData {
  readonly data: WorkerThreadData;
  readonly offset: Offset;
  /** Sends reports to the node. */
  readonly news: MessagePort;
}

const { data, offset, news } = workerData as LimitsThreadData;
if (parentPort === null) {
  throw new Error("This file is the beginning of a worker thread and not of a program.");
}
// Throws on order, with whatever is in progress.
news
  .on("message", () => {
    throw new Error("The thread is broken.");
  })
  .unref();
const log = createNodeLog(data.thread, (one) => news.postMessage(one));
await runWorkerThread({ port: parentPort, data, clock: steppedClock(offset), randomness: systemRandomness, log });
