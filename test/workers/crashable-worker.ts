// A worker thread that fails on command, in each way in which threads fail.
import { parentPort, workerData } from "node:worker_threads";
import { createLog } from "../../src/runtime/log.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import { runWorkerThread } from "../../src/workers/worker-thread-entry.ts";
import { sharedClock } from "./clock-of-threads.ts";
import type { WorkerData } from "./worker.ts";

/** The commands besides those of the main thread. */
export type Break = "throws" | "rejects" | "throws in the middle of a request" | "is busy";

const BUSY_MS = 300;

const { data, time } = workerData as WorkerData;
let isBroken = false;
const randomness = {
  ...systemRandomness,
  // Each request uses it while its connection is being read.
  uuid(): string {
    if (isBroken) {
      throw new Error("There is no randomness left.");
    }
    return systemRandomness.uuid();
  },
};
parentPort?.on("message", ({ kind }: { readonly kind: Break }) => {
  switch (kind) {
    case "throws":
      throw new Error("It is broken.");
    case "rejects":
      void Promise.reject(new Error("It is broken."));
      break;
    case "throws in the middle of a request":
      isBroken = true;
      break;
    case "is busy":
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, BUSY_MS);
      break;
  }
});
if (parentPort !== null) {
  await runWorkerThread({ port: parentPort, data, clock: sharedClock(time), randomness, log: createLog("silent") });
}
