// A worker thread: its own services, lanes and listener, behind a guard that works on the memory which all threads share.
import type { MessagePort } from "node:worker_threads";
import { offer } from "../catalogue/plans.ts";
import { StoreBreaker } from "../guard/breaker/store-breaker.ts";
import { guardLimitsOf } from "../guard/guard-limits.ts";
import { Epoch } from "../guard/memory/epoch.ts";
import { CallsInFlight } from "../guard/quota/calls-in-flight.ts";
import { Calendar } from "../guard/quota/month.ts";
import { createThreadGuard, type ThreadGuard } from "../guard/thread-guard.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { Randomness } from "../runtime/randomness.ts";
import { NodeStatus } from "../store/node-status.ts";
import { createAccountRpcProxy } from "./account-rpc-proxy.ts";
import { MainThreadClient, type MainThreadCommand } from "./main-thread-client.ts";
import type { Address, MessageFromWorker, WorkerThreadData } from "./messages.ts";
import { RemoteLeases } from "./remote-leases.ts";
import { WorkerExit } from "./worker-exit.ts";
import { createWorkerServer, openSharedRate, type SharedRate, type WorkerServer } from "./worker-server.ts";

// The main thread knows whether the store answers, and says so at once, so asking it again costs little.
const PROBE_EVERY_MS = 100;

/** What a thread is made from. */
export interface WorkerOptions {
  /** The way to the main thread. */
  readonly port: MessagePort;
  readonly data: WorkerThreadData;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
}

/** Builds the thread's part of the server, says that it is ready, and does what the main thread says from then on. */
export async function runWorker({ port: messages, data, clock, randomness, log }: WorkerOptions): Promise<void> {
  const { config, extraHeaders, node, thread, redisUnhealthy: unhealthy } = data;
  const begun = Promise.withResolvers<void>();
  const port = new MainThreadClient(messages, (order) => begun.promise.then(() => obey(order)));
  const nodes = new NodeStatus(data.nodeStatus);
  const shared = await openSharedRate(config, {
    node,
    nodesAlive: () => nodes.aliveNodes,
    unhealthy: unhealthy,
    thread,
    clock,
    log,
  });
  const dying = new AbortController();
  const guard = createGuard(port, data, clock, log, shared, dying.signal);
  const workerServer = await createWorkerServer({
    config,
    guard,
    accountRpc: createAccountRpcProxy(port),
    clock,
    randomness,
    log,
    extraHeaders,
  });
  const end = new WorkerExit({
    thread: data.thread,
    log,
    cut() {
      dying.abort();
      void workerServer.listener.close();
    },
    answered: () => workerServer.listener.answered(),
  });
  begun.resolve();
  port.tell({ kind: "ready" });

  async function obey(order: MainThreadCommand): Promise<void> {
    switch (order.kind) {
      case "listen":
        port.tell(await listen(workerServer, order.at, order.reusePort));
        break;
      case "reloadTls":
        reloadTls(workerServer, log);
        break;
      case "changed":
        guard.changed(order.accountId);
        break;
      case "stop":
        await workerServer.close();
        guard.stop();
        await guard.close();
        await shared?.close();
        port.tell({ kind: "stopped" });
        break;
      case "end":
        end.begin();
        break;
    }
  }
}

function createGuard(
  port: MainThreadClient,
  data: WorkerThreadData,
  clock: Clock,
  log: Log,
  shared: SharedRate | undefined,
  dying: AbortSignal,
): ThreadGuard {
  const { thread, threads, memory, config, nodeStatus } = data;
  // Whether the database is silent or slow the main thread finds out.
  const limits = {
    ...guardLimitsOf(config),
    probeEveryMs: PROBE_EVERY_MS,
    storeSilenceMs: Number.POSITIVE_INFINITY,
    storeSlowMs: Number.POSITIVE_INFINITY,
  };
  const calendar = new Calendar(clock);
  const epoch = new Epoch(memory.epoch);
  const inFlight = new CallsInFlight(threads, limits.subscriptionsMax, memory.inFlight);
  const dependencies = { port, thread, words: memory.slots, inFlight, epoch, calendar, clock, dying };
  return createThreadGuard({
    store: {
      findCredential: (keyHash) => port.ask("credential", keyHash),
      addUsage: (counts) => port.ask("usage", counts),
    },
    plans: offer(data.plans),
    clock,
    log,
    limits,
    shareRate: shared?.share,
    breaker: new StoreBreaker(clock, log, limits),
    calendar,
    epoch,
    slots: memory.slots,
    nodeStatus: new NodeStatus(nodeStatus),
    leases: new RemoteLeases(dependencies, 2 * limits.subscriptionsMax),
  });
}

async function listen({ listener }: WorkerServer, { host, port }: Address, reusePort: boolean): Promise<MessageFromWorker> {
  try {
    return { kind: "listening", at: await listener.listen(host, port, { reusePort }) };
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException;
    return { kind: "notListening", message, code };
  }
}

function reloadTls({ listener }: WorkerServer, log: Log): void {
  try {
    listener.reloadTls();
  } catch (error) {
    log.error({ err: error }, "the TLS files are faulty; the ones read before stay in use");
  }
}
