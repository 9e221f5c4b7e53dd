// Measures the services against the sandbox's stand-ins: what the gateway adds to an upstream's latency, how long a token search takes, and
// what callers notice when mirrors of the radio directory fail. Writes bench/services.md.
import { writeFileSync } from "node:fs";
import { create } from "@bufbuild/protobuf";
import { createHandlerContext } from "@connectrpc/connect";
import { SearchTokensRequestSchema, TokenListService } from "../gen/quintet/tokenlist/v1/token_list_pb.js";
import { Environment } from "../src/config/environment.ts";
import { systemClock as clock } from "../src/runtime/clock.ts";
import { createLog } from "../src/runtime/log.ts";
import { systemRandomness as randomness } from "../src/runtime/randomness.ts";
import { startAllStandIns } from "../src/sandbox/stand-ins/all-stand-ins.ts";
import { startRadioStandIns } from "../src/sandbox/stand-ins/radio/stand-ins.ts";
import type { Misbehaviour, StandIn } from "../src/sandbox/stand-ins/stand-in.ts";
import { sandboxTokens } from "../src/sandbox/stand-ins/tokenlist/lists.ts";
import { startTokenListStandIn } from "../src/sandbox/stand-ins/tokenlist/stand-ins.ts";
import { readTokenListConfig } from "../src/services/tokenlist/config.ts";
import { createTokenList } from "../src/services/tokenlist/service.ts";
import { type BenchGateway, startBenchGateway } from "./gateway.ts";
import { type Percentiles, percentilesOf } from "./percentiles.ts";
import { threadCpuUs } from "./thread-cpu.ts";

const ms = (value: number): string => value.toFixed(value < 10 ? 2 : 0);
const row = (...cells: readonly (string | number)[]): string => `| ${cells.join(" | ")} |`;
const standIns = await startRadioStandIns({ clock });
const [first] = standIns;

async function timed(
  url: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; tookMs: number; stale: boolean }> {
  const startedMs = performance.now();
  const response = await fetch(url, { headers });
  await response.arrayBuffer();
  return {
    status: response.status,
    tookMs: performance.now() - startedMs,
    stale: response.headers.get("x-quintet-stale") === "true",
  };
}

const gatewayFor = (freshMs: number): Promise<BenchGateway> =>
  startBenchGateway({
    QUINTET_RADIO_MIRRORS: standIns.map(({ origin }) => origin).join(","),
    QUINTET_RADIO_FRESH_MS: String(freshMs),
  });

/** The same request to the stand-in and through the gateway, in turn. */
async function measureAdded(): Promise<string[]> {
  const gateway = await gatewayFor(0);
  const lines: string[] = [];
  for (const limit of [20, 100]) {
    const direct: number[] = [];
    const through: number[] = [];
    for (let turn = 0; turn < 600; turn += 1) {
      const query = `order=votes&reverse=true&limit=${limit}&offset=${turn % 50}`;
      const one = await timed(`${first?.origin}/json/stations/search?${query}&hidebroken=true`);
      const other = await timed(`${gateway.origin}/radio/v1/search?${query}`, { "x-gateway-key": gateway.key });
      if (turn >= 100) {
        direct.push(one.tookMs);
        through.push(other.tookMs);
      }
    }
    const a = percentilesOf(direct);
    const b = percentilesOf(through);
    lines.push(
      row(`search of ${limit}`, ms(a.median), ms(b.median), ms(b.median - a.median), ms(a.p99), ms(b.p99), ms(b.p99 - a.p99)),
    );
  }
  await gateway.close();
  return lines;
}

interface Faults {
  readonly name: string;
  readonly first: Misbehaviour;
  readonly second?: Misbehaviour;
}

const FAULTS: readonly Faults[] = [
  { name: "none", first: { kind: "none" } },
  { name: "one dead", first: { kind: "dead" } },
  { name: "one slow by 3 s", first: { kind: "slow", delayMs: 3000 } },
  { name: "one responds with HTML", first: { kind: "html" } },
  { name: "one cuts its responses short", first: { kind: "truncated" } },
  { name: "two dead", first: { kind: "dead" }, second: { kind: "dead" } },
];

