// A worker thread's edge, as main.ts is the process's: what it was handed, the time, and randomness.
import { parentPort, workerData } from "node:worker_threads";
import { systemClock } from "../runtime/clock.ts";
import { createLog } from "../runtime/log.ts";
import { systemRandomness } from "../runtime/randomness.ts";
import type { ThreadData } from "./messages.ts";
import { runThread } from "./worker.ts";

const data = workerData as ThreadData;
if (parentPort === null) {
  throw new Error("This file is the beginning of a worker thread and not of a program.");
}
await runThread({ port: parentPort, data, clock: systemClock, randomness: systemRandomness, log: createLog(data.config.logLevel) });
