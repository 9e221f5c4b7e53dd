import { expect, test } from "vitest";
import { Environment } from "../../src/config/environment.ts";
import { readTracingConfig } from "../../src/config/tracing.ts";

const read = (variables: Record<string, string>) => {
  const environment = new Environment(variables);
  const config = readTracingConfig(environment);
  environment.finish();
  return config;
};

const DEFAULTS = { headers: {}, sampler: "parentbased_always_on", ratio: 1, serviceName: "quintet", resourceAttributes: {} };
const URL = "http://127.0.0.1:4318";

test.each([
  [{}, undefined],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: `${URL}/` }, { ...DEFAULTS, url: `${URL}/v1/traces` }],
  [
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: URL,
      OTEL_EXPORTER_OTLP_HEADERS: "a=1, b=x%3Dy",
      OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
      OTEL_TRACES_SAMPLER_ARG: "0.01",
      OTEL_RESOURCE_ATTRIBUTES: "zone=1",
    },
    {
      ...DEFAULTS,
      url: `${URL}/v1/traces`,
      headers: { a: "1", b: "x=y" },
      sampler: "parentbased_traceidratio",
      ratio: 0.01,
      resourceAttributes: { zone: "1" },
    },
  ],
])("%o is read", (variables: Record<string, string>, config) => {
  expect(read(variables)).toEqual(config);
});

test.each([
  [
    { OTEL_EXPORTER_OTLP_ENDPOINT: "collector:4318" },
    "OTEL_EXPORTER_OTLP_ENDPOINT must be an http or https URL, such as http://127.0.0.1:4318",
  ],
  [{ OTEL_TRACES_SAMPLER_ARG: "2" }, 'OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1, not "2"'],
  [
    { OTEL_EXPORTER_OTLP_HEADERS: "secret" },
    "OTEL_EXPORTER_OTLP_HEADERS must contain name=value pairs separated by commas, with values percent-encoded",
  ],
])("%o is refused", (variables: Record<string, string>, fault) => {
  expect(() => read(variables)).toThrow(`The environment has a fault:\n  ${fault}`);
});