/** 400 calls in each state of the mirrors, four at a time, all different. */
async function measureFailover(): Promise<string[]> {
  const lines: string[] = [];
  for (const fault of FAULTS) {
    const gateway = await gatewayFor(0);
    // The mirrors are ranked before one of them fails: the one that is used most is first.
    const countsBefore = new Map(standIns.map((standIn) => [standIn, standIn.requestCount]));
    for (let call = 0; call < 20; call += 1) {
      await timed(`${gateway.origin}/radio/v1/search?limit=5&offset=${call}`, { "x-gateway-key": gateway.key });
    }
    const requested = (standIn: StandIn): number => standIn.requestCount - (countsBefore.get(standIn) ?? 0);
    const leader = standIns.toSorted((a, b) => requested(b) - requested(a))[0];
    const other = standIns.find((standIn) => standIn !== leader);
    if (leader === undefined || other === undefined) {
      throw new Error("there are three mirrors");
    }
    leader.misbehaviour = fault.first;
    other.misbehaviour = fault.second ?? { kind: "none" };
    const bad = fault.second === undefined ? [leader] : [leader, other];
    const before = bad.reduce((sum, { requestCount }) => sum + requestCount, 0);
    const durations: number[] = [];
    let failures = 0;
    const caller = async (from: number): Promise<void> => {
      for (let call = from; call < 400; call += 4) {
        const { status, tookMs } = await timed(`${gateway.origin}/radio/v1/search?limit=20&offset=${call}`, {
          "x-gateway-key": gateway.key,
        });
        durations.push(tookMs);
        failures += status === 200 ? 0 : 1;
      }
    };
    await Promise.all([0, 1, 2, 3].map(caller));
    const attempts = fault.name === "none" ? "" : bad.reduce((sum, { requestCount }) => sum + requestCount, 0) - before;
    const { median, p99, max }: Percentiles = percentilesOf(durations);
    lines.push(row(fault.name, durations.length, failures, ms(median), ms(p99), ms(max), attempts));
    leader.misbehaviour = { kind: "none" };
    other.misbehaviour = { kind: "none" };
    await gateway.close();
  }
  return lines;
}

/** All mirrors dead: a query with an earlier response, and one without. */
async function measureAllDead(): Promise<string[]> {
  const gateway = await gatewayFor(0);
  const send = (offset: number) =>
    timed(`${gateway.origin}/radio/v1/search?limit=20&offset=${offset}`, { "x-gateway-key": gateway.key });
  await send(0);
  for (const standIn of standIns) {
    standIn.misbehaviour = { kind: "dead" };
  }
  const known = await send(0);
  const unknown = await send(999);
  for (const standIn of standIns) {
    standIn.misbehaviour = { kind: "none" };
  }
  await gateway.close();
  return [
    row("a repeated query", known.status, known.stale ? "yes" : "no", ms(known.tookMs)),
    row("a new query", unknown.status, unknown.stale ? "yes" : "no", ms(unknown.tookMs)),
  ];
}

const QUERIES = ["usd", "usdc", "weth", "gold", "amber", "kraken coin", "e", "finance", "zzz", "lu", "badger 12", "protocol 7"];

/** The token lists: the time and the memory of the index, and searches by the service's handler. */
async function measureTokens(): Promise<string[]> {
  const { standIn, variables } = await startTokenListStandIn({ seed: 1, clock });
  const config = readTokenListConfig(new Environment(variables));
  const heapBefore = process.memoryUsage().heapUsed;
  const startedMs = performance.now();
  const outbound = { userAgent: "Quintet bench", connectTimeoutMs: 1000 };
  const service = createTokenList({ config, outbound, clock, randomness, log: createLog("silent") });
  service.begin?.();
  const { searchTokens: method } = TokenListService.method;
  const context = createHandlerContext({
    service: TokenListService,
    method,
    protocolName: "bench",
    requestMethod: "POST",
    url: "/",
  });
  const search = (query: string) => service.implementation.searchTokens(create(SearchTokensRequestSchema, { query }), context);
  await search("usdc");
  const indexedMs = performance.now() - startedMs;
  globalThis.gc?.();
  const heapMib = (process.memoryUsage().heapUsed - heapBefore) / 2 ** 20;
  const durations: number[] = [];
  for (let call = 0; call < 20_000; call += 1) {
    const searchedMs = performance.now();
    await search(QUERIES[call % QUERIES.length] ?? "");
    durations.push(performance.now() - searchedMs);
  }
  const { listLists } = service.implementation;
  const lists = await listLists({ $typeName: "quintet.tokenlist.v1.ListListsRequest" }, context);
  const tokens = (lists.results ?? []).reduce((sum, list) => sum + (list.tokenCount ?? 0), 0);
  await service.close();
  await standIn.close();
  const { median, p99, max } = percentilesOf(durations.slice(2000));
  return [
    row("rows of the five lists", tokens),
    row("from the first request to the first response, including fetching", `${ms(indexedMs)} ms`),
    row("heap that the lists and their index take", `${ms(heapMib)} MiB`),
    row("search, median", `${ms(median * 1000)} µs`),
    row("search, 99th percentile", `${ms(p99 * 1000)} µs`),
    row("search, slowest", `${ms(max)} ms`),
  ];
}

interface Fan {
  readonly name: string;
  /** The path of its nth call: each asks for what no earlier one has asked for. */
  path(nth: number): string;
}

