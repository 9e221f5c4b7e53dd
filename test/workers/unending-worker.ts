// A worker thread that does not stop, and ends when it is told to.
import { parentPort } from "node:worker_threads";

parentPort?.on("message", ({ kind }: { readonly kind: string }) => (kind === "end" ? process.exit() : undefined));
parentPort?.postMessage({ kind: "ready" });
