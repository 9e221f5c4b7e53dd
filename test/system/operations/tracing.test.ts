// Traces of a whole server, as a collector receives them over a socket.
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { expect, onTestFinished, test } from "vitest";
import { FarkleService } from "../../../gen/quintet/farkle/v1/farkle_pb.js";
import { startGateway } from "../../fixtures/gateway.ts";
import { serve } from "../../fixtures/program.ts";
import { ROOT } from "../../fixtures/root.ts";
import { startForwardProxy } from "../../fixtures/servers/forward-proxy.ts";
import { temporaryDirectory } from "../../fixtures/temporary-directory.ts";

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly status: { readonly code: number };
  readonly attributes: readonly {
    readonly key: string;
    readonly value: { readonly stringValue?: string; readonly intValue?: number };
  }[];
}

interface Received {
  readonly path: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const SERVER = 2;
const CLIENT = 3;
const FAILED = 2;

// A collector that keeps what it receives.
async function startCollector() {
  const received: Received[] = [];
  const server = createServer(async (request, response) => {
    received.push({ path: request.url, headers: request.headers, body: await text(request) });
    response.setHeader("content-type", "application/json").end("{}");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const spans = (): readonly OtlpSpan[] =>
    received.flatMap(({ body }) =>
      (JSON.parse(body).resourceSpans as { scopeSpans: { spans: OtlpSpan[] }[] }[]).flatMap(({ scopeSpans }) =>
        scopeSpans.flatMap((scope) => scope.spans),
      ),
    );
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received, spans };
}

const attributesOf = ({ attributes }: OtlpSpan): Readonly<Record<string, unknown>> =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue]));

const PLANS = {
  farkle: [{ name: "free", callsPerMonth: 100, requestsPerSecond: 100 }],
  radio: [{ name: "free", callsPerMonth: 100, requestsPerSecond: 100 }],
};
const TRACE = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT = "00f067aa0ba902b7";

