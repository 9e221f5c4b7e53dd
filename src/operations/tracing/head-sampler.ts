// Decides whether a call is traced before anything is created for its span. OpenTelemetry's tracer decides only when it has the span's
// name and attributes. Creating those for every call would cost several times as much.
import { type Context, ROOT_CONTEXT, SpanKind } from "@opentelemetry/api";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  type IdGenerator,
  ParentBasedSampler,
  RandomIdGenerator,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace";
import type { TracingConfig } from "../../config/tracing.ts";

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
export class HeadSampler implements IdGenerator {
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
