// A worker thread's edge, as main.ts is the process's: what it was handed, the time, and randomness.
import { parentPort, workerData } from "node:worker_threads";
import { systemClock } from "../runtime/clock.ts";
import { createLog } from "../runtime/log.ts";
import { systemRandomness } from "../runtime/randomness.ts";
import type { WorkerThreadData } from "./messages.ts";
import { runWorker } from "./worker.ts";

const data = workerData as WorkerThreadData;
if (parentPort === null) {
  throw new Error("This file is the beginning of a worker thread and not of a program.");
}
await runWorker({ port: parentPort, data, clock: systemClock, randomness: systemRandomness, log: createLog(data.config.logLevel) });
