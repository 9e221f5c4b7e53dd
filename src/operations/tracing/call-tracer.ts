// The spans of calls.
import type { AsyncLocalStorage } from "node:async_hooks";
import {
  type Context,
  createTraceState,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  type Tracer,
  trace,
} from "@opentelemetry/api";
import type { CallObserver, ObservedCall } from "../../gateway/call-observer.ts";
import type { Reason } from "../../problem/reason.ts";
import type { Clock } from "../../runtime/clock.ts";
import { parseTraceContext, type TraceContext } from "../../runtime/trace-context.ts";
import { callAttributes, endAttributes, isServerFault, spanNameOf } from "./call-attributes.ts";
import type { HeadSampler } from "./head-sampler.ts";

/** The clock's monotonic time as milliseconds since the epoch. Both ends of a span are converted alike, so its length is exact. */
export const epochMs = (clock: Clock, monotonicMs: number): number => clock.nowMs() + (monotonicMs - clock.monotonicMs());

interface CallTracerOptions {
  /** Creates the spans. The sampler decides which calls get one. */
  readonly tracer: Tracer;
  readonly sampler: HeadSampler;
  /** Holds the span of the call that is running. */
  readonly current: AsyncLocalStorage<Context>;
  readonly clock: Clock;
}

/** Creates a span for each sampled call, even if the call was never admitted. */
export function createCallTracer({ tracer, sampler, current, clock }: CallTracerOptions): CallObserver {
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