/** What a call that causes several upstream requests costs beside a plain one, once with nothing cached. */
async function measureFanOut(): Promise<string[]> {
  const all = await startAllStandIns({ seed: 1, clock });
  const gateway = await startBenchGateway(all.variables);
  const headers = { "x-gateway-key": gateway.key };
  const get = async (path: string) => {
    const response = await fetch(`${gateway.origin}${path}`, { headers });
    if (response.status !== 200) {
      throw new Error(`${path}: ${response.status} ${await response.text()}`);
    }
    return ((await response.json()) as { data: { results: readonly { uuid: string }[] } }).data;
  };
  const requests = (): number => all.standIns.reduce((sum, { requestCount }) => sum + requestCount, 0);
  const stations = (await get("/radio/v1/search?limit=100")).results.map(({ uuid }) => uuid);
  const ids = [...new Set(sandboxTokens(1).map(({ chainId, address }) => `${chainId}:${address}`))];
  const tokens = (count: number, nth: number): string => ids.slice(nth * count, (nth + 1) * count).join();
  const at = (nth: number): number => Math.floor(clock.nowMs() / 1000) - 86_400 * (nth + 2);
  const fans: readonly Fan[] = [
    { name: "price of 1 token", path: (nth) => `/token-price/v1/price?tokens=${tokens(1, nth)}` },
    { name: "price of 100 tokens", path: (nth) => `/token-price/v1/price?tokens=${tokens(100, nth)}` },
    { name: "change of 1 token", path: (nth) => `/token-price/v1/change?tokens=${tokens(1, nth)}&timestamp=${at(nth)}` },
    {
      name: "chart of 25 tokens, 100 points each",
      path: (nth) => `/token-price/v1/chart?tokens=${tokens(25, nth)}&span=100&end=${at(nth)}`,
    },
    { name: "radio: search", path: (nth) => `/radio/v1/search?limit=20&offset=${nth * 7}` },
    {
      name: "radio: search by two words",
      path: (nth) => `/radio/v1/search?limit=20&name=jazz+${"abcdefghijklmnopqrstuvwxyz"[nth % 26]}`,
    },
    { name: "radio: 1 station", path: (nth) => `/radio/v1/station?uuid=${stations[nth]}` },
    { name: "radio: 50 stations in one call", path: (nth) => `/radio/v1/stations?uuids=${stations.slice(nth, nth + 50).join()}` },
  ];
  const measure = async (calls: number, path: (nth: number) => string) => {
    const [requestsBefore, cpuBefore] = [requests(), threadCpuUs()];
    for (let nth = 0; nth < calls; nth += 1) {
      await get(path(nth));
    }
    return { requests: requests() - requestsBefore, us: threadCpuUs() - cpuBefore };
  };
  for (const { path } of fans) {
    await measure(20, (nth) => path(nth + 60));
  }
  const lines: string[] = [];
  let plainUs: number | undefined;
  const add = (name: string, cost: { readonly requests: number; readonly us: number }): void => {
    plainUs ??= cost.us;
    lines.push(row(name, cost.requests.toFixed(1), ms(cost.us / 1000), (cost.us / plainUs).toFixed(1)));
  };
  for (const { name, path } of fans) {
    const { requests: sent, us } = await measure(20, path);
    add(name, { requests: sent / 20, us: us / 20 });
  }
  const mixed = await measure(40, (nth) => fans[nth % fans.length]?.path(20 + Math.floor(nth / fans.length)) ?? "");
  add("all of these, five of each: what one address may ask of Explore in a few seconds", mixed);
  await gateway.close();
  for (const standIn of all.standIns) {
    await standIn.close();
  }
  return lines;
}

const fanOut = await measureFanOut();
const added = await measureAdded();
const failover = await measureFailover();
const allDead = await measureAllDead();
const tokens = await measureTokens();
for (const standIn of standIns) {
  await standIn.close();
}
const report = [
  "# What the services cost",
  "",
  "Written by `npm run bench -- services`, against the sandbox's stand-ins: 488 stations on three mirrors, five token lists. The stand-ins, the",
  "gateway and the callers share one process here, so times include the work of all of them.",
  "",
  "## What the gateway adds to the radio directory's response, in milliseconds",
  "",
  row("query", "direct, median", "through, median", "added", "direct, p99", "through, p99", "added"),
  row("---", "---:", "---:", "---:", "---:", "---:", "---:"),
  ...added,
  "",
  "## Calls that fan out, beside a plain one",
  "",
  "Each call asks for what no earlier one has asked for, so nothing is cached. The CPU time includes that of the caller and the stand-ins.",
  "",
  row("call", "upstream requests", "CPU, ms", "× a price of 1 token"),
  row("---", "---:", "---:", "---:"),
  ...fanOut,
  "",
  "## Mirrors that fail: what 400 callers notice, in milliseconds",
  "",
  row("fault", "calls", "failed", "median", "p99", "slowest", "attempts spent on bad mirrors"),
  row("---", "---:", "---:", "---:", "---:", "---:", "---:"),
  ...failover,
  "",
  "## All mirrors dead",
  "",
  row("query", "status", "marked stale", "took, ms"),
  row("---", "---:", "---", "---:"),
  ...allDead,
  "",
  "## Token lists",
  "",
  row("what", "figure"),
  row("---", "---:"),
  ...tokens,
  "",
].join("\n");
process.stdout.write(report);
writeFileSync("bench/services.md", report);
