// A worker thread that reports that it is ready, and ends.
import { parentPort } from "node:worker_threads";

parentPort?.postMessage({ kind: "ready" });
