// The metrics of a whole server: every call is counted once, in any protocol and however it ends, and threads are added up.
import { createClient } from "@connectrpc/connect";
import { createConnectTransport, createGrpcTransport, createGrpcWebTransport } from "@connectrpc/connect-node";
import { expect, onTestFinished, test } from "vitest";
import { FarkleService } from "../../../gen/quintet/farkle/v1/farkle_pb.js";
import { TokenPriceService } from "../../../gen/quintet/tokenprice/v1/token_price_pb.js";
import { servedMethods } from "../../../src/workers/served-methods.ts";
import { ACCOUNT_SERVICES, DATA_METHODS, OPERATOR_SERVICES } from "../../fixtures/data-services.ts";
import { type Gateway, type GatewayOptions, startGateway } from "../../fixtures/gateway.ts";
import { scrape, seriesOf } from "../../fixtures/scrape.ts";
import { reachAll, startWorkerPool } from "../../workers/worker-pool.ts";

const PLANS = { farkle: [{ name: "free", callsPerMonth: 4, requestsPerSecond: 1000 }] };
const VARIABLES = { QUINTET_ADMIN_PORT: "0" };

async function start(options: GatewayOptions = {}): Promise<Gateway> {
  const gateway = await startGateway({ ...options, variables: { ...VARIABLES, ...options.variables } });
  onTestFinished(() => gateway.close());
  return gateway;
}

const SCORE = 'service="quintet.farkle.v1.FarkleService",method="Score"';
const becomes = (value: () => Promise<unknown>) => expect.poll(value);

test("every served method has its own series", async () => {
  const methods = await servedMethods();
  const known = [
    ...DATA_METHODS.map(({ desc }) => desc),
    ...[...ACCOUNT_SERVICES, ...OPERATOR_SERVICES].flatMap((service) => service.methods),
  ].map(({ parent, name }) => `${parent.typeName}/${name}`);
  expect(methods).toEqual(expect.arrayContaining(known));
  expect(new Set(methods).size).toBe(methods.length);
});

test("calls are counted by method, protocol and how they ended, with their sizes", async () => {
  const { origin, adminOrigin, makeCustomer } = await start({ plans: PLANS });
  const { secret } = await makeCustomer({ farkle: "free" });
  const headers = { "x-gateway-key": secret };
  const clients = [
    createConnectTransport({ baseUrl: origin, httpVersion: "1.1" }),
    createGrpcTransport({ baseUrl: origin }),
    createGrpcWebTransport({ baseUrl: origin, httpVersion: "1.1" }),
  ].map((transport) => createClient(FarkleService, transport));
  for (const client of clients) {
    await client.score({ dice: [1, 1] }, { headers });
  }
  const rest = async (path: string, init: RequestInit = {}): Promise<string> => (await fetch(origin + path, init)).text();
  const response = await rest("/farkle/v1/score", {
    method: "POST",
    headers: { ...headers, "content-type": "application/json" },
    body: '{"dice":[1,5]}',
  });
  await rest("/farkle/v1/score?dice=1", { headers });
  await rest("/farkle/v1/score?dice=1");
  await rest("/farkle/v1/score?dice=1", { method: "DELETE" });
  await rest("/made-up/qk_live_secret");
  await rest("/made.up.v1.Service/Method", { method: "POST", headers: { "content-type": "application/grpc" } });

  await becomes(async () => seriesOf(await scrape(adminOrigin), "quintet_calls_total")).toEqual({
    [`${SCORE},protocol="rest",code="ok",reason="OK"`]: 1,
    [`${SCORE},protocol="rest",code="resource_exhausted",reason="QUOTA_EXCEEDED"`]: 1,
    [`${SCORE},protocol="rest",code="unauthenticated",reason="KEY_MISSING"`]: 1,
    [`${SCORE},protocol="connect",code="ok",reason="OK"`]: 1,
    [`${SCORE},protocol="grpc",code="ok",reason="OK"`]: 1,
    [`${SCORE},protocol="grpc-web",code="ok",reason="OK"`]: 1,
    'service="unknown",method="unknown",protocol="rest",code="unimplemented",reason="METHOD_UNKNOWN"': 1,
    'service="unknown",method="unknown",protocol="rest",code="unimplemented",reason="METHOD_NOT_ALLOWED"': 1,
    'service="unknown",method="unknown",protocol="grpc",code="unimplemented",reason="METHOD_UNKNOWN"': 1,
  });
  const metrics = await scrape(adminOrigin);
  expect(seriesOf(metrics, "quintet_calls_refused_total")).toEqual({
    'reason="QUOTA_EXCEEDED"': 1,
    'reason="KEY_MISSING"': 1,
    'reason="METHOD_UNKNOWN"': 2,
    'reason="METHOD_NOT_ALLOWED"': 1,
  });
  expect(seriesOf(metrics, "quintet_calls_in_flight")).toEqual({});
  const ofRest = `{${SCORE},protocol="rest"}`;
  expect(metrics.get(`quintet_call_duration_seconds_count${ofRest}`)).toBe(3);
  expect(metrics.get(`quintet_call_request_size_bytes_sum${ofRest}`)).toBe(14);
  expect(metrics.get(`quintet_call_response_size_bytes_sum${ofRest}`)).toBeGreaterThan(Buffer.byteLength(response));
  const ofGrpc = `{${SCORE},protocol="grpc"}`;
  expect(metrics.get(`quintet_call_request_size_bytes_sum${ofGrpc}`)).toBe(9);
  expect(metrics.get(`quintet_call_response_size_bytes_count${ofGrpc}`)).toBe(1);
});

