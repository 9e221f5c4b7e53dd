// A good caller beside an attack, who has a thread of its own.
import { once } from "node:events";
import { Worker } from "node:worker_threads";

/** What its calls take: the 99th percentile in milliseconds. */
export async function goodCaller(port: number, forMs: number): Promise<number> {
  const worker = new Worker(new URL("./good-caller.ts", import.meta.url), { workerData: { port, forMs } });
  const [p99] = await once(worker, "message");
  return p99;
}
