// The main thread of a process that serves with several: it owns the store and the leases, serves nothing itself, and looks after those that do.
import type { OutgoingHttpHeaders } from "node:http";
import { Worker } from "node:worker_threads";
import type { AccountRpc } from "../account/rpc/account-rpc.ts";
import type { Plans } from "../catalogue/plans.ts";
import { loadTls } from "../config/tls.ts";
import { GIVING_BACK_MS, guardLimitsOf } from "../guard/guard-limits.ts";
import { createLeaseOwner } from "../guard/lease-owner.ts";
import type { Day } from "../guard/quota/month.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { Randomness } from "../runtime/randomness.ts";
import type { Config } from "../server-config.ts";
import type { GuardStore } from "../store/store.ts";
import { MainThreadServer } from "./main-thread-server.ts";
import type { Address, WorkerThreadData } from "./messages.ts";
import { WorkerPool } from "./worker-pool.ts";

/** What the main thread works with. */
export interface MainThreadOptions {
  readonly config: Config;
  readonly store: GuardStore;
  readonly plans: Plans;
  /** Where accounts are managed. */
  readonly accountRpc: AccountRpc;
  readonly clock: Clock;
  readonly randomness: Pick<Randomness, "uuid">;
  readonly log: Log;
  readonly extraHeaders: OutgoingHttpHeaders;
  /** Starts a thread, which runs `runThread` with what it is handed. */
  readonly startThread: (data: WorkerThreadData) => Worker;
}

/** A process whose threads serve. */
export interface MainThread {
  /** Accepts connections, at the configuration's address. */
  listen(): Promise<Address>;
  /** Reads the TLS files again. Throws, and changes nothing, when they are faulty. */
  reloadTls(): void;
  /** Calls of the month that this process holds for an account and service, which `key` names, and has not spent. */
  unspent(key: string, day: Day): number;
  /** Lets calls under way end, ends the threads, and gives back what was leased and not spent. Never rejects. */
  close(): Promise<void>;
}

/** Starts the thread that the product runs with. */
export const startThread = (data: WorkerThreadData): Worker =>
  new Worker(new URL("../start.js", import.meta.url), { workerData: data, name: `quintet-${data.thread}` });

/** Starts the threads. Rejects, with none left, when one of them cannot begin. */
export async function createMainThread(options: MainThreadOptions): Promise<MainThread> {
  const { config, store, plans, accountRpc, clock, randomness, log, extraHeaders } = options;
  const { workers: threads, drainMs } = config;
  const limits = guardLimitsOf(config);
  const owner = createLeaseOwner({ store, clock, log, limits, threads });
  const mainThreadServer = new MainThreadServer({ store, owner, plans, accountRpc, clock, limits });
  const { memory } = owner;
  const redisUnhealthy = new Int32Array(new SharedArrayBuffer(threads * Int32Array.BYTES_PER_ELEMENT));
  const node = randomness.uuid();
  const nodeStatus = store.nodeStatus.cells;
  const data = { threads, config, plans: plans.all, memory, nodeStatus, redisUnhealthy, node, extraHeaders };
  const start = (thread: number): Worker => options.startThread({ ...data, thread });
  const workerPool = new WorkerPool({ threads, start, mainThreadServer, clock, log, drainMs });
  // After the owner, who counts the change.
  const stopListening = store.onChange((accountId) => workerPool.tellAll({ kind: "changed", accountId }));
  const close = async (): Promise<void> => {
    const untilMs = clock.monotonicMs() + drainMs;
    stopListening();
    await workerPool.stop();
    await owner.close(Math.max(GIVING_BACK_MS, untilMs - clock.monotonicMs()));
  };
  try {
    await workerPool.start();
  } catch (error) {
    await close();
    throw error;
  }
  return {
    async listen() {
      await owner.loadBusiest(plans);
      return workerPool.listen(config.host, config.port);
    },
    reloadTls() {
      if (config.tls !== undefined) {
        loadTls(config.tls);
        workerPool.tellAll({ kind: "reloadTls" });
      }
    },
    unspent: (key, day) => owner.allowances.left(key, day),
    close,
  };
}
