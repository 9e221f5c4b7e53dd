// No field and no entitlement is published and ignored: for each field of each request there are two values with which a data method responds
// differently, and for each entitlement a call to which the lowest and the highest plan respond differently.
import type { DescField, DescMethod } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { operationIdOf } from "../../scripts/openapi/recorded-calls.ts";
import { entitlementsOf } from "../../src/catalogue/entitlements.ts";
import { loadPlans } from "../../src/catalogue/plans.ts";
import { SERVICE_NAMES, type ServiceName } from "../../src/catalogue/service-names.ts";
import { compileRoutes } from "../../src/gateway/rest/routes.ts";
import { DATA_METHODS } from "../fixtures/data-services.ts";
import { type Input, queryOf, sampleInput } from "../fixtures/sample-calls.ts";
import { LARGEST_PLANS, type SandboxGateway, startSandboxGateway } from "../fixtures/sandbox-gateway.ts";
import { makeTemporaryDirectory } from "../fixtures/temporary-directory.ts";

/** Two requests that differ in one field. */
type Pair = readonly [a: Input, b: Input];

const BITCOIN = "coingecko:bitcoin";
const WETH = "ethereum:0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2";
const WETH_ADDRESS = "0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2";

/** What a field does to a method that has it, where its name alone does not say with which values. */
const VALUES: Readonly<Record<string, readonly [unknown, unknown]>> = {
  limit: [1, 2],
  offset: [0, 1],
  tokens: [[BITCOIN], [WETH]],
  min_confidence: [0, 1],
  timestamp: [1_760_000_000, 1_750_000_000],
  period: ["1d", "1w"],
  span: [2, 3],
  countrycode: ["DE", "FR"],
  address: [WETH_ADDRESS, "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"],
  "GetHistory.indicator": ["mayer", "puell"],
  "GetHistory.days": [2, 3],
  "Score.dice": [[1], [5]],
  "SearchStations.name": ["radio", "jazz"],
  "SearchStations.country": ["germany", "france"],
  "SearchStations.language": ["german", "french"],
  "SearchStations.tag": ["jazz", "rock"],
  "SearchStations.codec": ["MP3", "AAC"],
  "SearchStations.order": ["votes", "name"],
  "SearchStations.bitrate_min": [0, 192],
  "SearchStations.bitrate_max": [64, 320],
  "SearchStations.state": ["bayern", "berlin"],
  "SearchStations.geo_lat": [41.8, 42.1],
  "SearchStations.geo_long": [-87.6, -87.9],
  "SearchStations.geo_distance": [1000, 900_000],
  "SearchStations.query": ["jazz germany", "rock france"],
  "GetToken.chain": ["ethereum", "base"],
  "GetList.list": ["uniswap", "aave"],
  "GetList.chain": ["ethereum", "base"],
  "SearchTokens.query": ["usdc", "dai"],
  "SearchTokens.chain": ["ethereum", "base"],
  "GetBridges.chain": ["ethereum", "base"],
  "BatchGetTokens.tokens": [[`ethereum:${WETH_ADDRESS}`], [`base:${WETH_ADDRESS}`]],
  precision: [3, 15],
  from_day: ["2026-11-01", "2026-11-10"],
  to_day: ["2026-11-01", "2026-11-10"],
  match: ["at_or_before", "nearest"],
  "GetPriceCharts.start": [1_750_000_000, 1_760_000_000],
  "GetPriceCharts.end": [1_750_000_000, 1_760_000_000],
};

/** What a pair needs besides its field, if not the method's sample. */
const BESIDES: Readonly<Record<string, Input>> = {
  "SearchStations.*": { limit: 5 },
  "SearchStations.geo_lat": { geo_long: -87.6, geo_distance: 900_000, limit: 5 },
  "SearchStations.geo_long": { geo_lat: 41.8, geo_distance: 900_000, limit: 5 },
  "SearchStations.geo_distance": { geo_lat: 41.8, geo_long: -87.6, limit: 5 },
  "SearchStations.tag_exact": { tag: "jaz", limit: 5 },
  "SearchStations.language_exact": { language: "germ", limit: 5 },
  "SearchStations.distinct": { order: "url", limit: 100 },
  "SearchStations.include_broken": { order: "votes", reverse: true, limit: 100 },
  "ListTopVotedStations.include_broken": { limit: 100 },
  "SearchStations.reverse": { order: "votes", limit: 5 },
  "GetPriceCharts.start": { tokens: [BITCOIN], span: 2, period: "1d" },
  "GetPriceCharts.end": { tokens: [BITCOIN], span: 2, period: "1d" },
  "GetHistoricalPrices.match": { tokens: [BITCOIN], timestamp: 1_760_000_100 },
  "GetPriceChanges.match": { tokens: [BITCOIN], period: "1w", timestamp: 1_760_000_100 },
  "ListStates.limit": {},
  "ListStates.offset": {},
};

/** Says when a response comes, not what is in it: test/services/tokenprice/handlers/watch-throttled.test.ts. */
const TIMING = "WatchPrices.interval_seconds";

/** What repeats the request, or the time. */
const ECHOES = new Set(["filters", "limit", "offset", "fetched_at", "age_seconds", "timestamp"]);

