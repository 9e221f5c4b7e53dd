// Measures how long the services block the event loop: the longest turn of every method, and of reading and indexing the token lists; and
// the cost of varying searches. All are CPU times of the serving thread; the stand-ins run in another. Writes bench/service-turns.md.
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { create, type DescMethod, fromJson, type JsonValue } from "@bufbuild/protobuf";
import { createContextValues, createHandlerContext } from "@connectrpc/connect";
import { RadioService, SearchStationsRequestSchema } from "../gen/quintet/radio/v1/radio_pb.js";
import {
  GetListRequestSchema,
  SearchTokensRequestSchema,
  type Token,
  TokenListService,
} from "../gen/quintet/tokenlist/v1/token_list_pb.js";
import { entitlementsKey, HIGHEST_ENTITLEMENTS } from "../src/catalogue/entitlements.ts";
import { Environment } from "../src/config/environment.ts";
import { systemClock as clock } from "../src/runtime/clock.ts";
import { createLog } from "../src/runtime/log.ts";
import { systemRandomness as randomness } from "../src/runtime/randomness.ts";
import { tuneToLoad, tuneToServe } from "../src/runtime/v8-flags.ts";
import { createServices, readServiceConfigs } from "../src/services/registry.ts";
import type { DataService } from "../src/services/service.ts";
import { measureAccountMethods } from "./account-turns.ts";
import { percentilesOf } from "./percentiles.ts";
import { table, whole } from "./table.ts";
import { threadCpuUs } from "./thread-cpu.ts";
import { tokenQueries } from "./token-queries.ts";
import { startTurnMeter } from "./turn-meter.ts";

// Only this thread's own work is measured, however slowly the machine responds.
const PATIENT = { QUINTET_CALL_TIMEOUT_MS: "80000" };

tuneToLoad();
const sandbox = new Worker(new URL("./sandbox-thread.ts", import.meta.url));
const [variables] = (await once(sandbox, "message")) as [Readonly<Record<string, string>>];
const outbound = { userAgent: "Quintet bench", connectTimeoutMs: 10_000 };
const configs = readServiceConfigs(new Environment({ ...variables, ...PATIENT }));
const services = await createServices(configs, { outbound, clock, randomness, log: createLog("silent") });
tuneToServe();
const meter = startTurnMeter();
const ms = (value: number): string => value.toFixed(1);

// The handlers check less than the gateway does, so these are within its bounds.
type Handler = (request: unknown, context: unknown) => unknown;

/** Calls a method as the gateway does, and returns the first message of its response. */
async function call({ desc, implementation }: DataService, method: DescMethod, request: unknown): Promise<Record<string, unknown>> {
  const ending = new AbortController();
  const context = createHandlerContext({
    service: desc,
    method,
    protocolName: "bench",
    requestMethod: "POST",
    url: "/",
    requestSignal: ending.signal,
    contextValues: createContextValues().set(entitlementsKey, HIGHEST_ENTITLEMENTS),
  });
  const handle = (implementation as Record<string, Handler>)[method.localName] as Handler;
  try {
    const response = handle(request, context);
    if (method.methodKind === "server_streaming") {
      for await (const message of response as AsyncIterable<Record<string, unknown>>) {
        return message;
      }
    }
    return (await response) as Record<string, unknown>;
  } finally {
    ending.abort();
  }
}

function serviceOf(typeName: string): DataService {
  const found = services.find(({ desc }) => desc.typeName === typeName);
  if (found === undefined) {
    throw new Error(`there is no ${typeName}`);
  }
  return found;
}

const lists = serviceOf(TokenListService.typeName);
const radio = serviceOf(RadioService.typeName);

async function measureIndexing(): Promise<string> {
  // The first request of a process loads the parser of responses, whichever service sends it.
  await call(radio, RadioService.method.listCodecs, {});
  await settled();
  meter.longestMs();
  lists.begin?.();
  let hasAll = false;
  while (!hasAll) {
    await settled();
    const { results } = await call(lists, TokenListService.method.listLists, {});
    hasAll = (results as readonly { readonly freshness?: { readonly fetchedAt?: unknown } }[]).every(
      ({ freshness }) => freshness?.fetchedAt !== undefined,
    );
  }
  return ms(meter.longestMs());
}

/** Waits until the work that a call has left behind is done. */
const settled = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 100));

async function allTokens(): Promise<readonly Token[]> {
  const { results } = await call(lists, TokenListService.method.listLists, {});
  const tokens: Token[] = [];
  for (const { name: list } of results as readonly { readonly name: string }[]) {
    for (let offset: number | undefined = 0; offset !== undefined; ) {
      const page = await call(lists, TokenListService.method.getList, create(GetListRequestSchema, { list, offset, limit: 500 }));
      tokens.push(...(page.results as Token[]));
      offset = page.nextOffset as number | undefined;
    }
  }
  return tokens;
}

const SEARCHES_PER_KIND = 500;
const UNMEASURED = 200;

async function measureSearches(tokens: readonly Token[]): Promise<string[][]> {
  const all: number[] = [];
  const rows: string[][] = [];
  for (const [kind, next] of tokenQueries(tokens)) {
    const durations: number[] = [];
    for (let at = 0; at < SEARCHES_PER_KIND + UNMEASURED; at += 1) {
      const request = create(SearchTokensRequestSchema, {
        query: next(),
        limit: [20, 50, 100][at % 3] ?? 20,
        offset: at % 5 === 0 ? 10 : 0,
      });
      const startedUs = threadCpuUs();
      await call(lists, TokenListService.method.searchTokens, request);
      if (at >= UNMEASURED) {
        durations.push(threadCpuUs() - startedUs);
      }
    }
    rows.push([kind, ...figures(durations)]);
    all.push(...durations);
  }
  return [["all of them", ...figures(all)], ...rows];
}

