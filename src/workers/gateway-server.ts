// Puts together what stands behind a worker's guard: the data services and the account services, the pipelines, the dispatcher and the
// listener.
import { readFileSync } from "node:fs";
import type { AccountRpc } from "../account/rpc/account-rpc.ts";
import type { Plans } from "../catalogue/plans.ts";
import type { TlsContents } from "../config/tls.ts";
import { createKeyCheck } from "../gateway/access-check.ts";
import { createDispatcher } from "../gateway/dispatcher.ts";
import { type Coding, compressed, createDocument, type Document, hashOf } from "../gateway/document.ts";
import { createFaultHandler } from "../gateway/fault-handler.ts";
import { compileRoutes } from "../gateway/rest/routes.ts";
import { createRestDispatcher } from "../gateway/rest-dispatcher.ts";
import { createConnectPipeline } from "../gateway/rpc/connect-pipeline.ts";
import { type CheckedService, collectMethods } from "../gateway/rpc/method.ts";
import { createRestStreamPipeline } from "../gateway/rpc/rest-stream-pipeline.ts";
import { createUnaryPipeline } from "../gateway/rpc/unary-pipeline.ts";
import { createValidation } from "../gateway/rpc/validation.ts";
import { createRpcDispatcher } from "../gateway/rpc-dispatcher.ts";
import { createAccountServices } from "../gateway/session/account-services.ts";
import { createWatchedCallRecorder, whileWatched } from "../gateway/watched-call-recorder.ts";
import type { Guard } from "../guard/guard.ts";
import { PrincipalMatcher } from "../guard/mesh/principal-matcher.ts";
import type { FaultHandler, RequestHandler } from "../http/exchange.ts";
import type { ResponseHeaders } from "../http/headers.ts";
import { createListener, type Listener } from "../http/listener.ts";
import { createProbes } from "../operations/health/probes.ts";
import type { WorkerHealth } from "../operations/health/worker-health.ts";
import { createOperatorServices } from "../operations/operator-services.ts";
import type { WorkerTelemetry } from "../operations/worker-telemetry.ts";
import { createPortal, PORTAL_DIRECTORY } from "../portal/portal.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { Randomness } from "../runtime/randomness.ts";
import type { Config } from "../server-config.ts";
import { createServices } from "../services/registry.ts";
import type { DataService } from "../services/service.ts";
import { createHealth, letCallersGo } from "./health.ts";
import type { CallWatch } from "./worker-sources.ts";

/** What a gateway server is made from. */
export interface GatewayServerOptions {
  readonly config: Config;
  /** What the TLS files hold; undefined without TLS. */
  readonly tls: TlsContents | undefined;
  readonly guard: Guard;
  /** Whether the guard can admit anybody: it knows of every change of keys and plans. */
  readonly canAdmit: () => boolean;
  readonly plans: Plans;
  /** Where accounts are managed. */
  readonly accountRpc: AccountRpc;
  /** Which calls are to be recorded, and for whom. */
  readonly callWatch: CallWatch;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  /** Headers that every answer of a service has. */
  readonly extraHeaders: ResponseHeaders;
  /** What watches the worker; undefined where nothing does. */
  readonly telemetry?: WorkerTelemetry | undefined;
}

/** A worker's server. */
export interface GatewayServer {
  /** The services start their background work once it listens. */
  readonly listener: Pick<Listener, "listen" | "reloadTls" | "answered" | "close">;
  /** Lets callers who look at health go elsewhere, then accepts no more connections. What comes on those that there are is answered. */
  closePort(): Promise<void>;
  /** Lets calls under way end, for as long as the configuration says, then closes the listener and the services. */
  close(): Promise<void>;
}

/** Path → content type and file. */
const DOCUMENTS: Readonly<Record<string, readonly [contentType: string, file: URL]>> = {
  "/openapi.json": ["application/json", new URL("../../gen/openapi.json", import.meta.url)],
  // A google.protobuf.FileDescriptorSet, from which clients in any language read or generate what they call with.
  "/descriptors.binpb": ["application/protobuf", new URL("../../gen/quintet.binpb", import.meta.url)],
  // How gRPC clients may retry: https://github.com/grpc/grpc/blob/master/doc/service_config.md
  "/grpc-service-config.json": ["application/json", new URL("../../gen/grpc-service-config.json", import.meta.url)],
};

