// The sources of a worker in its own thread: shared memory for what each call reads, messages to the main thread for the rest.
import { WatchedAccounts } from "../account/watch/watched-accounts.ts";
import { StoreBreaker } from "../guard/breaker/store-breaker.ts";
import { guardLimitsOf } from "../guard/guard-limits.ts";
import { CallsInFlight } from "../guard/memory/calls-in-flight.ts";
import { Epoch } from "../guard/memory/epoch.ts";
import { RefillRound } from "../guard/quota/refill-round.ts";
import { Calendar } from "../runtime/calendar.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import { NodeStatus } from "../store/node-status.ts";
import { createAccountRpcProxy } from "./account-rpc-proxy.ts";
import type { MainThreadClient } from "./main-thread-client.ts";
import type { WorkerThreadData } from "./messages.ts";
import { RemoteLeases } from "./remote-leases.ts";
import type { WorkerSources } from "./worker-sources.ts";

// The main thread knows whether the store responds, and replies immediately, so another request costs little.
const PROBE_INTERVAL_MS = 100;

interface RemoteSourcesOptions {
  readonly mainThread: MainThreadClient;
  readonly data: WorkerThreadData;
  readonly clock: Clock;
  readonly log: Log;
  /** Aborts when the thread is about to die, before it cuts its callers off. */
  readonly endSignal: AbortSignal;
}

export function createRemoteSources({ mainThread, data, clock, log, endSignal }: RemoteSourcesOptions): WorkerSources {
  const { thread, threads, memory, config, nodeStatus } = data;
  // The main thread finds out whether the database is silent or slow.
  const limits = {
    ...guardLimitsOf(config),
    probeIntervalMs: PROBE_INTERVAL_MS,
    storeSilenceMs: Number.POSITIVE_INFINITY,
    storeSlowMs: Number.POSITIVE_INFINITY,
  };
  const calendar = new Calendar(clock);
  const epoch = new Epoch(memory.epoch);
  const inFlight = new CallsInFlight(threads, limits.subscriptionsMax, memory.inFlight);
  const refills = new RefillRound<string>(clock, (keys) => mainThread.send({ kind: "refill", keys }));
  const options = { mainThread, thread, words: memory.slots, inFlight, epoch, calendar, clock, refills, endSignal };
  return {
    store: {
      findCredential: (keyHash) => mainThread.request({ kind: "credential", input: keyHash }),
      addUsage: (counts, id) => mainThread.request({ kind: "usage", input: { counts, id } }),
      addRefusals: (counts, id) => mainThread.request({ kind: "refusals", input: { counts, id } }),
    },
    leases: new RemoteLeases(options, 2 * limits.subscriptionsMax),
    breaker: new StoreBreaker(clock, log, limits),
    calendar,
    epoch,
    slots: memory.slots,
    nodeStatus: new NodeStatus(nodeStatus),
    limits,
    accountRpc: createAccountRpcProxy(mainThread),
    callWatch: {
      watched: new WatchedAccounts(data.watchedAccounts),
      passOn: (batches) => mainThread.send({ kind: "calls", batches }),
      logCalls: (calls) => mainThread.send({ kind: "loggedCalls", calls }),
    },
  };
}