function figures(durations: readonly number[]): string[] {
  const { median, p99, max } = percentilesOf(durations);
  return [median, p99, max].map(whole);
}

/** The largest request of each method, by the method's full name. */
async function largestRequests(tokens: readonly Token[]): Promise<ReadonlyMap<string, JsonValue>> {
  const { results } = await call(radio, RadioService.method.searchStations, create(SearchStationsRequestSchema, { limit: 100 }));
  const uuids = (results as readonly { readonly uuid: string }[]).map(({ uuid }) => uuid);
  const [uuid = ""] = uuids;
  const priced = tokens
    .filter(({ chain, address }) => chain === "ethereum" && address.startsWith("0x"))
    .slice(0, 100)
    .map(({ chain, address }) => `${chain}:${address}`);
  const usdc = { chain: "ethereum", address: "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48" };
  const yearAgo = Math.floor(clock.nowMs() / 1000) - 365 * 86_400;
  return new Map<string, JsonValue>([
    ["RadioService/SearchStations", { order: "votes", reverse: true, limit: 100, offset: 1 }],
    ["RadioService/GetStation", { uuid }],
    ["RadioService/BatchGetStations", { uuids }],
    ["RadioService/ListTopVotedStations", { limit: 100 }],
    ["RadioService/ListCountries", {}],
    ["RadioService/ListTags", { limit: 500 }],
    ["RadioService/ListLanguages", { limit: 500 }],
    ["RadioService/ListStates", { limit: 500 }],
    ["RadioService/ListCodecs", {}],
    ["RadioService/ReportPlay", { uuid }],
    ["TokenPriceService/GetPrices", { tokens: priced }],
    ["TokenPriceService/GetHistoricalPrices", { tokens: priced, timestamp: yearAgo }],
    ["TokenPriceService/GetPriceCharts", { tokens: priced.slice(0, 1), span: 500, period: "1d" }],
    ["TokenPriceService/GetPriceChanges", { tokens: priced }],
    ["TokenPriceService/WatchPrices", { tokens: priced, intervalSeconds: 5 }],
    ["TokenListService/GetToken", usdc],
    ["TokenListService/GetList", { list: "uniswap", limit: 500 }],
    ["TokenListService/ListLists", {}],
    ["TokenListService/SearchTokens", { query: "r", limit: 500 }],
    ["TokenListService/GetBridges", usdc],
    ["BitcoinService/GetMayer", {}],
    ["BitcoinService/GetPuell", {}],
    ["BitcoinService/GetNvt", {}],
    ["BitcoinService/GetS2f", {}],
    ["BitcoinService/GetSummary", {}],
    ["BitcoinService/GetHistory", { indicator: "nvt", days: 3650 }],
    ["FarkleService/Score", { dice: [1, 2, 3, 4, 5, 6] }],
  ]);
}

const CALLS = 4;

async function measureMethods(requests: ReadonlyMap<string, JsonValue>): Promise<string[][]> {
  const rows: string[][] = [];
  for (const service of services) {
    for (const method of service.desc.methods) {
      const name = `${service.desc.name}/${method.name}`;
      const json = requests.get(name);
      if (json === undefined) {
        throw new Error(`${name} has no request in the bench`);
      }
      const send = async (): Promise<string> => {
        await settled();
        meter.longestMs();
        await call(service, method, fromJson(method.input, json));
        await settled();
        return ms(meter.longestMs());
      };
      const first = await send();
      const others: number[] = [];
      for (let at = 1; at < CALLS; at += 1) {
        others.push(Number(await send()));
      }
      rows.push([name, first, ms(Math.max(...others))]);
    }
  }
  return rows;
}

const indexing = await measureIndexing();
const tokens = await allTokens();
const searches = await measureSearches(tokens);
const methods = await measureMethods(await largestRequests(tokens));
const accountMethods = await measureAccountMethods(meter);
meter.stop();
await Promise.all(services.map((service) => service.close()));
await sandbox.terminate();
const report = [
  "# How long the services block the event loop",
  "",
  "Written by `npm run bench -- service-turns`, against the sandbox's stand-ins, which run in another thread. All figures are CPU time of the",
  "thread that serves, including garbage collection. On a busy machine they are higher than on an idle one: its caches serve others too.",
  "",
  "## The longest turn of each method, in milliseconds",
  "",
  `Each method gets its largest request ${CALLS} times. The first call loads code, and fetches what the service then caches. While the`,
  `five token lists are fetched, checked and indexed, the longest turn takes ${indexing} ms.`,
  "",
  table(["method", "first call", "longest of the others"], methods),
  "",
  "## The longest turn of each method of the account services, in milliseconds",
  "",
  "With SQLite, which writes in the thread that serves, and one worker. One of 2,000 accounts has 90 keys, and for each day of a year usage of",
  "20 keys, five methods and two outcomes: 73,000 rows. The calls are made over Connect by another thread. A first call of",
  "CreateKey, RotateKey or WatchCalls also compiles protovalidate's rules for its request, once in a process.",
  "",
  table(["method", "first call", "longest of the others"], accountMethods),
  "",
  `## Searches of the token lists that differ, in microseconds`,
  "",
  `${whole(tokens.length)} rows in five lists; ${SEARCHES_PER_KIND} queries of each kind, over pages of different sizes.`,
  "",
  table(["query", "median", "99th percentile", "slowest"], searches),
  "",
].join("\n");
process.stdout.write(report);
writeFileSync("bench/service-turns.md", report);
