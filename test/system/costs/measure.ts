// Measures the CPU time that batches of bytes cost the thread that serves them.
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { onTestFinished } from "vitest";
import type { Batch } from "./sender.ts";

/** Sends batches to a port that this thread serves. */
export interface Meter {
  /** How many microseconds of this thread's CPU time a batch takes, and how many responses it gets. */
  measure(batch: Batch): Promise<{ readonly us: number; readonly responses: number }>;
}

const neverNotified = new Int32Array(new SharedArrayBuffer(4));

// The kernel updates a thread's CPU time when it stops running, or at the next tick, milliseconds later. So the thread pauses first.
function usedUs(): number {
  Atomics.wait(neverNotified, 0, 0, 1);
  const { user, system } = process.threadCpuUsage();
  return user + system;
}

/** Opens a meter, which is closed after the test. */
export function openMeter(port: number): Meter {
  const sender = new Worker(new URL("./sender.ts", import.meta.url), { workerData: { port } });
  onTestFinished(async () => {
    await sender.terminate();
  });
  const tell = async (step: "open" | "send", batch: Batch): Promise<number> => {
    sender.postMessage({ step, batch });
    const [responses] = (await once(sender, "message")) as [number];
    return responses;
  };
  return {
    async measure(batch) {
      await tell("open", batch);
      const before = usedUs();
      const responses = await tell("send", batch);
      return { us: usedUs() - before, responses };
    },
  };
}

/** The unit of a batch's cost. */
export type Unit = "request" | "byte";

const ROUNDS_MIN = 3;
const ROUNDS_MAX = 20;

/**
 * How many times as much `largest` costs as `plain`, for each request or each byte: the least of each over some rounds, in which they take
 * turns. Other load on the machine can only add to a cost, so there are more rounds until the ratio is at most `ratioMax`, or it is clear
 * that it is not.
 */
export async function costRatio(meter: Meter, largest: Batch, plain: Batch, unit: Unit, ratioMax: number): Promise<number> {
  let [ofLargest, ofPlain] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  const cost = async (batch: Batch): Promise<number> => {
    const { us, responses } = await meter.measure(batch);
    return us / (unit === "byte" ? batch.bytes.length : responses);
  };
  for (let round = 0; round < ROUNDS_MIN || (ofLargest / ofPlain > ratioMax && round < ROUNDS_MAX); round += 1) {
    ofLargest = Math.min(ofLargest, await cost(largest));
    ofPlain = Math.min(ofPlain, await cost(plain));
  }
  return ofLargest / ofPlain;
}
