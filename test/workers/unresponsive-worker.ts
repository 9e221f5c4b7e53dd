// A worker thread that ignores all commands.
import { parentPort } from "node:worker_threads";

parentPort?.on("message", () => {});
parentPort?.postMessage({ kind: "ready" });
