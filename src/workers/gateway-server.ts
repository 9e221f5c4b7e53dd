// Assembles everything behind a worker's guard: the data services and the account services, the pipelines, the dispatcher and the listener.

import { readFileSync } from "node:fs";
import { create } from "@bufbuild/protobuf";
import { createServer, type FaultHandler, type RequestHandler, type ResponseHeaders, type Server } from "@quintet/http";
import { GetStatusRequestSchema, type GetStatusResponse, StatusService } from "../../gen/quintet/account/v1/status_pb.js";
import { ACCOUNT_SERVICES, accountMethodOf } from "../account/account-methods.ts";
import { passkeyOriginOf } from "../account/passkey-origin.ts";
import type { AccountRpc } from "../account/rpc/account-rpc.ts";
import type { Plans } from "../catalogue/plans.ts";
import type { OperatorConfig } from "../config/operator.ts";
import type { TlsContents } from "../config/tls.ts";
import { createIdentify, createKeyCheck } from "../gateway/access-check.ts";
import { combineObservers } from "../gateway/call-observer.ts";
import { createCallRunner } from "../gateway/call-runner.ts";
import { createDispatcher } from "../gateway/dispatcher.ts";
import { type Coding, compressed, createDocument, type Document, hashOf } from "../gateway/document.ts";
import { createFaultHandler } from "../gateway/fault-handler.ts";
import {
  createCallIds,
  createLoggedCallRecorder,
  type DataServices,
  type GetCallId,
  type LoggedCallRecorder,
} from "../gateway/logged-call-recorder.ts";
import { createMcpEndpoint, MCP_PATH } from "../gateway/mcp/mcp-endpoint.ts";
import { createPaymentEndpoint, PAYMENT_EVENTS_PATH, type ReceivePaymentEvent } from "../gateway/payment-endpoint.ts";
import { compileRoutes } from "../gateway/rest/routes.ts";
import { createRestStreamPipeline } from "../gateway/rest/stream-pipeline.ts";
import { createRestDispatcher } from "../gateway/rest-dispatcher.ts";
import { createConnectPipeline } from "../gateway/rpc/connect-pipeline.ts";
import { type CheckedService, collectMethods } from "../gateway/rpc/method.ts";
import { createUnaryPipeline } from "../gateway/rpc/unary-pipeline.ts";
import { createValidation } from "../gateway/rpc/validation.ts";
import { createRpcDispatcher } from "../gateway/rpc-dispatcher.ts";
import { createAccountServices } from "../gateway/session/account-services.ts";
import { createTransportSecurity } from "../gateway/transport-security.ts";
import { createWatchedCallRecorder, whileWatched } from "../gateway/watched-call-recorder.ts";
import type { CallerIdentification, Guard } from "../guard/guard.ts";
import { PrincipalMatcher } from "../guard/mesh/principal-matcher.ts";
import { createProbes } from "../operations/health/probes.ts";
import { WorkerHealth, type WorkerHealthOptions } from "../operations/health/worker-health.ts";
import { createKeylessServices } from "../operations/keyless-services.ts";
import type { WorkerTelemetry } from "../operations/worker-telemetry.ts";
import { createPortal, PORTAL_DIRECTORY } from "../portal/portal.ts";
import type { Clock } from "../runtime/clock.ts";
import { canonicalEmail } from "../runtime/email.ts";
import type { Log } from "../runtime/log.ts";
import type { Randomness } from "../runtime/randomness.ts";
import { apiVersion, version } from "../runtime/version.ts";
import type { Config } from "../server-config.ts";
import { createServices } from "../services/registry.ts";
import type { DataService } from "../services/service.ts";
import type { CallWatch } from "./worker-sources.ts";

/** Who serves the document. */
interface Publisher {
  /** Where customers reach the server. */
  readonly publicUrl: string | undefined;
  readonly operator: OperatorConfig;
}

