// A thread with a well-behaved caller: one call after another at a steady rate. Reports how long each took and how many failed.
import { Agent, request } from "node:http";
import { parentPort, workerData } from "node:worker_threads";

/** Its input. */
export interface Calls {
  readonly port: number;
  readonly key: string;
  readonly path: string;
  readonly perSecond: number;
  readonly forMs: number;
}

/** What it reports. */
export interface Outcome {
  readonly tookMs: readonly number[];
  readonly failed: number;
}

const { port, key, path, perSecond, forMs } = workerData as Calls;
const TIMEOUT_MS = 15_000;
const agent = new Agent({ keepAlive: true });
const tookMs: number[] = [];
let failed = 0;

function call(): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const startedMs = performance.now();
  const end = (isGood: boolean): void => {
    tookMs.push(performance.now() - startedMs);
    failed += isGood ? 0 : 1;
    resolve();
  };
  const sent = request({ host: "127.0.0.1", port, path, agent, headers: { "x-gateway-key": key }, timeout: TIMEOUT_MS });
  sent.on("response", (response) => {
    response.resume();
    response.once("end", () => end(response.statusCode === 200));
  });
  sent.on("timeout", () => sent.destroy(new Error("no response")));
  sent.on("error", () => end(false));
  sent.end();
  return promise;
}

const calls: Promise<void>[] = [];
const startMs = performance.now();
for (let number = 0; number < (perSecond * forMs) / 1000; number += 1) {
  const dueMs = startMs + (number * 1000) / perSecond;
  await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueMs - performance.now())));
  calls.push(call());
}
await Promise.all(calls);
agent.destroy();
const outcome: Outcome = { tookMs, failed };
parentPort?.postMessage(outcome);
