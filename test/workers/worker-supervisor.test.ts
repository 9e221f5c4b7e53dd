// A worker that dies is replaced, after growing pauses while its replacements die soon after their start.
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, onTestFinished, test } from "vitest";
import type { AccountRpc } from "../../src/account/rpc/account-rpc.ts";
import { CallFeed } from "../../src/account/watch/call-feed.ts";
import { DEFAULT_GUARD_LIMITS } from "../../src/guard/guard-limits.ts";
import { createLeaseOwner } from "../../src/guard/lease-owner.ts";
import { MainThreadServer } from "../../src/workers/main-thread-server.ts";
import { WorkerPool } from "../../src/workers/worker-pool.ts";
import { WorkerSupervisor } from "../../src/workers/worker-supervisor.ts";
import { createManualClock } from "../fixtures/manual-clock.ts";
import { MemoryStore } from "../guard/memory-store.ts";
import { createMemoryLog, NOON_MS, settled } from "../guard/scene.ts";

function createPlace(entry: string) {
  const clock = createManualClock({ nowMs: NOON_MS });
  const log = createMemoryLog();
  const store = new MemoryStore();
  const limits = { ...DEFAULT_GUARD_LIMITS, subscriptionsMax: 4 };
  const owner = createLeaseOwner({ store, clock, log, limits, threads: 1 });
  // No customer calls.
  const accountRpc = {} as AccountRpc;
  const callFeed = new CallFeed(clock);
  const mainThreadServer = new MainThreadServer({
    store,
    leaseOwner: owner,
    accountRpc,
    callFeed,
    callLog: { add() {} },
    clock,
    limits,
  });
  const workers: Worker[] = [];
  // The errors with which the system refuses to start threads, in order.
  const faults: (Error | undefined)[] = [];
  const start = (): Worker => {
    const fault = faults.shift();
    if (fault !== undefined) {
      throw fault;
    }
    const worker = new Worker(new URL(entry, import.meta.url));
    workers.push(worker);
    return worker;
  };
  return { clock, log, workers, faults, start, mainThreadServer };
}

function createSupervisor(entry: string) {
  const place = createPlace(entry);
  const supervisor = new WorkerSupervisor({ ...place, thread: 0 });
  onTestFinished(() => supervisor.stop(0));
  return { ...place, supervisor };
}

const noThread = new Error("The system has no thread left.");

test("a thread that ends soon after its start is replaced after a growing pause, and one that ran for a while at once", async () => {
  const { clock, workers, supervisor } = createSupervisor("./ending-worker.ts");
  const readiness = supervisor.ready();
  const lastEnd = async (): Promise<void> => {
    await once(workers.at(-1) as Worker, "exit");
    await settled();
  };
  await Promise.all([readiness, lastEnd()]);
  for (const pauseMs of [100, 200, 400, 800, 1600, 3200, 5000, 5000]) {
    const before = workers.length;
    clock.advance(pauseMs - 1);
    expect(workers).toHaveLength(before);
    clock.advance(1);
    expect(workers).toHaveLength(before + 1);
    await lastEnd();
  }
  clock.advance(5000);
  const before = workers.length;
  clock.advance(10_000);
  await lastEnd();
  clock.advance(0);
  expect(workers).toHaveLength(before + 1);
  await lastEnd();
});

test.each([
  ["./unending-worker.ts", "gets the command to end", 0],
  ["./unresponsive-worker.ts", "is terminated if it does not end either", 1000],
])("a thread that does not stop in time (%s) %s", async (entry, _, endMs) => {
  const { clock, log, supervisor } = createSupervisor(entry);
  await supervisor.ready();
  let hasStopped = false;
  const stopped = supervisor.stop(5000).then(() => {
    hasStopped = true;
  });
  clock.advance(4999);
  expect(log.lines).toEqual([]);
  clock.advance(1);
  expect(log.lines).toEqual(["a worker thread did not stop in time; ending it"]);
  if (endMs > 0) {
    clock.advance(endMs - 1);
    await settled();
    expect(hasStopped).toBe(false);
    clock.advance(1);
  }
  await stopped;
  expect(clock.pending).toBe(0);
});

test("a thread that cannot start is not replaced, and its error is reported", async () => {
  const { clock, log, workers, supervisor } = createSupervisor("./failing-worker.ts");
  await expect(supervisor.ready()).rejects.toThrow("This worker fails at its start.");
  clock.advance(60_000);
  expect(workers).toHaveLength(1);
  expect(log.lines).toEqual(["a worker thread failed"]);
});

test("a thread that is stopped before it can listen is not replaced", async () => {
  const { clock, workers, supervisor } = createSupervisor("./unending-worker.ts");
  const readiness = supervisor.ready();
  const stopped = supervisor.stop(0);
  await readiness;
  clock.advance(0);
  await stopped;
  clock.advance(60_000);
  expect(workers).toHaveLength(1);
});

test("a thread that has ended cannot start to listen", async () => {
  const { workers, supervisor } = createSupervisor("./ending-worker.ts");
  await Promise.all([supervisor.ready(), once(workers[0] as Worker, "exit")]);
  await expect(supervisor.listen({ host: "127.0.0.1", port: 0 }, true)).rejects.toThrow("A worker thread ended on its own.");
});

test("if the system cannot start a replacement, it is tried again after a growing pause", async () => {
  const { clock, log, workers, faults, supervisor } = createSupervisor("./ending-worker.ts");
  // The first one has run for a while.
  clock.advance(10_000);
  await Promise.all([supervisor.ready(), once(workers[0] as Worker, "exit")]);
  await settled();
  faults.push(noThread, noThread, noThread);
  for (const [pauseMs, faultsLeft] of [
    [0, 2],
    [100, 1],
    [200, 0],
  ] as const) {
    expect(faults).toHaveLength(faultsLeft + 1);
    clock.advance(pauseMs);
    await settled();
    expect(faults).toHaveLength(faultsLeft);
  }
  expect(log.lines.at(-2)).toBe("a worker thread that ended could not be replaced");
  clock.advance(400);
  expect(workers).toHaveLength(2);
  await once(workers[1] as Worker, "exit");
});

test("if the system cannot start all threads, those that were started can be stopped", async () => {
  const { workers, faults, ...place } = createPlace("./unending-worker.ts");
  const workerPool = new WorkerPool({ ...place, threads: 2, drainDelayMs: 0, drainMs: 0 });
  faults.push(undefined, noThread);
  await expect(workerPool.start()).rejects.toThrow(noThread);
  const stopped = workerPool.stop();
  // It does not close its port, and does not stop.
  place.clock.advance(1000);
  await settled();
  place.clock.advance(5000);
  await stopped;
  expect(workers.map(({ threadId }) => threadId)).toEqual([-1]);
});