/** Makes a worker's server. Rejects, with nothing left open, when the rules or the certificates are faulty. */
export async function createGatewayServer(options: GatewayServerOptions): Promise<GatewayServer> {
  const { config, tls, clock, randomness, log, telemetry } = options;
  const services = await createServices(config.services, {
    outbound: config.outbound,
    clock,
    randomness,
    log,
    observerOf: telemetry?.upstreamObserverOf,
  });
  const health = createHealth(services, options);
  const draining = new AbortController();
  const closeServices = async (): Promise<void> => {
    await Promise.all(services.map((service) => service.close()));
  };
  try {
    const listener = createListener({
      limits: { ...config.limits, bodiesBytesMax: config.limits.bodiesBytesMax / config.workers },
      tls,
      proxies: config.proxies,
      clock,
      randomness,
      log,
      ...createHandlers(options, services, health, draining.signal),
    });
    let portClosed: Promise<void> | undefined;
    const closePort = (): Promise<void> => {
      portClosed ??= (async () => {
        health.drain();
        await letCallersGo(clock, config.drainDelayMs);
        await listener.closePort();
      })();
      return portClosed;
    };
    const stopWatching = telemetry?.watchConnections(() => listener.connections());
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
      closePort,
      async close() {
        await closePort();
        draining.abort();
        await listener.drain(config.drainMs);
        await listener.close();
        await closeServices();
        stopWatching?.();
      },
    };
  } catch (error) {
    void closeServices();
    throw error;
  }
}

// `draining` aborts when the server drains: streams would go on for ever otherwise.
function createHandlers(
  options: GatewayServerOptions,
  dataServices: readonly DataService[],
  health: WorkerHealth,
  draining: AbortSignal,
): { readonly handle: RequestHandler; readonly handleFault: FaultHandler } {
  const { config, guard, plans, accountRpc, callWatch, clock, randomness, log, extraHeaders, telemetry } = options;
  const observer = telemetry?.callObserver;
  const recorder = createWatchedCallRecorder({
    ...callWatch,
    services: new Map(dataServices.map(({ desc, name }) => [desc.typeName, name])),
    clock,
    randomness,
  });
  const { bodyBytesMax, decompressedBytesMax: messageBytesMax } = config.limits;
  const limits = { bodyBytesMax, messageBytesMax, takesGzip: true, isCallerKnown: true };
  const principals = config.meshPrincipals.length === 0 ? undefined : new PrincipalMatcher(config.meshPrincipals);
  const products: readonly CheckedService[] = [
    ...dataServices.map((service) => ({
      ...service,
      accessCheck: createKeyCheck({ guard, service: service.name, extraHeaders, isSandbox: config.isSandbox, principals }),
    })),
    ...createAccountServices({ accountRpc, log, bodyBytesMax }),
  ];
  const reflected = config.hasReflection ? products.map(({ desc }) => desc) : undefined;
  const services = [...products, ...createOperatorServices({ health, reflected, clock })];
  const validate = createValidation();
  const methods = collectMethods(services);
  const routes = compileRoutes(services.flatMap(({ desc }) => desc.methods));
  const rest = createRestDispatcher({ routes, methods, clock });
  const findRpc = createRpcDispatcher(methods, rest.fail);
  const portal = createPortal(PORTAL_DIRECTORY, plans);
  const handle = createDispatcher({
    findRpc,
    findRest: rest.find,
    unaryPipeline: createUnaryPipeline({ clock, log, limits, validate, callTimeoutMsMax: config.callTimeoutMsMax }),
    connectPipeline: createConnectPipeline({ services, validate, limits, log, clock, draining }),
    restStreamPipeline: createRestStreamPipeline({ clock, log, limits, validate, draining }),
    documents: new Map([...portal.documents, ...documents(), ...createProbes(health)]),
    documentUnder: portal.applicationAt,
    pageNotFound: portal.notFound,
    currentObserver: whileWatched(observer, recorder, callWatch.watched),
    clock,
  });
  return { handle, handleFault: createFaultHandler({ findRpc, failEnvelope: rest.fail, observer, clock }) };
}

// It changes only with a new version of the server. A minute is enough for a page that loads it again and again.
const DOCUMENT_CACHE_CONTROL = "public, max-age=60";

function documents(): readonly (readonly [path: string, document: Document])[] {
  return Object.entries(DOCUMENTS).map(([path, [contentType, file]]) => {
    // Read again when somebody first asks for it in a coding, rather than held: most servers are never asked.
    const bytes = { hash: hashOf(readFileSync(file)), represent: (coding: Coding) => compressed(readFileSync(file))(coding) };
    return [path, createDocument({ contentType, ...bytes, cacheControl: DOCUMENT_CACHE_CONTROL, isShared: true })];
  });
}
