// The composition root: everything that the server is made of is made here, handed what it uses, and closed in reverse order. Tests
// build the same app.

import { readFileSync } from "node:fs";
import type { OutgoingHttpHeaders } from "node:http";
import type { Clock } from "./clock.ts";
import type { Config } from "./config/config.ts";
import { createGuard } from "./guard/create-guard.ts";
import { networkedStoreLimits } from "./guard/guard-limits.ts";
import { loadPlans } from "./guard/plans.ts";
import type { RedisRate } from "./guard/redis/open.ts";
import { createConnectLane } from "./lanes/connect-lane.ts";
import { collectMethods } from "./lanes/method.ts";
import { createUnaryLane } from "./lanes/unary-lane.ts";
import { createValidation } from "./lanes/validation.ts";
import type { Log } from "./log.ts";
import type { Randomness } from "./randomness.ts";
import { transportAnswer } from "./rest/respond.ts";
import { compileRoutes } from "./rest/routes.ts";
import { createFront, type Page } from "./server/front.ts";
import { createListener } from "./server/listener.ts";
import { createRestFront } from "./server/rest-front.ts";
import { createRpcFront } from "./server/rpc-front.ts";
import { createBitcoin } from "./services/bitcoin/service.ts";
import { createFarkle } from "./services/farkle/service.ts";
import { systemNameResolver } from "./services/radio/name-resolver.ts";
import { createRadio } from "./services/radio/service.ts";
import type { DataService } from "./services/service.ts";
import { createTokenList } from "./services/tokenlist/service.ts";
import { createTokenPrice } from "./services/tokenprice/service.ts";
import { openStore } from "./store/open.ts";

/** What the app is handed beside its configuration. */
export interface AppOptions {
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  /** Headers that every answer of a service has. */
  readonly marks?: OutgoingHttpHeaders;
  /** False sends every RPC through Connect's own adapter; the two lanes are compared in tests. */
  readonly useUnaryLane?: boolean;
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

const OPENAPI_FILE = new URL("../gen/openapi.json", import.meta.url);

/** The five services, in the order of their contract. */
export function createServices(config: Config, tools: Pick<AppOptions, "clock" | "randomness" | "log">): readonly DataService[] {
  const { outbound } = config;
  return [
    createRadio({ ...tools, outbound, config: config.radio, resolver: systemNameResolver() }),
    createTokenPrice({ ...tools, outbound, config: config.tokenPrice }),
    createTokenList({ ...tools, outbound, config: config.tokenList }),
    createBitcoin({ ...tools, outbound, config: config.bitcoin }),
    createFarkle(),
  ];
}

// The client takes 0.2 s to load, which a server without Redis need not wait for.
async function openRedis(url: string, { clock, randomness, log }: AppOptions): Promise<RedisRate> {
  const { openRedisRate } = await import("./guard/redis/open.ts");
  return openRedisRate({ url, node: randomness.uuid(), clock, log });
}

/** Makes the app. Rejects, with nothing left open, when the plans, the rules, the TLS files or the data directory are faulty. */
export async function buildApp(config: Config, options: AppOptions): Promise<App> {
  const { clock, randomness, log, marks = {}, useUnaryLane = true } = options;
  const plans = loadPlans(config.plansPath);
  const services = createServices(config, options);
  const closers: (() => Promise<void>)[] = [...services.map((service) => () => service.close())];
  const close = async (): Promise<void> => {
    for (const closer of closers.toReversed()) {
      await closer();
    }
  };
  try {
    const store = await openStore({ dataDir: config.dataDir, database: config.database, clock, log, role: "server" });
    closers.push(() => store.close());
    const { redisUrl } = config;
    const redis = redisUrl === undefined ? undefined : await openRedis(redisUrl, options);
    closers.push(async () => redis?.close());
    const guardLimits = config.database === undefined ? {} : networkedStoreLimits;
    const guard = createGuard({ store, plans, clock, log, limits: guardLimits, shareRate: redis?.share });
    closers.push(() => guard.close());

    const interceptors = [createValidation()];
    const limits = { bodyBytesMax: config.limits.bodyBytesMax, messageBytesMax: config.limits.decompressedBytesMax };
    const methods = collectMethods(services, interceptors);
    const routes = compileRoutes(services.flatMap(({ desc }) => desc.methods));
    const rest = createRestFront({ routes, methods, clock });
    const findRpc = createRpcFront(methods, rest.fail, useUnaryLane);
    const handle = createFront({
      find: (exchange) => findRpc(exchange) ?? rest.find(exchange),
      guard,
      unaryLane: createUnaryLane({ clock, log, limits, callTimeoutMsMax: config.callTimeoutMsMax }),
      connectLane: createConnectLane({ services, interceptors, limits, log }),
      pages: new Map<string, Page>([["/openapi.json", { contentType: "application/json", body: readFileSync(OPENAPI_FILE) }]]),
      marks,
    });
    const listener = createListener({
      limits: config.limits,
      tls: config.tls,
      clock,
      randomness,
      log,
      handle,
      transportAnswer: (problem, requestId) => transportAnswer(problem, { nowMs: clock.nowMs(), requestId }),
    });
    closers.push(async () => {
      await listener.drain(config.drainMs);
      await listener.close();
    });
    return {
      listen: () => listener.listen(config.host, config.port),
      reloadTls: () => listener.reloadTls(),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
