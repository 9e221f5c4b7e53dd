// A worker thread's edge, as main.ts is the process's: what it was handed, the time, and randomness.
import { enableCompileCache } from "node:module";
import { parentPort, workerData } from "node:worker_threads";
import type { ThreadData } from "./protocol.ts";

// As in main.ts: what is imported from here on is found compiled, by the second thread already.
enableCompileCache();
const { systemClock } = await import("../clock.ts");
const { createLog } = await import("../log.ts");
const { systemRandomness } = await import("../randomness.ts");
const { runThread } = await import("./thread.ts");

const data = workerData as ThreadData;
if (parentPort === null) {
  throw new Error("This file is the beginning of a worker thread and not of a program.");
}
await runThread({ port: parentPort, data, clock: systemClock, randomness: systemRandomness, log: createLog(data.config.logLevel) });