/** The document as it is served; `undefined` if nothing is set, so that it is served as it was generated. */
export function servedOpenApi(generated: string, publisher: Publisher): string | undefined {
  const { publicUrl } = publisher;
  const contact = contactOf(publisher.operator);
  if (publicUrl === undefined && contact === undefined) {
    return undefined;
  }
  const document = JSON.parse(generated);
  const served = {
    ...document,
    info: {
      ...document.info,
      ...(publicUrl !== undefined && { termsOfService: `${publicUrl}/docs/terms` }),
      ...(contact !== undefined && { contact }),
    },
    // If the server's URL is not set, the document names it by a path, which is relative to the document's own URL.
    ...(publicUrl !== undefined && { servers: [{ url: publicUrl }] }),
  };
  return `${JSON.stringify(served)}\n`;
}

// A contact that is neither an e-mail address nor a URL, such as a telephone number, has no place in the document.
function contactOf({ name, supportContact }: OperatorConfig): Readonly<Record<string, string>> | undefined {
  const contact = {
    ...(name !== undefined && { name }),
    ...(supportContact !== undefined && canonicalEmail(supportContact) !== undefined && { email: supportContact }),
    ...(supportContact !== undefined && isWebAddress(supportContact) && { url: supportContact }),
  };
  return Object.keys(contact).length === 0 ? undefined : contact;
}

const isWebAddress = (text: string): boolean => /^https?:$/.test(URL.parse(text)?.protocol ?? "");

// The contract as files that anybody may read: the OpenAPI document, the protos, their descriptors, and how gRPC clients may retry.
const generated = (name: string): URL => new URL(`../../gen/${name}`, import.meta.url);

/** Path → content type and file. */
const FILES: Readonly<Record<string, readonly [contentType: string, file: URL]>> = {
  "/openapi.json": ["application/json", generated("openapi.json")],
  // A google.protobuf.FileDescriptorSet, which clients in any language can read, or generate code from.
  "/descriptors.binpb": ["application/protobuf", generated("quintet.binpb")],
  "/protos.zip": ["application/zip", generated("protos.zip")],
  // https://github.com/grpc/grpc/blob/master/doc/service_config.md
  "/grpc-service-config.json": ["application/json", generated("grpc-service-config.json")],
};

// They change only with a new version of the server. A minute is enough for a page that loads them again and again.
const CACHE_CONTROL = "public, max-age=60";

/** Path → document. Clients that are generated from the OpenAPI document call the server at the publisher's URL. */
function publishedDocuments(publisher: Publisher): readonly (readonly [path: string, document: Document])[] {
  const versions = Buffer.from(`${JSON.stringify({ api: apiVersion, program: version })}\n`);
  const files = Object.entries(FILES).map(([path, [contentType, file]]) => {
    const read = (): Uint8Array =>
      (path === "/openapi.json" && encoded(servedOpenApi(readFileSync(file, "utf8"), publisher))) || readFileSync(file);
    // Each content coding is made from the file when it is first requested, so the file itself is not kept: most servers never send it.
    const bytes = { hash: hashOf(read()), represent: (coding: Coding) => compressed(read())(coding) };
    return [path, createDocument({ contentType, ...bytes, cacheControl: CACHE_CONTROL, isShared: true })] as const;
  });
  const ofVersions = { contentType: "application/json", hash: hashOf(versions), represent: compressed(versions) };
  return [...files, ["/version", createDocument({ ...ofVersions, cacheControl: CACHE_CONTROL, isShared: true })]];
}

const encoded = (text: string | undefined): Uint8Array | undefined => (text === undefined ? undefined : Buffer.from(text));

/** How many calls a server writes to the call log. One takes about 400 bytes in the database, for seven days. */
const LOGGED_CALLS_PER_SECOND_MAX = 20;

interface GatewayServerOptions {
  readonly config: Config;
  /** The contents of the TLS files; undefined without TLS. */
  readonly tls: TlsContents | undefined;
  readonly guard: Guard;
  /** Identifies the sender of a request that is not a call. */
  readonly callers: CallerIdentification;
  /** Whether the guard can admit calls at all, because it knows every change to keys and plans. */
  readonly canAdmit: () => boolean;
  readonly plans: Plans;
  /** Where accounts are managed. */
  readonly accountRpc: AccountRpc;
  /** Which calls to record, and for whom. */
  readonly callWatch: CallWatch;
  /** Receives events from Stripe; undefined if customers cannot pay by card. */
  readonly receivePaymentEvent?: ReceivePaymentEvent | undefined;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  /** Headers that are added to every response from a service. */
  readonly extraHeaders: ResponseHeaders;
  /** Observes the worker; undefined if nothing does. */
  readonly telemetry?: WorkerTelemetry | undefined;
}

