// A worker thread of a test that breaks when it is told to, in the ways in which threads do.
import { parentPort, workerData } from "node:worker_threads";
import { createLog } from "../../src/runtime/log.ts";
import { systemRandomness } from "../../src/runtime/randomness.ts";
import { runWorkerThread } from "../../src/workers/worker-thread.ts";
import { sharedClock } from "./clock-of-threads.ts";
import type { WorkerData } from "./worker.ts";

/** What it can be told beside what the main thread tells a thread. */
export type Break = "throws" | "rejects" | "throws in the midst of a request" | "is busy";

const BUSY_MS = 300;

const { data, time } = workerData as WorkerData;
let isBroken = false;
const randomness = {
  ...systemRandomness,
  // Each request asks for it, while its connection is being read.
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
    case "throws in the midst of a request":
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
