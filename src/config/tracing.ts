// Reads whether and where traces are sent, from OpenTelemetry's standard variables.
// https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/ and
// https://opentelemetry.io/docs/specs/otel/protocol/exporter/
import type { Environment } from "./environment.ts";

const SAMPLERS = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

export interface TracingConfig {
  /** The collector's URL for traces. */
  readonly url: string;
  /** Headers of each export. They may contain secrets. */
  readonly headers: Readonly<Record<string, string>>;
  readonly sampler: (typeof SAMPLERS)[number];
  /** The share of traces that the ratio samplers take, from 0 to 1. */
  readonly ratio: number;
  readonly serviceName: string;
  /** Further attributes of this process. */
  readonly resourceAttributes: Readonly<Record<string, string>>;
}

/** Undefined if no traces are sent. */
export function readTracingConfig(environment: Environment): TracingConfig | undefined {
  const base = environment.optionalText(
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "The URL of an OpenTelemetry collector, such as `http://127.0.0.1:4318`. Traces are sent as JSON to `/v1/traces` below it. " +
      "If it is not set, there are no traces, and no tracing code is loaded.",
  );
  const headers = pairs(
    environment,
    "OTEL_EXPORTER_OTLP_HEADERS",
    "Headers to send with each export, as `name=value` separated by commas, percent-encoded.",
  );
  const sampler = environment.choice(
    "OTEL_TRACES_SAMPLER",
    "parentbased_always_on",
    SAMPLERS,
    "Which traces are recorded. Samplers whose names begin with `parentbased_` follow the caller's `traceparent` if there is one.",
  );
  const ratio = ratioOf(environment);
  const serviceName = environment.text("OTEL_SERVICE_NAME", "quintet", "The name of this program in traces.");
  const resourceAttributes = pairs(
    environment,
    "OTEL_RESOURCE_ATTRIBUTES",
    "Further attributes of this process in traces, as `name=value` separated by commas, percent-encoded.",
  );
  if (base === undefined) {
    return undefined;
  }
  if (!/^https?:\/\/[^/?#]/.test(base) || !URL.canParse(base)) {
    environment.fault("OTEL_EXPORTER_OTLP_ENDPOINT", "must be an http or https URL, such as http://127.0.0.1:4318");
  }
  const url = `${base.replace(/\/+$/, "")}/v1/traces`;
  return { url, headers, sampler, ratio, serviceName, resourceAttributes };
}

function ratioOf(environment: Environment): number {
  const name = "OTEL_TRACES_SAMPLER_ARG";
  const text = environment.text(name, "1", "The share of traces that the `traceidratio` samplers record, from 0 to 1.");
  const ratio = Number(text);
  if (!(ratio >= 0 && ratio <= 1) || text.trim() === "") {
    environment.fault(name, `must be a number from 0 to 1, not "${text}"`);
    return 1;
  }
  return ratio;
}

// Values may be secrets, so no fault repeats one.
function pairs(environment: Environment, name: string, meaning: string): Readonly<Record<string, string>> {
  const entries = (environment.optionalText(name, meaning) ?? "").split(",").filter((part) => part.trim() !== "");
  const read: [string, string][] = [];
  for (const entry of entries) {
    const [, key, value] = /^\s*([^=\s]+)\s*=\s*(.*?)\s*$/.exec(entry) ?? [];
    try {
      if (key === undefined || value === undefined) {
        throw new URIError();
      }
      read.push([key, decodeURIComponent(value)]);
    } catch {
      environment.fault(name, "must contain name=value pairs separated by commas, with values percent-encoded");
      return {};
    }
  }
  return Object.fromEntries(read);
}