test("a stream is in progress until its caller goes away", async () => {
  const { origin, adminOrigin, makeCustomer } = await start({
    plans: { "token-price": [{ name: "free", callsPerMonth: 100, requestsPerSecond: 10 }] },
  });
  const { secret } = await makeCustomer({ "token-price": "free" });
  const client = createClient(TokenPriceService, createGrpcTransport({ baseUrl: origin }));
  const leaving = new AbortController();
  const stream = client.watchPrices(
    { tokens: ["ethereum:0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2"] },
    { headers: { "x-gateway-key": secret }, signal: leaving.signal },
  );
  const ended = stream[Symbol.asyncIterator]()
    .next()
    .catch(() => {});
  const watch = 'service="quintet.tokenprice.v1.TokenPriceService",method="WatchPrices",protocol="grpc"';
  await becomes(async () => seriesOf(await scrape(adminOrigin), "quintet_calls_in_flight")).toEqual({ [watch]: 1 });
  leaving.abort();
  await ended;
  await becomes(async () => seriesOf(await scrape(adminOrigin), "quintet_calls_total")).toEqual({
    [`${watch},code="canceled",reason="CANCELLED"`]: 1,
  });
  expect(seriesOf(await scrape(adminOrigin), "quintet_calls_in_flight")).toEqual({});
});

test("without the admin port nothing listens and nothing is counted", async () => {
  const { adminOrigin } = await startGateway().then((gateway) => {
    onTestFinished(() => gateway.close());
    return gateway;
  });
  expect(adminOrigin).toBeUndefined();
});

test("threads are added up, and the counts of a dead one are kept", async () => {
  const plans = { farkle: [{ name: "free", callsPerMonth: 1000, requestsPerSecond: 100_000 }] };
  const pool = await startWorkerPool(2, { plans, variables: VARIABLES }, "./crashable-worker.ts");
  const { secret } = await pool.makeCustomer({ farkle: "free" });
  const callers = await reachAll(pool, 2);
  const done = `${SCORE},protocol="rest",code="ok",reason="OK"`;
  const counted = async (): Promise<unknown> => seriesOf(await scrape(pool.adminOrigin), "quintet_calls_total")[done];
  const callEach = async (all: typeof callers): Promise<void> => {
    for (const caller of all) {
      await caller.call("/farkle/v1/score?dice=1", secret);
    }
  };
  await callEach(callers);
  await becomes(counted).toBe(2);
  await pool.workers.get("0.0")?.terminate();
  const replacement = await pool.reach("0.1");
  await callEach([replacement, ...callers.slice(1)]);
  await becomes(counted).toBe(4);
  const metrics = await scrape(pool.adminOrigin);
  expect(seriesOf(metrics, "quintet_worker_threads")).toEqual({ 'state="configured"': 2, 'state="running"': 2 });
  expect(metrics.get("quintet_worker_threads_replaced_total")).toBe(1);
});
