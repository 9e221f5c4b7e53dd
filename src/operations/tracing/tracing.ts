// Traces: a span for each call, and one below it for each request to an upstream, sent to a collector. Only this file and those that it loads
// know OpenTelemetry, and it is loaded only where traces are on. Names are those of the semantic conventions.
// https://opentelemetry.io/docs/specs/semconv/rpc/rpc-spans/
import { AsyncLocalStorage } from "node:async_hooks";
import { type Context, diag, ROOT_CONTEXT, type Span, SpanKind, SpanStatusCode, type Tracer, trace } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  BatchSpanProcessor,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from "@opentelemetry/sdk-trace";
import type { ServiceName } from "../../catalogue/service-names.ts";
import type { TracingConfig } from "../../config/tracing.ts";
import type { CallObserver, ObservedCall } from "../../gateway/call-observer.ts";
import type { Reason } from "../../problem/reason.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import { parseTraceContext } from "../../runtime/trace-context.ts";
import { version } from "../../runtime/version.ts";
import type { UpstreamObserver } from "../../upstream/upstream-observer.ts";
import { callAttributes, endAttributes, isServerFault, spanNameOf } from "./call-attributes.ts";

/** The traces of one worker. */
export interface Tracing {
  readonly observer: CallObserver;
  readonly upstreamObserverOf: (service: ServiceName) => Pick<UpstreamObserver, "attempted">;
  /** Sends what there is, and waits for that for a while. Never rejects. */
  close(): Promise<void>;
}

const EXPORT_TIMEOUT_MS = 2000;
const LOG_EVERY_MS = 10_000;

function samplerOf({ sampler, ratio }: TracingConfig): Sampler {
  const root = sampler.endsWith("traceidratio")
    ? new TraceIdRatioBasedSampler(ratio)
    : sampler.endsWith("always_off")
      ? new AlwaysOffSampler()
      : new AlwaysOnSampler();
  return sampler.startsWith("parentbased_") ? new ParentBasedSampler({ root }) : root;
}

/** Begins to trace. */
export function startTracing(config: TracingConfig, clock: Clock, log: Log): Tracing {
  logFailures(clock, log);
  const { serviceName, resourceAttributes, url, headers } = config;
  const provider = new TracerProvider({
    resource: resourceFromAttributes({ "service.name": serviceName, "service.version": version, ...resourceAttributes }),
    sampler: samplerOf(config),
    spanProcessors: [
      new BatchSpanProcessor({
        exporter: new OTLPTraceExporter({ url, headers: { ...headers }, timeoutMillis: EXPORT_TIMEOUT_MS }),
        exportTimeoutMillis: EXPORT_TIMEOUT_MS,
      }),
    ],
  });
  const tracer = provider.getTracer("quintet", version);
  const current = new AsyncLocalStorage<Context>();
  return {
    observer: createCallTracer(tracer, current, clock),
    upstreamObserverOf: (service) => createUpstreamTracer(tracer, current, clock, service),
    async close() {
      await provider.shutdown().catch((error: unknown) => log.warn({ err: error }, "the last traces could not be sent"));
    },
  };
}

// The clock's monotonic time as milliseconds since the epoch. Both ends of a span are converted alike, so its length is exact.
const epochMs = (clock: Clock, monotonicMs: number): number => clock.nowMs() + (monotonicMs - clock.monotonicMs());

function createCallTracer(tracer: Tracer, current: AsyncLocalStorage<Context>, clock: Clock): CallObserver {
  const spans = new WeakMap<ObservedCall, Span>();
  const start = (call: ObservedCall): { readonly span: Span; readonly context: Context } => {
    const parent = parseTraceContext({ traceparent: call.exchange.headers.traceparent });
    const context =
      parent === undefined
        ? ROOT_CONTEXT
        : trace.setSpanContext(ROOT_CONTEXT, {
            traceId: parent.traceId,
            spanId: parent.parentId,
            traceFlags: parent.flags,
            isRemote: true,
          });
    const startTime = epochMs(clock, call.startedMs);
    const span = tracer.startSpan(
      spanNameOf(call),
      { kind: SpanKind.SERVER, startTime, attributes: callAttributes(call) },
      context,
    );
    spans.set(call, span);
    return { span, context: trace.setSpan(context, span) };
  };
  return {
    within(call, run) {
      current.run(start(call).context, run);
    },
    began() {},
    ended(call, outcome: "OK" | Reason) {
      const span = spans.get(call) ?? start(call).span;
      if (span.isRecording()) {
        span.setAttributes(endAttributes(call, outcome));
        if (isServerFault(outcome)) {
          span.setStatus({ code: SpanStatusCode.ERROR, message: outcome });
        }
      }
      span.end(epochMs(clock, clock.monotonicMs()));
    },
  };
}

// What is read in the background, for no call, has no span.
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

// OpenTelemetry reports what goes wrong to one logger of the process.
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
