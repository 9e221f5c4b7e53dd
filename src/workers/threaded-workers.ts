// The workers of a process that serves calls in several threads. The main thread owns the store and the leases, and supervises the threads.
// It serves nothing itself.
import { Worker } from "node:worker_threads";
import type { MetricsMemory } from "../operations/metrics/worker-metrics.ts";
import { releaseIdleMemory, threadHeap } from "../runtime/idle-memory.ts";
import { MainThreadServer } from "./main-thread-server.ts";
import type { WorkerThreadData } from "./messages.ts";
import { WorkerPool } from "./worker-pool.ts";
import type { Workers, WorkersOptions } from "./workers.ts";

/** Starts a thread, which runs `runWorkerThread` with the data. */
export type StartThread = (data: WorkerThreadData) => Worker;

/** Starts a thread with the program's own entry point. */
export const startThread: StartThread = (data) =>
  new Worker(new URL("../start.js", import.meta.url), { workerData: data, name: `quintet-${data.thread}` });

/** Starts the threads. Rejects, with none left running, if one of them cannot start. */
export async function startThreadedWorkers(options: WorkersOptions & { readonly startThread: StartThread }): Promise<Workers> {
  const { config, tlsWatch, store, leaseOwner, plans, callFeed, extraHeaders, clock, log, metrics, redisCells, publicKeyCells } =
    options;
  const { workers: threads, drainDelayMs, drainMs } = config;
  const data: Omit<WorkerThreadData, "thread" | "tls" | "plans" | "metrics"> = {
    threads,
    config,
    memory: leaseOwner.memory,
    nodeStatus: store.nodeStatus.cells,
    redisCells,
    publicKeyCells,
    watchedAccounts: callFeed.accounts.memory,
    extraHeaders,
  };
  const pool = new WorkerPool({
    threads,
    start: (thread) =>
      options.startThread({
        ...data,
        plans: plans.all,
        tls: tlsWatch?.contents,
        thread,
        metrics: metrics[thread] as MetricsMemory,
      }),
    mainThreadServer: new MainThreadServer(options),
    clock,
    log,
    drainDelayMs,
    drainMs,
  });
  try {
    await pool.start();
  } catch (error) {
    await pool.stop();
    throw error;
  }
  // In each thread, the worker tunes V8 itself. The main thread needs memory too: it runs the account services, metrics and backups.
  const stopReleasing = releaseIdleMemory(clock, threadHeap());
  return {
    listen: (host, port) => pool.listen(host, port),
    useTls: (tls) => pool.broadcast({ kind: "useTls", tls }),
    usePlans: (offered) => pool.broadcast({ kind: "usePlans", plans: offered }),
    changed: (accountId) => pool.broadcast({ kind: "changed", accountId }),
    threads: () => pool.counts(),
    stop() {
      stopReleasing();
      return pool.stop();
    },
  };
}
