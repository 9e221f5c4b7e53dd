// Traces: a span for each call, with a child span for each request to an upstream, sent to a collector. Only this file and the files that
// it loads use OpenTelemetry, and it is loaded only if tracing is on. Attribute names are those of the semantic conventions.
// https://opentelemetry.io/docs/specs/semconv/rpc/rpc-spans/
import { AsyncLocalStorage } from "node:async_hooks";
import { type Context, diag, SpanKind, SpanStatusCode, type Tracer } from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-http";
import { resourceFromAttributes } from "@opentelemetry/resources";
import { AlwaysOnSampler, BatchSpanProcessor, TracerProvider } from "@opentelemetry/sdk-trace";
import type { ServiceName } from "../../catalogue/service-names.ts";
import type { TracingConfig } from "../../config/tracing.ts";
import type { CallObserver } from "../../gateway/call-observer.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import type { ProxyConfig } from "../../runtime/proxied-agent.ts";
import { version } from "../../runtime/version.ts";
import type { UpstreamObserver } from "../../upstream/upstream-observer.ts";
import { createCallTracer, epochMs } from "./call-tracer.ts";
import { HeadSampler } from "./head-sampler.ts";

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
