// What one thread serves with: the five services and the customers' own, the lanes, the front and the listener, behind a guard that it is handed.
import { readFileSync } from "node:fs";
import type { OutgoingHttpHeaders } from "node:http";
import type { AccountOffice } from "../account/rpc/account-rpc.ts";
import type { Config } from "../config/config.ts";
import { createKeyGate } from "../gateway/access-check.ts";
import { createFront } from "../gateway/dispatcher.ts";
import { createDocument } from "../gateway/document.ts";
import { transportAnswer } from "../gateway/rest/respond.ts";
import { compileRoutes } from "../gateway/rest/routes.ts";
import { createRestFront } from "../gateway/rest-dispatcher.ts";
import { createConnectLane } from "../gateway/rpc/connect-pipeline.ts";
import { collectMethods, type GatedService } from "../gateway/rpc/method.ts";
import { createRestStreamLane } from "../gateway/rpc/rest-stream-pipeline.ts";
import { createUnaryLane } from "../gateway/rpc/unary-pipeline.ts";
import { createValidation } from "../gateway/rpc/validation.ts";
import { createRpcFront } from "../gateway/rpc-dispatcher.ts";
import { createAccountServices } from "../gateway/session/account-services.ts";
import type { Guard } from "../guard/guard.ts";
import type { RateLimiter, SharedBuckets } from "../guard/rate/bucket.ts";
import { DividedBuckets } from "../guard/rate/divided-buckets.ts";
import type { RedisRateOptions } from "../guard/rate/redis/open-redis-rate.ts";
import type { Handle } from "../http/exchange.ts";
import { createListener, type Listener } from "../http/listener.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { Randomness } from "../runtime/randomness.ts";
import { createBitcoin } from "../services/bitcoin/service.ts";
import { createFarkle } from "../services/farkle/service.ts";
import { systemNameResolver } from "../services/radio/name-resolver.ts";
import { createRadio } from "../services/radio/service.ts";
import type { DataService } from "../services/service.ts";
import { createTokenList } from "../services/tokenlist/service.ts";
import { createTokenPrice } from "../services/tokenprice/service.ts";

/** What a thread serves with. */
export interface ServingOptions {
  readonly config: Config;
  readonly guard: Guard;
  /** Where accounts are managed. */
  readonly office: AccountOffice;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  /** Headers that every answer of a service has. */
  readonly marks: OutgoingHttpHeaders;
}

/** One thread's part of the server. */
export interface Serving {
  /** The services begin their background work once it listens. */
  readonly listener: Pick<Listener, "listen" | "reloadTls" | "answered" | "close">;
  /** Lets calls under way end, for as long as the configuration says, then closes the port and the services. */
  close(): Promise<void>;
}

const OPENAPI_FILE = new URL("../../gen/openapi.json", import.meta.url);

/** Makes a thread's part of the server. Throws, with nothing left open, when the rules or the TLS files are faulty. */
export function createServing(options: ServingOptions): Serving {
  const { config, clock, randomness, log } = options;
  const services = createServices(options);
  const draining = new AbortController();
  const closeServices = async (): Promise<void> => {
    await Promise.all(services.map((service) => service.close()));
  };
  try {
    const listener = createListener({
      limits: { ...config.limits, bodiesBytesMax: config.limits.bodiesBytesMax / config.workers },
      tls: config.tls,
      clock,
      randomness,
      log,
      handle: createHandle(options, services, draining.signal),
      transportAnswer: (problem, requestId) => transportAnswer(problem, { nowMs: clock.nowMs(), requestId }),
    });
    return {
      listener: {
        ...listener,
        async listen(...where) {
          const address = await listener.listen(...where);
          for (const service of services) {
            service.begin?.();
          }
          return address;
        },
      },
      async close() {
        draining.abort();
        await listener.drain(config.drainMs);
        await listener.close();
        await closeServices();
      },
    };
  } catch (error) {
    void closeServices();
    throw error;
  }
}

/** Where several nodes keep to a rate together. */
export interface SharedRate {
  /** Makes, out of this node's own buckets, the limiter that it admits by. */
  share(own: SharedBuckets): RateLimiter;
  /** Never rejects. */
  close(): Promise<void>;
}

/** What a rate of several nodes needs; `node` names this process. */
export type SharedRateOptions = Omit<RedisRateOptions, "url">;

/**
 * Opens what several nodes keep to the second's rate with, where the configuration has them share a database: the Redis in which they count
 * it together, or else what gives each its share.
 */
export async function openSharedRate(
  { redisUrl: url, database }: Config,
  options: SharedRateOptions,
): Promise<SharedRate | undefined> {
  if (url !== undefined) {
    // The client takes 0.2 s to load, which a server without Redis need not wait for.
    const { openRedisRate } = await import("../guard/rate/redis/open-redis-rate.ts");
    return openRedisRate({ url, ...options });
  }
  return database && { share: (own) => new DividedBuckets({ ...options, own }), close: () => Promise.resolve() };
}

// The five services, in the order of their contract.
function createServices({ config, ...tools }: ServingOptions): readonly DataService[] {
  const { outbound } = config;
  return [
    createRadio({ ...tools, outbound, config: config.radio, resolver: systemNameResolver() }),
    createTokenPrice({ ...tools, outbound, config: config.tokenPrice }),
    createTokenList({ ...tools, outbound, config: config.tokenList }),
    createBitcoin({ ...tools, outbound, config: config.bitcoin }),
    createFarkle(),
  ];
}

// `draining` aborts when streams, which would go on for ever, have to end.
function createHandle(options: ServingOptions, dataServices: readonly DataService[], draining: AbortSignal): Handle {
  const { config, guard, office, clock, log, marks } = options;
  const { bodyBytesMax, decompressedBytesMax: messageBytesMax } = config.limits;
  const limits = { bodyBytesMax, messageBytesMax, takesGzip: true, isCallerKnown: true };
  const services: readonly GatedService[] = [
    ...dataServices.map((service) => ({
      ...service,
      gate: createKeyGate({ guard, service: service.name, marks, isSandbox: config.isSandbox }),
    })),
    ...createAccountServices({ office, log, bodyBytesMax }),
  ];
  const validate = createValidation();
  const methods = collectMethods(services);
  const routes = compileRoutes(services.flatMap(({ desc }) => desc.methods));
  const rest = createRestFront({ routes, methods, clock });
  const findRpc = createRpcFront(methods, rest.fail);
  return createFront({
    find: (exchange) => findRpc(exchange) ?? rest.find(exchange),
    unaryLane: createUnaryLane({ clock, log, limits, validate, callTimeoutMsMax: config.callTimeoutMsMax }),
    connectLane: createConnectLane({ services, validate, limits, log, clock, draining }),
    restStreamLane: createRestStreamLane({ clock, log, limits, validate, draining }),
    documents: new Map([["/openapi.json", createDocument("application/json", readFileSync(OPENAPI_FILE))]]),
  });
}
