import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import { SlotTable } from "../../../src/guard/memory/slots.ts";
import { SlotLease } from "../../../src/guard/quota/slot-lease.ts";
import { SharedBuckets } from "../../../src/guard/rate/bucket.ts";
import { dayAt } from "../../../src/runtime/calendar.ts";
import type { HammerTask } from "../hammer.ts";
import { NOON_MS } from "../scene.ts";

const day = dayAt(NOON_MS);

function hammer(task: HammerTask): Promise<number> {
  const worker = new Worker(new URL("../hammer.ts", import.meta.url), { workerData: task });
  return new Promise((resolve, reject) => {
    worker.once("message", resolve);
    worker.once("error", reject);
  });
}

function taskOf(kind: HammerTask["kind"], words: BigInt64Array, generation = 0): HammerTask {
  const time = new Int32Array(new SharedArrayBuffer(8));
  return { kind, words, time, workers: 2, untilMs: 10_000, requestsPerSecond: 1000, day, generation };
}

test("two threads take exactly as many tokens from one bucket as one would", async () => {
  const { words } = new SlotTable(1);
  const task = taskOf("bucket", words);
  const taken = await Promise.all([hammer(task), hammer(task)]);
  const endMs = Atomics.load(task.time, 0);
  const buckets = new SharedBuckets(words);
  let rest = 0;
  while (buckets.take(0, 1000, endMs).taken) {
    rest++;
  }
  // The burst, and one token for each elapsed millisecond.
  expect(taken.reduce((sum, count) => sum + count, rest)).toBe(1000 + endMs);
});

test("two threads spend one lease exactly, including refunds", async () => {
  const { words } = new SlotTable(1);
  const lease = SlotLease.claim(words, 0);
  lease.noteGranted(day, 200_000, 1_000_000, 1);
  const task = taskOf("lease", words, lease.generation);
  const spent = await Promise.all([hammer(task), hammer(task)]);
  expect(spent.reduce((sum, count) => sum + count, lease.left(day))).toBe(200_000);
});
