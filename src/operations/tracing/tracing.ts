// Traces: a span for each call, with a child span for each request to an upstream, sent to a collector. Only this file and the files that
// it loads use OpenTelemetry, and it is loaded only if tracing is on. Attribute names are those of the semantic conventions.
// https://opentelemetry.io/docs/specs/semconv/rpc/rpc-spans/
import { AsyncLocalStorage } from "node:async_hooks";
import { Code } from "@connectrpc/connect";
import {
  type Context,
  createTraceState,
  diag,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  type IdGenerator,
  ParentBasedSampler,
  RandomIdGenerator,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { ServiceName } from "../../catalogue/service-names.ts";
import type { TracingConfig } from "../../config/tracing.ts";
import type { CallObserver, ObservedCall } from "../../gateway/call-observer.ts";
import { CODE_NAMES } from "../../problem/code.ts";
import { REASONS, type Reason } from "../../problem/reason.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import type { ProxyConfig } from "../../runtime/proxied-agent.ts";
import { parseTraceContext, type TraceContext } from "../../runtime/trace-context.ts";
import { version } from "../../runtime/version.ts";
import type { UpstreamObserver } from "../../upstream/upstream-observer.ts";

// The attributes of a call's span. https://opentelemetry.io/docs/specs/semconv/rpc/rpc-spans/ and .../grpc/, .../connect-rpc/

type Attributes = Record<string, string | number>;

const SYSTEMS = { grpc: "grpc", "grpc-web": "grpc", connect: "connect_rpc", rest: "http", mcp: "jsonrpc" } as const;

// The codes that the conventions count as the server's own fault.
const SERVER_FAULTS: ReadonlySet<Code> = new Set([
  Code.Unknown,
  Code.DeadlineExceeded,
  Code.Unimplemented,
  Code.Internal,
  Code.Unavailable,
  Code.DataLoss,
]);

const GRPC_OK = 0;

/** The span's name: the method's, or a fixed one for unknown methods. */
const spanNameOf = ({ method }: ObservedCall): string => method?.fullName ?? "unknown";

/** The attributes that are known when a call begins. */
function callAttributes({ exchange, protocolName, method }: ObservedCall): Attributes {
  const [service, name] = method?.fullName.split("/") ?? [];
  return {
    "rpc.system": SYSTEMS[protocolName],
    ...(service !== undefined && { "rpc.service": service }),
    ...(name !== undefined && { "rpc.method": name }),
    "http.request.method": exchange.method,
    "url.scheme": exchange.isSecure ? "https" : "http",
    "network.protocol.name": "http",
    "network.protocol.version": exchange.httpVersion === 2 ? "2" : "1.1",
  };
}

/** The attributes that are known once it has ended. */
function endAttributes({ exchange, protocolName, identity }: ObservedCall, outcome: "OK" | Reason): Attributes {
  const code = outcome === "OK" ? undefined : REASONS[outcome].code;
  const isGrpc = protocolName === "grpc" || protocolName === "grpc-web";
  return {
    ...(isGrpc && { "rpc.grpc.status_code": code ?? GRPC_OK }),
    ...(protocolName === "connect" && code !== undefined && { "rpc.connect_rpc.error_code": CODE_NAMES[code] }),
    ...(exchange.status !== 0 && { "http.response.status_code": exchange.status }),
    "http.request.body.size": exchange.requestBodyBytes,
    "http.response.body.size": exchange.responseBodyBytes,
    "quintet.reason": outcome,
    "quintet.request_id": exchange.requestId,
    ...(identity && { "quintet.account": identity.accountId }),
  };
}

/** Whether the span is marked as failed. */
const isServerFault = (outcome: "OK" | Reason): boolean => outcome !== "OK" && SERVER_FAULTS.has(REASONS[outcome].code);

// Decides whether a call is traced before anything is created for its span. OpenTelemetry's tracer decides only when it has the span's
// name and attributes. Creating those for every call would cost several times as much.
function samplerOf({ sampler, ratio }: Pick<TracingConfig, "sampler" | "ratio">): Sampler {
  const root = sampler.endsWith("traceidratio")
    ? new TraceIdRatioBasedSampler(ratio)
    : sampler.endsWith("always_off")
      ? new AlwaysOffSampler()
      : new AlwaysOnSampler();
  return sampler.startsWith("parentbased_") ? new ParentBasedSampler({ root }) : root;
}

/**
 * Asks the configured sampler, without a name or attributes. The sampler may decide by the trace's id, so the tracer takes the id of a new
 * trace from here.
 */
class HeadSampler implements IdGenerator {
  readonly #sampler: Sampler;
  readonly #random = new RandomIdGenerator();
  #traceId = "";

  constructor(config: Pick<TracingConfig, "sampler" | "ratio">) {
    this.#sampler = samplerOf(config);
  }

  /** Whether to trace a call that belongs to its caller's trace, which has this id; the caller's span is in the context. */
  samplesChild(traceId: string, context: Context): boolean {
    return this.#sampler.shouldSample(context, traceId, "", SpanKind.SERVER, {}, []).decision !== SamplingDecision.NOT_RECORD;
  }

  /** Whether to trace a call that arrived without a trace. If so, the next span starts a trace with the id that was sampled. */
  samplesRoot(): boolean {
    this.#traceId = this.#random.generateTraceId();
    return this.samplesChild(this.#traceId, ROOT_CONTEXT);
  }

  generateTraceId(): string {
    return this.#traceId;
  }

  generateSpanId(): string {
    return this.#random.generateSpanId();
  }
}

/** The clock's monotonic time as milliseconds since the epoch. Both ends of a span are converted alike, so its length is exact. */
const epochMs = (clock: Clock, monotonicMs: number): number => clock.nowMs() + (monotonicMs - clock.monotonicMs());

interface CallTracerOptions {
  /** Creates the spans. The sampler decides which calls get one. */
  readonly tracer: Tracer;
  readonly sampler: HeadSampler;
  /** Holds the span of the call that is running. */
  readonly current: AsyncLocalStorage<Context>;
  readonly clock: Clock;
}

/** Creates a span for each sampled call, even if the call was never admitted. */
function createCallTracer({ tracer, sampler, current, clock }: CallTracerOptions): CallObserver {
  const spans = new WeakMap<ObservedCall, Span>();

  function startSpan(call: ObservedCall): { readonly span: Span; readonly context: Context } | undefined {
    const parent = parentOf(call);
    const context = parent === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, parent);
    const isSampled = parent === undefined ? sampler.samplesRoot() : sampler.samplesChild(parent.traceId, context);
    if (!isSampled) {
      return undefined;
    }
    const startTime = epochMs(clock, call.startedMs);
    const span = tracer.startSpan(
      spanNameOf(call),
      { kind: SpanKind.SERVER, startTime, attributes: callAttributes(call) },
      context,
    );
    return { span, context: trace.setSpan(context, span) };
  }

  return {
    within(call, run) {
      const started = startSpan(call);
      if (started === undefined) {
        run();
        return;
      }
      spans.set(call, started.span);
      call.trace = traceContextOf(started.span);
      current.run(started.context, run);
    },
    started() {},
    ended(call, outcome: "OK" | Reason, isRefused) {
      // An admitted call got its span when it started, or is not sampled.
      const span = isRefused ? startSpan(call)?.span : spans.get(call);
      if (span === undefined) {
        return;
      }
      span.setAttributes(endAttributes(call, outcome));
      if (isServerFault(outcome)) {
        span.setStatus({ code: SpanStatusCode.ERROR, message: outcome });
      }
      span.end(epochMs(clock, clock.monotonicMs()));
    },
  };
}

function parentOf({ exchange: { headers } }: ObservedCall): SpanContext | undefined {
  const parent = headers.traceparent === undefined ? undefined : parseTraceContext(headers);
  return (
    parent && {
      traceId: parent.traceId,
      spanId: parent.parentId,
      traceFlags: parent.flags,
      isRemote: true,
      ...(parent.tracestate !== undefined && { traceState: createTraceState(parent.tracestate) }),
    }
  );
}

function traceContextOf(span: Span): TraceContext {
  const { traceId, spanId, traceFlags, traceState } = span.spanContext();
  return { traceId, parentId: spanId, flags: traceFlags, tracestate: traceState?.serialize() };
}

export interface Tracing {
  readonly observer: CallObserver;
  readonly upstreamObserverOf: (service: ServiceName) => Pick<UpstreamObserver, "attempted">;
  /** Sends the pending spans, and waits a while for that. Never rejects. */
  close(): Promise<void>;
}

const EXPORT_TIMEOUT_MS = 2000;
const LOG_EVERY_MS = 10_000;

export function startTracing(config: TracingConfig, proxy: ProxyConfig | undefined, clock: Clock, log: Log): Tracing {
  logFailures(clock, log);
  const { serviceName, resourceAttributes, url, headers } = config;
  const sampler = new HeadSampler(config);
  const proxyEnv = proxy && { HTTP_PROXY: proxy.http, HTTPS_PROXY: proxy.https, NO_PROXY: proxy.none };
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": serviceName, "service.version": version, ...resourceAttributes }),
    // The tracer is never called for a call that is not sampled.
    sampler: new AlwaysOnSampler(),
    idGenerator: sampler,
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({
          url,
          headers: { ...headers },
          timeoutMillis: EXPORT_TIMEOUT_MS,
          httpAgentOptions: { keepAlive: true, ...(proxyEnv && { proxyEnv }) },
        }),
        exportTimeoutMillis: EXPORT_TIMEOUT_MS,
      }),
    ],
  });
  const tracer = provider.getTracer("quintet", version);
  const current = new AsyncLocalStorage<Context>();
  return {
    observer: createCallTracer({ tracer, sampler, current, clock }),
    upstreamObserverOf: (service) => createUpstreamTracer(tracer, current, clock, service),
    async close() {
      await provider.shutdown().catch((error: unknown) => log.warn({ err: error }, "the last traces could not be sent"));
    },
  };
}

