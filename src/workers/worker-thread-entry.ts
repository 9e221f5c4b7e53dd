// The entry point of a worker thread, as main.ts is for the process: passes it the clock, randomness, and its data.
import { parentPort, workerData } from "node:worker_threads";
import { systemClock } from "../runtime/clock.ts";
import { createLog } from "../runtime/log.ts";
import { systemRandomness } from "../runtime/randomness.ts";
import type { WorkerThreadData } from "./messages.ts";
import { runWorkerThread } from "./worker-thread.ts";

const data = workerData as WorkerThreadData;
if (parentPort === null) {
  throw new Error("This file begins a worker thread, not a program.");
}
await runWorkerThread({
  port: parentPort,
  data,
  clock: systemClock,
  randomness: systemRandomness,
  log: createLog(data.config.logLevel),
});
