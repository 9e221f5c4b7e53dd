// One worker: the guard over memory that all workers share, and behind it the services, the gateway and the listener. It is built the same
// way in the main thread and in its own thread; only its sources differ.
import { MethodOptions_IdempotencyLevel } from "@bufbuild/protobuf/wkt";
import type { ResponseHeaders } from "@quintet/http";
import type { Plans } from "../catalogue/plans.ts";
import type { TlsContents } from "../config/tls.ts";
import { rpcPath } from "../gateway/rpc/rpc-path.ts";
import { PublicKey } from "../guard/keys/public-key.ts";
import { DividedBuckets } from "../guard/rate/bucket.ts";
import type { RedisRate, RedisRateOptions } from "../guard/rate/redis/redis-buckets.ts";
import { createThreadGuard } from "../guard/thread-guard.ts";
import { createNotCountedRecorder } from "../operations/metrics/not-counted.ts";
import type { MetricsMemory } from "../operations/metrics/worker-metrics.ts";
import { createWorkerTelemetry } from "../operations/worker-telemetry.ts";
import type { Clock } from "../runtime/clock.ts";
import { releaseIdleMemory, threadHeap } from "../runtime/idle-memory.ts";
import type { Log } from "../runtime/log.ts";
import type { Randomness } from "../runtime/randomness.ts";
import type { Config } from "../server-config.ts";
import { loadContracts } from "../services/registry.ts";
import { createGatewayServer } from "./gateway-server.ts";
import type { Address } from "./messages.ts";
import type { WorkerSources } from "./worker-sources.ts";
import type { Workers } from "./workers.ts";

interface WorkerOptions {
  readonly sources: WorkerSources;
  readonly config: Config;
  /** The contents of the TLS files; undefined without TLS. */
  readonly tls: TlsContents | undefined;
  readonly plans: Plans;
  /** The worker's number, from 0. */
  readonly thread: number;
  /** The memory of a RedisStatus. */
  readonly redisCells: Int32Array;
  /** Where all threads count the calls with the public key; undefined if there is none. */
  readonly publicKeyCells: BigInt64Array | undefined;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  /** Where the worker counts its metrics. */
  readonly metrics: MetricsMemory;
  /** Adds lines to the access log; undefined if there is none. */
  readonly writeAccessLog: ((lines: string) => void) | undefined;
  /** Headers that are added to every response from a service. */
  readonly extraHeaders: ResponseHeaders;
}

export interface Worker extends Workers {
  /** With `reusePort` other workers may listen on the same port. */
  listen(host: string, port: number, options?: { readonly reusePort: boolean }): Promise<Address>;
  /**
   * First reports as not ready, so that load balancers choose other servers, then accepts no new connections. Open connections are still
   * served.
   */
  closePort(): Promise<void>;
  /** How many responses have been sent so far. */
  responded(): number;
  /** Closes all connections immediately, and accepts no more. */
  disconnect(): void;
}

/** Creates a worker. Rejects, with nothing left open, if the rules or the TLS files are faulty. */
export async function createWorker(options: WorkerOptions): Promise<Worker> {
  const { sources, config, plans, thread, redisCells, clock, randomness, log } = options;
  const { accountRpc, callWatch, receivePaymentEvent, nodeStatus, limits, ...guardSources } = sources;
  const rate = await openMultiNodeRate(config, { nodesAlive: () => nodeStatus.aliveNodes, redisCells, thread, clock, log });
  const publicKey = await publicKeyOf(options);
  const shareRate = rate?.share;
  const guard = createThreadGuard({
    ...guardSources,
    nodeStatus,
    limits,
    plans,
    clock,
    randomness,
    log,
    shareRate,
    publicKey,
    notCounted: createNotCountedRecorder(options.metrics),
  });
  const closeGuard = async (): Promise<void> => {
    guard.stop();
    await guard.close();
    await rate?.close();
  };
  try {
    const telemetry = await createWorkerTelemetry(options);
    const server = await createGatewayServer({
      ...options,
      telemetry,
      guard,
      callers: guard,
      accountRpc,
      callWatch,
      receivePaymentEvent,
      canAdmit: () => nodeStatus.isReady(clock.monotonicMs()),
    });
    const { listener } = server;
    const stopReleasing = releaseIdleMemory(clock, threadHeap());
    return {
      listen: (host, port, how) => listener.listen(host, port, how),
      useTls: (tls) => listener.reloadTls(tls),
      // The main thread has the same plans.
      usePlans: () => {},
      changed: (accountId) => guard.changed(accountId),
      threads: () => ({ configured: 1, running: 1, replaced: 0 }),
      responded: () => listener.responded(),
      disconnect: () => void listener.close(),
      closePort: () => server.closePort(),
      async stop() {
        stopReleasing();
        await server.close();
        // Before the services: one that is slow to close must not lose the counts of usage.
        await closeGuard();
        await server.closeServices();
        await telemetry.close();
      },
    };
  } catch (error) {
    await closeGuard();
    throw error;
  }
}

// The key that the operator has made public. It may only call methods that change nothing, on this server or at an upstream.
async function publicKeyOf({ config, publicKeyCells, clock }: WorkerOptions): Promise<PublicKey | undefined> {
  if (config.explore === undefined || publicKeyCells === undefined) {
    return undefined;
  }
  const methods = (await loadContracts())
    .flatMap((contract) => contract.methods)
    .filter(({ idempotency }) => idempotency === MethodOptions_IdempotencyLevel.NO_SIDE_EFFECTS)
    .map((method) => rpcPath(method).slice(1));
  return new PublicKey({ ...config.explore, methods: new Set(methods), cells: publicKeyCells, clock });
}

/** Opens the rate limit that this server shares with others. Undefined if it is the only one, because its database is a file. */
async function openMultiNodeRate(
  { redisUrl: url, database }: Config,
  options: Omit<RedisRateOptions, "url">,
): Promise<RedisRate | undefined> {
  if (url !== undefined) {
    // The client takes 0.2 s to load, which a server without Redis need not wait for.
    const { openRedisRate } = await import("../guard/rate/redis/redis-buckets.ts");
    return openRedisRate({ url, ...options });
  }
  return database && { share: (own) => new DividedBuckets(own, options.nodesAlive, options.clock), close: () => Promise.resolve() };
}