export interface GatewayServer {
  /** The services start their background work once it listens. */
  readonly listener: Pick<Server, "listen" | "reloadTls" | "responded" | "close">;
  /**
   * First reports as not ready, so that load balancers choose other servers, then accepts no new connections. Open connections are still
   * served.
   */
  closePort(): Promise<void>;
  /** Lets calls in progress finish, for at most the configured time, then closes the listener. */
  close(): Promise<void>;
  /** Closes the services. Call it last, after `close`, because a service may be slow to close. */
  closeServices(): Promise<void>;
}

/** Creates a worker's server. Rejects, with nothing left open, if the rules or the certificates are faulty. */
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
    const handlers = createHandlers(options, services, health, draining.signal);
    const listener = createServer({
      limits: { ...config.limits, bodiesBytesMax: config.limits.bodiesBytesMax / config.workers },
      tls,
      proxies: config.proxies,
      clock,
      randomness,
      log,
      handle: handlers.handle,
      handleFault: handlers.handleFault,
    });
    let portClosed: Promise<void> | undefined;
    const closePort = (): Promise<void> => {
      portClosed ??= (async () => {
        health.drain();
        await awaitDrainDelay(clock, config.drainDelayMs);
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
        handlers.flushCallLog();
        stopWatching?.();
      },
      closeServices,
    };
  } catch (error) {
    void closeServices();
    throw error;
  }
}

interface Handlers {
  readonly handle: RequestHandler;
  readonly handleFault: FaultHandler;
  /** Passes on the calls that were recorded for the call log. */
  readonly flushCallLog: () => void;
}

// `draining` aborts when the server drains: otherwise streams would continue forever.
function createHandlers(
  options: GatewayServerOptions,
  dataServices: readonly DataService[],
  health: WorkerHealth,
  draining: AbortSignal,
): Handlers {
  const {
    config,
    guard,
    callers,
    plans,
    accountRpc,
    callWatch,
    receivePaymentEvent,
    clock,
    randomness,
    log,
    extraHeaders,
    telemetry,
  } = options;
  const dataServiceNames = new Map(dataServices.map(({ desc, name }) => [desc.typeName, name]));
  const idOf = createCallIds(randomness);
  const recorder = createWatchedCallRecorder({ ...callWatch, services: dataServiceNames, clock, idOf });
  const callLog = createCallLogRecorder(options, dataServiceNames, idOf);
  const observer = combineObservers(telemetry?.callObserver === undefined ? [callLog] : [telemetry.callObserver, callLog]);
  const { bodyBytesMax, decompressedBytesMax: messageBytesMax } = config.limits;
  const limits = { bodyBytesMax, messageBytesMax, allowsGzip: true, isCallerKnown: true };
  const { isSandbox } = config;
  const principals = config.meshPrincipals.length === 0 ? undefined : new PrincipalMatcher(config.meshPrincipals);
  const products: readonly CheckedService[] = [
    ...dataServices.map((service) => ({
      ...service,
      accessCheck: createKeyCheck({ guard, service: service.name, extraHeaders, isSandbox, principals }),
    })),
    ...createAccountServices({ accountRpc, log, bodyBytesMax }),
  ];
  const reflected = config.hasReflection ? products.map(({ desc }) => desc) : undefined;
  const services = [...products, ...createKeylessServices({ health, reflected, clock })];
  const validate = createValidation();
  const methods = collectMethods(services, limits);
  const routes = compileRoutes(services.flatMap(({ desc }) => desc.methods));
  const portal = createPortal(PORTAL_DIRECTORY, {
    plans,
    operator: config.operator,
    explore: config.explore,
    facts: {
      sendsMail: config.mail !== undefined,
      takesCards: config.payments !== undefined,
      identityProviders: config.identityProviders,
      passkeyOrigin: passkeyOriginOf(config.publicUrl),
    },
    status: createStatusSource(accountRpc),
    publicUrl: config.publicUrl,
    clock,
  });
  const documents = new Map([
    ...portal.documents,
    ...publishedDocuments(config),
    ...createProbes(health, config.database === undefined ? "embedded" : "PostgreSQL"),
  ]);
  const rest = createRestDispatcher({ routes, methods, clock, otherPaths: [MCP_PATH, ...documents.keys()] });
  const findRpc = createRpcDispatcher(methods, rest.fail);
  const addTransportSecurity = createTransportSecurity(config.hstsMaxAgeSeconds);
  const currentObserver = whileWatched(observer, recorder, callWatch.watched);
  const runCall = createCallRunner({
    unaryPipeline: createUnaryPipeline({ clock, log, validate, callTimeoutMsMax: config.callTimeoutMsMax }),
    connectPipeline: createConnectPipeline({ services, validate, limits, log, clock, draining }),
    restStreamPipeline: createRestStreamPipeline({ clock, log, validate, draining }),
    addTransportSecurity,
  });
  const identify = createIdentify({ callers, isSandbox, principals });
  const mcp = createMcpEndpoint({ methods, identify, runCall, addTransportSecurity, currentObserver, clock, log });
  const handle = createDispatcher({
    findRpc,
    findRest: rest.find,
    runCall,
    endpoints: new Map([
      [MCP_PATH, mcp],
      ...(receivePaymentEvent === undefined
        ? []
        : ([[PAYMENT_EVENTS_PATH, createPaymentEndpoint(receivePaymentEvent, addTransportSecurity)]] as const)),
    ]),
    documents,
    documentUnder: portal.applicationAt,
    pageNotFound: portal.notFound,
    addTransportSecurity,
    currentObserver,
    clock,
  });
  return {
    handle,
    handleFault: createFaultHandler({ findRpc, failEnvelope: rest.fail, observer, addTransportSecurity, clock }),
    flushCallLog: () => callLog.flush(),
  };
}

