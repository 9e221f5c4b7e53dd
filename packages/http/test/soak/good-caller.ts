// A thread that makes one call after another, and reports the 99th percentile of their durations, in milliseconds.
import { once } from "node:events";
import { connect } from "node:http2";
import { parentPort, workerData } from "node:worker_threads";

const { port, forMs } = workerData as { port: number; forMs: number };
const session = connect(`http://127.0.0.1:${port}`);
const took: number[] = [];
const endMs = performance.now() + forMs;
while (performance.now() < endMs) {
  const startedMs = performance.now();
  const stream = session.request({ ":path": "/" });
  stream.resume();
  await once(stream, "close");
  took.push(performance.now() - startedMs);
}
session.destroy();
parentPort?.postMessage(took.toSorted((a, b) => a - b)[Math.floor(took.length * 0.99)] ?? Number.NaN);