const directory = makeTemporaryDirectory();
let scene: SandboxGateway;
let secrets: Readonly<Record<"lowest" | "highest", string>>;
let uuids: readonly string[];

async function call(desc: DescMethod, input: Input, secret = secrets.highest): Promise<unknown> {
  const { template = "", httpMethod = "" } = compileRoutes([desc]).rows[0] ?? {};
  const ending = new AbortController();
  const headers = { "content-type": "application/json", "x-gateway-key": secret };
  const response =
    httpMethod === "GET"
      ? await fetch(`${scene.gateway.origin}${template}?${new URLSearchParams(queryOf(input))}`, { headers, signal: ending.signal })
      : await fetch(scene.gateway.origin + template, {
          method: httpMethod,
          headers,
          body: JSON.stringify(input),
          signal: ending.signal,
        });
  if (desc.methodKind === "unary") {
    const { data, error } = (await response.json()) as { data: unknown; error?: { reason: string } };
    return data ?? error?.reason;
  }
  const [line = ""] = (await new Response(response.body?.pipeThrough(firstLine())).text()).split("\n");
  ending.abort();
  return JSON.parse(line);
}

/** Passes the first line of a stream on and ends it. */
function firstLine(): TransformStream<Uint8Array, Uint8Array> {
  return new TransformStream({
    transform(piece, controller) {
      controller.enqueue(piece);
      if (piece.includes(10)) {
        controller.terminate();
      }
    },
  });
}

/** A response without what it repeats of the request. */
const told = (response: unknown): string => JSON.stringify(response, (name, value) => (ECHOES.has(name) ? undefined : value));

function pairFor(
  { name: method, input }: DescMethod,
  { name: field, fieldKind, ...desc }: DescField,
  sample: Input,
): Pair | undefined {
  const besides = BESIDES[`${method}.${field}`] ?? BESIDES[`${method}.*`] ?? sample;
  const isFlag = fieldKind === "scalar" && "scalar" in desc && desc.scalar === 8;
  const found = VALUES[`${method}.${field}`] ?? VALUES[field] ?? (isFlag ? [false, true] : undefined);
  const values = field === "uuid" ? uuids : field === "uuids" ? uuids.map((uuid) => [uuid]) : found;
  return input.fields.length > 0 && values !== undefined
    ? [
        { ...besides, [field]: values[0] },
        { ...besides, [field]: values[1] },
      ]
    : undefined;
}

beforeAll(async () => {
  scene = await startSandboxGateway(directory.path);
  const lowestPlans = Object.fromEntries(
    SERVICE_NAMES.map((service) => [service, loadPlans(undefined).of(service)[0]?.name ?? ""]),
  );
  const [lowest, highest] = [await scene.gateway.makeCustomer(lowestPlans), await scene.gateway.makeCustomer(LARGEST_PLANS)];
  secrets = { lowest: lowest.secret, highest: highest.secret };
  const search = DATA_METHODS.find(({ desc }) => desc.name === "SearchStations");
  const { results } = (await call(search?.desc as DescMethod, { limit: 2 })) as { results: readonly { uuid: string }[] };
  uuids = results.map(({ uuid }) => uuid);
});

afterAll(async () => {
  await scene.close();
  directory.remove();
});

describe("a field changes what a method responds:", () => {
  const fields = DATA_METHODS.flatMap(({ desc }) =>
    desc.input.fields.map((field) => ({ desc, field, name: `${desc.name}.${field.name}` })),
  );

  test.each(fields.filter(({ name }) => name !== TIMING))("$name", async ({ desc, field, name }) => {
    const pair = pairFor(desc, field, sampleInput(operationIdOf(desc), uuids[0] ?? ""));
    if (pair === undefined) {
      throw new Error(`name two values of ${name} with different responses in VALUES`);
    }
    // The clock stands still, so one customer's requests to the sources would use up their rate.
    const { secret } = await scene.gateway.makeCustomer(LARGEST_PLANS);
    const [a, b] = [await call(desc, pair[0], secret), await call(desc, pair[1], secret)];
    // Of the failures, only this one is about what a field selects.
    expect([a, b].filter((response) => typeof response === "string" && response !== "NOT_FOUND")).toEqual([]);
    expect(told(a), `${name}: ${JSON.stringify(pair)} get the same response`).not.toBe(told(b));
  });
});

describe("a plan's entitlement changes what a method responds:", () => {
  const CALLS: Readonly<Record<string, readonly [method: string, input: Input]>> = {
    tokensPerCallMax: ["GetPrices", { tokens: [BITCOIN, WETH, "coingecko:ethereum", "coingecko:solana"] }],
    farkleBreakdown: ["Score", { dice: [1, 5] }],
  };
  const names = SERVICE_NAMES.flatMap((service: ServiceName) => Object.keys(entitlementsOf(service)));

  test.each(names)("%s", async (name) => {
    const [method, input] = CALLS[name] ?? [];
    const found = DATA_METHODS.find(({ desc }) => desc.name === method);
    if (found === undefined || input === undefined) {
      throw new Error(`name a call that ${name} changes in CALLS`);
    }
    expect(told(await call(found.desc, input, secrets.lowest))).not.toBe(told(await call(found.desc, input)));
  });
});
