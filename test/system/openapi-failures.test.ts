// The document says for each operation how calls fail: each status, and the envelope that comes with it.
import { expect, onTestFinished, test } from "vitest";
import { SERVICE_NAMES } from "../../src/catalogue/service-names.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { startGateway } from "../fixtures/gateway.ts";
import { DATA_PATHS, fetchJson, type Operation, responseFaults } from "../fixtures/openapi-document.ts";
import type { TestPlan } from "../fixtures/plan-file.ts";
import { type Input, queryOf, sampleInput } from "../fixtures/sample-calls.ts";
import { ALL_FREE, startWorld } from "../fixtures/world.ts";

const UNKNOWN_ID = "00000000-0000-4000-8000-000000000000";

/** A valid call of an operation: with the input in the query if it reads, and in the body if it changes something. */
interface Call {
  readonly path: string;
  readonly operation: Operation;
  readonly input: Input;
}

const CALLS: readonly Call[] = Object.entries(DATA_PATHS).map(([path, { get, post }]) => {
  const operation = get ?? post;
  return { path, operation, input: sampleInput(operation.operationId, UNKNOWN_ID) };
});

interface Seen {
  readonly path: string;
  readonly status: number;
  readonly faults: readonly string[];
}

const seenOf =
  (origin: string, headers: Readonly<Record<string, string>>) =>
  async ({ path, operation, input }: Call): Promise<Seen> => {
    const response =
      DATA_PATHS[path]?.get === undefined
        ? await fetchJson(`${origin}${path}`, {
            method: "POST",
            headers: { ...headers, "content-type": "application/json" },
            body: JSON.stringify(input),
          })
        : await fetchJson(`${origin}${path}?${new URLSearchParams(queryOf(input))}`, { headers });
    return { path, status: response.status, faults: responseFaults(operation, response) };
  };

// Operations that no upstream can make fail do not document the status 502; a service with a source documents it for all of its own.
const hasUpstream = ({ path, operation }: Call): boolean => "502" in operation.responses && path !== "/token-price/v1/chains";

test("when every upstream is dead, each operation that needs one", async () => {
  // Services that query a dead upstream query it again after a while, which should be over.
  const gateway = await startGateway({ clock: systemClock });
  onTestFinished(() => gateway.close());
  const { secret } = await gateway.makeCustomer(ALL_FREE);
  const seen = await Promise.all(CALLS.map(seenOf(gateway.origin, { "x-gateway-key": secret })));
  expect(seen).toEqual(CALLS.map((call) => ({ path: call.path, status: hasUpstream(call) ? 502 : 200, faults: [] })));
  expect(seen.filter(({ status }) => status === 200).map(({ path }) => path)).toContain("/farkle/v1/score");
});

test("without a subscription, each operation", async () => {
  const gateway = await startGateway();
  onTestFinished(() => gateway.close());
  const { secret } = await gateway.makeCustomer({});
  const seen = await Promise.all(CALLS.map(seenOf(gateway.origin, { "x-gateway-key": secret })));
  expect(seen).toEqual(CALLS.map(({ path }) => ({ path, status: 402, faults: [] })));
});

test("with a key that may only be used from other addresses, each operation", async () => {
  const gateway = await startGateway();
  onTestFinished(() => gateway.close());
  const { secret, key } = await gateway.makeCustomer(ALL_FREE);
  await gateway.store.updateKey(key.id, { allowedAddresses: ["203.0.113.7"] });
  const seen = await Promise.all(CALLS.map(seenOf(gateway.origin, { "x-gateway-key": secret })));
  expect(seen).toEqual(CALLS.map(({ path }) => ({ path, status: 403, faults: [] })));
});

test("over the rate, each operation", async () => {
  const slow: TestPlan = { name: "free", callsPerMonth: 1000, requestsPerSecond: 1 };
  const gateway = await startGateway({ plans: Object.fromEntries(SERVICE_NAMES.map((service) => [service, [slow]])) });
  onTestFinished(() => gateway.close());
  const { secret } = await gateway.makeCustomer(ALL_FREE);
  const see = seenOf(gateway.origin, { "x-gateway-key": secret });
  // Time stands still: the first call to each service takes the only token, whether or not it succeeds.
  await Promise.all(CALLS.map((call) => see({ ...call, input: { nonsense: "1" } })));
  expect(await Promise.all(CALLS.map(see))).toEqual(CALLS.map(({ path }) => ({ path, status: 429, faults: [] })));
});

test("things that do not exist, and things that the plan does not include", async () => {
  const world = await startWorld({
    "token-price": [{ name: "free", callsPerMonth: 1000, requestsPerSecond: 1000, tokensPerCallMax: 1 }],
  });
  onTestFinished(() => world.close());
  const two = { tokens: ["coingecko:bitcoin", "coingecko:ethereum"] };
  // Every field that names something gets a name that does not exist. No station has the UUID of the valid calls anyway.
  const missing = (input: Input): Input => ({
    ...("address" in input && { address: `0x${"1".repeat(40)}` }),
    ...("list" in input && { list: "unowned" }),
  });
  // Each of these operations, with a request that has to fail.
  const calls = [
    ...CALLS.filter(({ operation }) => "404" in operation.responses).map((call) => ({
      ...call,
      input: { ...call.input, ...missing(call.input) },
      status: 404,
    })),
    ...CALLS.filter(({ path, input }) => "tokens" in input && path.startsWith("/token-price/")).map((call) => ({
      ...call,
      input: { ...call.input, ...two },
      status: 403,
    })),
  ];
  expect(calls.map(({ path }) => path)).toEqual(expect.arrayContaining(["/radio/v1/play", "/token-price/v1/watch"]));
  const seen = await Promise.all(calls.map(seenOf(world.gateway.origin, world.headers)));
  expect(seen).toEqual(calls.map(({ path, status }) => ({ path, status, faults: [] })));
});