// Background requests, which do not belong to a call, have no span.
function createUpstreamTracer(
  tracer: Tracer,
  current: AsyncLocalStorage<Context>,
  clock: Clock,
  service: ServiceName,
): Pick<UpstreamObserver, "attempted"> {
  return {
    attempted(outcome, elapsedMs, host) {
      const parent = current.getStore();
      if (parent === undefined) {
        return;
      }
      const nowMs = clock.monotonicMs();
      const span = tracer.startSpan(
        "GET",
        {
          kind: SpanKind.CLIENT,
          startTime: epochMs(clock, nowMs - elapsedMs),
          attributes: { "http.request.method": "GET", "server.address": host, "quintet.upstream": service },
        },
        parent,
      );
      if (outcome !== "ok" && outcome !== "unchanged") {
        span.setAttribute("error.type", outcome).setStatus({ code: SpanStatusCode.ERROR });
      }
      span.end(epochMs(clock, nowMs));
    },
  };
}

// OpenTelemetry reports problems to one logger per process.
function logFailures(clock: Clock, log: Log): void {
  let loggedAtMs = Number.NEGATIVE_INFINITY;
  const warn = (message: string): void => {
    const nowMs = clock.monotonicMs();
    if (nowMs - loggedAtMs >= LOG_EVERY_MS) {
      loggedAtMs = nowMs;
      log.warn({ reason: message.slice(0, 300) }, "traces cannot be sent");
    }
  };
  const ignore = (): void => {};
  diag.setLogger({ error: warn, warn, info: ignore, debug: ignore, verbose: ignore });
}
