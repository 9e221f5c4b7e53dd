// The composition root: everything that the server is made of is made here, handed what it uses, and closed in reverse order. Tests
// build the same app.
import type { OutgoingHttpHeaders } from "node:http";
import type { Worker } from "node:worker_threads";
import { type AccountRpc, createAccountRpc } from "./account/rpc/account-rpc.ts";
import type { UnspentCalls } from "./account/usage-history.ts";
import { loadPlans, type Plans } from "./catalogue/plans.ts";
import { createGuard } from "./guard/create-guard.ts";
import { GIVING_BACK_MS, guardLimitsOf } from "./guard/guard-limits.ts";
import { keyPrefixOf } from "./guard/keys/key.ts";
import { warnOfWithdrawnPlans } from "./guard/withdrawn-plans.ts";
import { containUncaught } from "./http/connection-scope.ts";
import type { Clock } from "./runtime/clock.ts";
import type { Log } from "./runtime/log.ts";
import type { Randomness } from "./runtime/randomness.ts";
import { letYoungSpaceGrow } from "./runtime/v8-flags.ts";
import type { Config } from "./server-config.ts";
import { openStore } from "./store/open.ts";
import type { Store } from "./store/store.ts";
import { createMainThread, startThread } from "./workers/main-thread.ts";
import type { WorkerThreadData } from "./workers/messages.ts";

/** What the app is handed beside its configuration. */
export interface AppOptions {
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  /**
   * Calls back with each error of the process that nobody has caught. The process goes on where the answer is true: the error was one
   * connection's, which is cut. It ends with 1 where not.
   */
  readonly onUncaught?: (isContained: (error: unknown) => boolean) => void;
  /** Headers that every answer of a service has. */
  readonly extraHeaders?: OutgoingHttpHeaders;
  /** Starts a worker thread in place of the product's own, where the configuration wants several. */
  readonly startThread?: (data: WorkerThreadData) => Worker;
}

/** A running server. */
export interface App {
  /** Accepts connections, at the configuration's address. */
  listen(): Promise<{ host: string; port: number }>;
  /** Reads the TLS files again. */
  reloadTls(): void;
  /** Lets calls under way end, for as long as the configuration says, then closes everything. */
  close(): Promise<void>;
}

/** Makes the app. Rejects, with nothing left open, when the plans, the rules, the TLS files or the data directory are faulty. */
export async function buildApp(config: Config, options: AppOptions): Promise<App> {
  const { clock, log, onUncaught } = options;
  onUncaught?.((error) => containUncaught(error, log));
  const plans = loadPlans(config.plansPath);
  const store = await openStore({ dataDir: config.dataDir, database: config.database, clock, log, role: "server" });
  try {
    await warnOfWithdrawnPlans(store, plans, log);
    // The leases come to be with the server, which needs the account RPC.
    const unspent: UnspentCalls = (key, day) => server.unspent(key, day);
    const accountRpc = createAccountRpc({
      store,
      plans,
      clock,
      randomness: options.randomness,
      keyPrefix: keyPrefixOf(config),
      unspent,
    });
    const parts = { extraHeaders: {}, startThread, ...options, config, store, plans, accountRpc };
    const server: Server = config.workers === 1 ? await buildAlone(parts) : await createMainThread(parts);
    return {
      async listen() {
        const address = await server.listen();
        letYoungSpaceGrow();
        return address;
      },
      reloadTls: () => server.reloadTls(),
      async close() {
        await server.close();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

type Server = App & { readonly unspent: UnspentCalls };

interface Parts extends Required<Omit<AppOptions, "onUncaught">> {
  readonly config: Config;
  readonly store: Store;
  readonly plans: Plans;
  readonly accountRpc: AccountRpc;
}

// The whole server in this thread. What it serves with is half of the program, and is loaded here so that a main thread which has others
// serve goes without.
async function buildAlone({ config, store, plans, accountRpc, clock, randomness, log, extraHeaders }: Parts): Promise<Server> {
  const { createWorkerServer, openSharedRate } = await import("./workers/worker-server.ts");
  const nodesAlive = (): number => store.nodeStatus.aliveNodes;
  const unhealthy = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const shared = await openSharedRate(config, { node: randomness.uuid(), nodesAlive, unhealthy: unhealthy, thread: 0, clock, log });
  const limits = guardLimitsOf(config);
  const guard = createGuard({ store, plans, clock, log, limits, shareRate: shared?.share });
  const closeGuard = async (withinMs: number): Promise<void> => {
    await guard.close(withinMs);
    await shared?.close();
  };
  try {
    const workerServer = await createWorkerServer({ config, guard, accountRpc, clock, randomness, log, extraHeaders });
    return {
      async listen() {
        await guard.loadBusiest();
        return workerServer.listener.listen(config.host, config.port);
      },
      reloadTls: () => workerServer.listener.reloadTls(),
      unspent: guard.unspent,
      async close() {
        const untilMs = clock.monotonicMs() + config.drainMs;
        await workerServer.close();
        await closeGuard(Math.max(GIVING_BACK_MS, untilMs - clock.monotonicMs()));
      },
    };
  } catch (error) {
    await closeGuard(GIVING_BACK_MS);
    throw error;
  }
}
