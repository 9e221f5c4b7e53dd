// A worker thread that does nothing that it is told.
import { parentPort } from "node:worker_threads";

parentPort?.on("message", () => {});
parentPort?.postMessage({ kind: "ready" });
