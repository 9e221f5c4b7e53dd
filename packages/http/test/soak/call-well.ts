// Runs a well-behaved caller in its own thread during an attack.
import { once } from "node:events";
import { Worker } from "node:worker_threads";

/** How long its calls take: the 99th percentile, in milliseconds. */
export async function callWell(port: number, forMs: number): Promise<number> {
  const worker = new Worker(new URL("./good-caller.ts", import.meta.url), { workerData: { port, forMs } });
  const [p99] = await once(worker, "message");
  return p99;
}