function createCallLogRecorder(
  { config: { workers }, callWatch, clock }: GatewayServerOptions,
  services: DataServices,
  idOf: GetCallId,
): LoggedCallRecorder {
  const callsPerSecondMax = Math.ceil(LOGGED_CALLS_PER_SECOND_MAX / workers);
  return createLoggedCallRecorder({ services, callsPerSecondMax, passOn: callWatch.logCalls, clock, idOf });
}

/**
 * The health of the services. A service stays healthy if its upstream fails: every node has the same upstream, and cached responses are
 * still served.
 */
function createHealth(
  dataServices: readonly DataService[],
  { canAdmit, clock }: Pick<WorkerHealthOptions, "canAdmit" | "clock">,
): WorkerHealth {
  const services = new Map<string, (() => boolean) | undefined>(ACCOUNT_SERVICES.map(({ typeName }) => [typeName, undefined]));
  for (const service of dataServices) {
    services.set(service.desc.typeName, service.isServing && (() => service.isServing?.() === true));
  }
  const hasStarted = (): boolean => dataServices.every((service) => service.isReady?.() ?? true);
  return new WorkerHealth({ services, canAdmit, hasStarted, clock });
}

/**
 * Resolves after `delayMs`, so that callers who check health and readiness can stop sending calls here. Even with a delay of 0, those who
 * watch health are notified before their stream is cut.
 */
function awaitDrainDelay(clock: Pick<Clock, "after">, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    if (delayMs === 0) {
      setImmediate(resolve);
    } else {
      clock.after(delayMs, resolve);
    }
  });
}

/** Creates the function that reads the status. It rejects as the RPC does. */
function createStatusSource(accountRpc: Pick<AccountRpc, "call">): () => Promise<GetStatusResponse> {
  const { fullName: method } = accountMethodOf(StatusService.method.getStatus);
  const input = create(GetStatusRequestSchema);
  const caller = { peer: "", userAgent: undefined, token: undefined };
  return async () => (await accountRpc.call({ method, input, caller })) as GetStatusResponse;
}
