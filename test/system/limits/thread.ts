// A worker thread of a node under test: the product's own, with a clock that is stepped and a log that the harness hears.
import { type MessagePort, parentPort, workerData } from "node:worker_threads";
import { systemRandomness } from "../../../src/runtime/randomness.ts";
import type { WorkerThreadData } from "../../../src/workers/messages.ts";
import { runWorkerThread } from "../../../src/workers/worker-thread.ts";
import { createNodeLog } from "./node-log.ts";
import { type Offset, steppedClock } from "./stepped-clock.ts";

/** What it is handed. */
export interface LimitsThreadData {
  readonly data: WorkerThreadData;
  readonly offset: Offset;
  /** Takes news to the node. */
  readonly news: MessagePort;
}

const { data, offset, news } = workerData as LimitsThreadData;
if (parentPort === null) {
  throw new Error("This file is the beginning of a worker thread and not of a program.");
}
// Where it stands, with whatever is under way, when it is told so.
news
  .on("message", () => {
    throw new Error("The thread is broken.");
  })
  .unref();
const log = createNodeLog(data.thread, (one) => news.postMessage(one));
await runWorkerThread({ port: parentPort, data, clock: steppedClock(offset), randomness: systemRandomness, log });