test("a call is a span in its caller's trace, with its request to an upstream as a child, and no secret in either", async () => {
  const collector = await startCollector();
  const gateway = await startGateway({
    plans: PLANS,
    variables: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.origin}/`,
      OTEL_EXPORTER_OTLP_HEADERS: "x-collector-key=for%20us",
      OTEL_SERVICE_NAME: "quintet-test",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment=test",
    },
  });
  const { secret, key } = await gateway.makeCustomer({ farkle: "free", radio: "free" });
  const headers = { "x-gateway-key": secret, traceparent: `00-${TRACE}-${PARENT}-01` };
  await createClient(FarkleService, createGrpcTransport({ baseUrl: gateway.origin })).score({ dice: [1] }, { headers });
  await fetch(`${gateway.origin}/radio/v1/countries`, { headers });
  await fetch(`${gateway.origin}/farkle/v1/score?dice=1`, { headers: { cookie: "quintet_session=secret-token" } });
  await gateway.close();

  const spans = collector.spans();
  const score = spans.find(({ name, traceId }) => name === "quintet.farkle.v1.FarkleService/Score" && traceId === TRACE);
  expect(score).toMatchObject({ parentSpanId: PARENT, kind: SERVER, status: { code: 0 } });
  expect(score && attributesOf(score)).toMatchObject({
    "rpc.system": "grpc",
    "rpc.service": "quintet.farkle.v1.FarkleService",
    "rpc.method": "Score",
    "rpc.grpc.status_code": 0,
    "http.response.status_code": 200,
    "quintet.reason": "OK",
    "quintet.account": key.accountId,
  });
  const countries = spans.find(({ name }) => name === "quintet.radio.v1.RadioService/ListCountries");
  expect(countries).toMatchObject({ traceId: TRACE, parentSpanId: PARENT, kind: SERVER, status: { code: FAILED } });
  const upstream = spans.find(({ kind }) => kind === CLIENT);
  expect(upstream).toMatchObject({ traceId: TRACE, parentSpanId: countries?.spanId, name: "GET", status: { code: FAILED } });
  expect(upstream && attributesOf(upstream)).toMatchObject({ "quintet.upstream": "radio", "error.type": "connect" });
  const refused = spans.find(({ traceId }) => traceId !== TRACE);
  expect(refused && attributesOf(refused)).toMatchObject({ "rpc.system": "http", "quintet.reason": "KEY_MISSING" });
  const [first] = collector.received;
  expect(first).toMatchObject({ path: "/v1/traces", headers: { "x-collector-key": "for us" } });
  expect(first?.body).toContain('"quintet-test"');
  const all = collector.received.map(({ body }) => body).join();
  expect([secret, secret.slice(8, 20), "secret-token"].filter((one) => all.includes(one))).toEqual([]);
});

test.each([
  ["parentbased_always_off", { traceparent: `00-${TRACE}-${PARENT}-01` }, 1],
  ["parentbased_always_on", { traceparent: `00-${TRACE}-${PARENT}-00` }, 0],
  ["always_off", { traceparent: `00-${TRACE}-${PARENT}-01` }, 0],
  ["traceidratio", {}, 0],
])("the sampler %s, called with %o, records %i spans", async (sampler, headers: Record<string, string>, count) => {
  const collector = await startCollector();
  const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin, OTEL_TRACES_SAMPLER: sampler, OTEL_TRACES_SAMPLER_ARG: "0" };
  const gateway = await startGateway({ variables });
  await fetch(`${gateway.origin}/farkle/v1/score?dice=1`, { headers });
  await gateway.close();
  expect(collector.spans()).toHaveLength(count);
});

test("spans reach the collector through a proxy", async () => {
  const collector = await startCollector();
  const { url, targets } = await startForwardProxy(Number(new URL(collector.origin).port));
  const variables = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector.example:4318", HTTP_PROXY: url };
  const gateway = await startGateway({ variables });
  await fetch(`${gateway.origin}/farkle/v1/score?dice=1`);
  await gateway.close();
  expect([collector.spans().length, targets]).toEqual([1, ["http://collector.example:4318/v1/traces"]]);
});

// A mirror of the radio directory without stations that records the traces of its requests.
async function startMirror() {
  const traces: unknown[] = [];
  const server = createServer(({ headers: { traceparent, tracestate } }, response) => {
    traces.push({ traceparent, tracestate });
    response.setHeader("content-type", "application/json").end("[]");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, traces };
}

test.each([
  ["in its caller's trace", { traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: "a=1" }, "parentbased_always_on", "01", "a=1"],
  ["in its own trace", {}, "always_on", "01", undefined],
  [
    "not recorded, but has its caller's trace",
    { traceparent: `00-${TRACE}-${PARENT}-00` },
    "parentbased_always_on",
    "00",
    undefined,
  ],
  ["not recorded, and has no trace", {}, "always_off", undefined, undefined],
])("if a call is %s, so is its request to an upstream", async (_, trace: Record<string, string>, sampler, flags, tracestate) => {
  const [collector, mirror] = await Promise.all([startCollector(), startMirror()]);
  const gateway = await startGateway({
    plans: PLANS,
    variables: {
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.origin,
      OTEL_TRACES_SAMPLER: sampler,
      QUINTET_RADIO_MIRRORS: mirror.origin,
    },
  });
  const { secret } = await gateway.makeCustomer({ radio: "free" });
  await fetch(`${gateway.origin}/radio/v1/search?name=a`, { headers: { "x-gateway-key": secret, ...trace } });
  await gateway.close();
  const own = collector.spans().find(({ kind }) => kind === SERVER);
  const traceparent = flags && `00-${own?.traceId ?? TRACE}-${own?.spanId ?? PARENT}-${flags}`;
  expect(mirror.traces).toEqual([{ traceparent, tracestate }]);
});

test("a collector that cannot be reached delays no call, and the server still stops", async () => {
  const gateway = await startGateway({ variables: { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" } });
  expect((await fetch(`${gateway.origin}/farkle/v1/score?dice=1`)).status).toBe(401);
  await gateway.close();
});

// Prints on standard error which modules of OpenTelemetry are loaded.
const WATCH = `data:text/javascript,${encodeURIComponent(`
  import { registerHooks } from "node:module";
  registerHooks({
    resolve(specifier, context, next) {
      if (specifier.includes("opentelemetry")) process.stderr.write("LOADED " + specifier + "\\n");
      return next(specifier, context);
    },
  });
`)}`;

test.each([
  ["off", {}, false],
  ["on", { OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:9" }, true],
])("with traces %s, OpenTelemetry is loaded only if it is needed", async (_, variables: Record<string, string>, isLoaded) => {
  const server = await serve(
    {
      NODE_OPTIONS: `--import=${WATCH}`,
      QUINTET_DATA_DIR: temporaryDirectory(),
      QUINTET_WORKERS: "1",
      QUINTET_ADMIN_PORT: "0",
      ...variables,
    },
    // The bundle's files do not have the names of the packages in them.
    join(ROOT, "src/start.js"),
  );
  server.signal("SIGTERM");
  const { code, err } = await server.ended;
  expect({ code, isLoaded: err.includes("LOADED @opentelemetry/") }).toEqual({ code: 0, isLoaded });
});
