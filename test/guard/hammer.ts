// A worker thread that hammers one slot of shared memory in parallel with another: it takes tokens while it advances the shared time, or
// spends a lease until nothing is left. It posts how many it got.
import { parentPort, workerData } from "node:worker_threads";
import { SlotLease } from "../../src/guard/quota/slot-lease.ts";
import { SharedBuckets } from "../../src/guard/rate/bucket.ts";
import type { Day } from "../../src/runtime/calendar.ts";

/** A worker's task. */
export interface HammerTask {
  readonly kind: "bucket" | "lease";
  readonly words: BigInt64Array;
  /** The time in milliseconds, which the workers advance together, and the number of ready workers. */
  readonly time: Int32Array;
  readonly workers: number;
  readonly untilMs: number;
  readonly requestsPerSecond: number;
  readonly day: Day;
  /** Of the lease. */
  readonly generation: number;
}

const ATTEMPTS_PER_MS = 50;

function hammerBucket({ words, time, untilMs, requestsPerSecond }: HammerTask): number {
  const buckets = new SharedBuckets(words);
  let taken = 0;
  for (let attempt = 1; Atomics.load(time, 0) < untilMs; attempt++) {
    const take = buckets.take(0, requestsPerSecond, Atomics.load(time, 0));
    taken += take.taken ? 1 : 0;
    // Some tokens are refunded, like those of a call that the month refuses.
    if (take.taken && attempt % 7 === 0) {
      buckets.refund(0, requestsPerSecond);
      taken--;
    }
    if (attempt % ATTEMPTS_PER_MS === 0) {
      Atomics.add(time, 0, 1);
    }
  }
  return taken;
}

function hammerLease({ words, day, generation }: HammerTask): number {
  const lease = new SlotLease(words, 0, generation);
  const leaseId = lease.leaseIdOf(day);
  let spent = 0;
  for (let attempt = 1; lease.spend(day) !== undefined; attempt++) {
    spent++;
    if (attempt % 5 === 0) {
      lease.refund(leaseId, 1);
      spent--;
    }
  }
  return spent;
}

// All wait until all are ready; otherwise one would finish before the other starts.
function waitForAll({ time, workers }: HammerTask): void {
  Atomics.add(time, 1, 1);
  Atomics.notify(time, 1);
  for (let ready = Atomics.load(time, 1); ready < workers; ready = Atomics.load(time, 1)) {
    Atomics.wait(time, 1, ready);
  }
}

const task = workerData as HammerTask;
waitForAll(task);
parentPort?.postMessage(task.kind === "bucket" ? hammerBucket(task) : hammerLease(task));
