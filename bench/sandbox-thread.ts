// A worker thread with the sandbox's stand-ins, for benchmarks on the main thread. Reports their addresses.
import { parentPort } from "node:worker_threads";
import { systemClock as clock } from "../src/runtime/clock.ts";
import { startSandbox } from "../src/sandbox/sandbox.ts";

const { variables } = await startSandbox({ clock, controlPort: 0 });
parentPort?.postMessage(variables);
