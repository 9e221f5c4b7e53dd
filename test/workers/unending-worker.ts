// A worker thread that ignores the command to stop, and obeys the command to end.
import { parentPort } from "node:worker_threads";

parentPort?.on("message", ({ kind }: { readonly kind: string }) => (kind === "end" ? process.exit() : undefined));
parentPort?.postMessage({ kind: "ready" });
