// A test's worker thread: the product's, with the test's time.
import { parentPort, workerData } from "node:worker_threads";
import { createLog } from "../../src/runtime/log.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import type { WorkerThreadData } from "../../src/workers/messages.ts";
import { runWorkerThread } from "../../src/workers/worker-thread-entry.ts";
import { type SharedTime, sharedClock } from "./clock-of-threads.ts";

/** What a test's worker receives. */
export interface WorkerData {
  readonly data: WorkerThreadData;
  readonly time: SharedTime;
}

const { data, time } = workerData as WorkerData;
if (parentPort !== null) {
  await runWorkerThread({
    port: parentPort,
    data,
    clock: sharedClock(time),
    randomness: systemRandomness,
    log: createLog("silent"),
  });
}
