// What becomes of calls that cannot be answered is documented, operation by operation: each status, and the envelope that comes with it.
import { expect, onTestFinished, test } from "vitest";
import { SERVICE_NAMES } from "../../src/catalogue/service-names.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { startGateway } from "../fixtures/gateway.ts";
import { ask, DATA_PATHS, type Operation, responseFaults } from "../fixtures/openapi-document.ts";
import type { TestPlan } from "../fixtures/plan-file.ts";
import { type Query, sampleCalls } from "../fixtures/sample-calls.ts";
import { ALL_FREE, startWorld } from "../fixtures/world.ts";

const NOBODY = "00000000-0000-4000-8000-000000000000";
const SAMPLES = sampleCalls(NOBODY);

interface Seen {
  readonly path: string;
  readonly status: number;
  readonly faults: readonly string[];
}

const seenOf =
  (origin: string, headers: Readonly<Record<string, string>>) =>
  async ({ path, query }: { readonly path: string; readonly query: Query }): Promise<Seen> => {
    const answer = await ask(`${origin}${path}?${new URLSearchParams(query)}`, { headers });
    return { path, status: answer.status, faults: responseFaults(DATA_PATHS[path]?.get as Operation, answer) };
  };

// The operations that no upstream can make fail say so by not documenting the status 502.
const hasUpstream = (path: string): boolean => "502" in (DATA_PATHS[path]?.get.responses ?? {});

test("where every upstream is dead, each operation that needs one", async () => {
  // Those who ask a dead upstream ask it again after a while, which should be over.
  const gateway = await startGateway({ clock: systemClock });
  onTestFinished(() => gateway.close());
  const { secret } = await gateway.makeCustomer(ALL_FREE);
  const seen = await Promise.all(SAMPLES.map(seenOf(gateway.origin, { "x-gateway-key": secret })));
  expect(seen).toEqual(SAMPLES.map(({ path }) => ({ path, status: hasUpstream(path) ? 502 : 200, faults: [] })));
  expect(seen.filter(({ status }) => status === 200).map(({ path }) => path)).toContain("/farkle/v1/score");
});

test("without a subscription, each operation", async () => {
  const gateway = await startGateway();
  onTestFinished(() => gateway.close());
  const { secret } = await gateway.makeCustomer({});
  const seen = await Promise.all(SAMPLES.map(seenOf(gateway.origin, { "x-gateway-key": secret })));
  expect(seen).toEqual(SAMPLES.map(({ path }) => ({ path, status: 402, faults: [] })));
});

test("over the rate, each operation", async () => {
  const slow: TestPlan = { name: "free", callsPerMonth: 1000, requestsPerSecond: 1 };
  const gateway = await startGateway({ plans: Object.fromEntries(SERVICE_NAMES.map((service) => [service, [slow]])) });
  onTestFinished(() => gateway.close());
  const { secret } = await gateway.makeCustomer(ALL_FREE);
  const see = seenOf(gateway.origin, { "x-gateway-key": secret });
  // Time stands still: the first call of each service has the only token there will be, whatever it is worth.
  await Promise.all(SAMPLES.map(({ path }) => see({ path, query: { nonsense: "1" } })));
  expect(await Promise.all(SAMPLES.map(see))).toEqual(SAMPLES.map(({ path }) => ({ path, status: 429, faults: [] })));
});

test("what is not there, and what the plan does not include", async () => {
  const world = await startWorld({
    "token-price": [{ name: "free", callsPerMonth: 1000, requestsPerSecond: 1000, tokensPerCallMax: 1 }],
  });
  onTestFinished(() => world.close());
  const nowhere = { chain: "ethereum", address: `0x${"1".repeat(40)}` };
  const two = { tokens: "coingecko:bitcoin,coingecko:ethereum" };
  const calls = [
    { path: "/radio/v1/station", query: { uuid: NOBODY }, status: 404 },
    { path: "/token-list/v1/token", query: nowhere, status: 404 },
    { path: "/token-list/v1/list", query: { list: "nobodys" }, status: 404 },
    { path: "/token-list/v1/bridges", query: nowhere, status: 404 },
    { path: "/token-price/v1/price", query: two, status: 403 },
    { path: "/token-price/v1/historical", query: { ...two, timestamp: "1760000000" }, status: 403 },
    { path: "/token-price/v1/chart", query: two, status: 403 },
    { path: "/token-price/v1/change", query: two, status: 403 },
    { path: "/token-price/v1/watch", query: two, status: 403 },
  ];
  const seen = await Promise.all(calls.map(seenOf(world.gateway.origin, world.headers)));
  expect(seen).toEqual(calls.map(({ path, status }) => ({ path, status, faults: [] })));
});
