// Runs in its own process, with `--expose-gc`, with the origin of a hostile upstream and a service's name as arguments. Calls the service
// many times, and reports the cost.
import { setImmediate } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import { createHandlerContext, type HandlerContext } from "@connectrpc/connect";
import type { ListListsResponse } from "../../../gen/quintet/tokenlist/v1/token_list_pb.js";
import { Environment } from "../../../src/config/environment.ts";
import { Failure } from "../../../src/problem/failure.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { createLog } from "../../../src/runtime/log.ts";
import { systemRandomness } from "../../../src/runtime/randomness.ts";
import { createServices, readServiceConfigs } from "../../../src/services/registry.ts";
import type { DataService } from "../../../src/services/service.ts";

const CALLS = 210;
const PARALLEL = 15;

const [, , origin = "", name = ""] = process.argv;
const lists = ["a", "b", "c", "d", "e"].map((list) => `${list}=${origin}/list-${list}`).join(",");
const configs = readServiceConfigs(
  new Environment({
    QUINTET_RADIO_MIRRORS: origin,
    QUINTET_COINS_URL: origin,
    QUINTET_TOKEN_LISTS: lists,
    QUINTET_BITCOIN_CHARTS_URL: origin,
    QUINTET_BITCOIN_CHAIN_URL: origin,
    QUINTET_BITCOIN_PRICE_URLS: `coinbase=${origin},kraken=${origin},binance=${origin},blockchain.com=${origin}`,
  }),
);
const outbound = { userAgent: "Quintet/test", connectTimeoutMs: 2000 };
const tools = { outbound, clock: systemClock, randomness: systemRandomness, log: createLog("silent") };
async function startService(): Promise<DataService> {
  const service = (await createServices(configs, tools)).find((one) => one.name === name);
  if (service === undefined) {
    throw new Error(`no service ${name}`);
  }
  service.begin?.();
  return service;
}

// Called directly: the cost of encoding a response has nothing to do with the upstream, and the caller pays for decoding it.
const send = async (service: DataService, method: string, request: Record<string, unknown>): Promise<unknown> => {
  const { [method]: desc } = service.desc.method;
  const { [method]: handler } = service.implementation as Readonly<
    Record<string, (request: object, context: HandlerContext) => unknown>
  >;
  if (desc === undefined || handler === undefined) {
    throw new Error(`no method ${method}`);
  }
  const context = createHandlerContext({
    service: service.desc,
    method: desc,
    protocolName: "connect",
    requestMethod: "POST",
    url: "https://a.example",
  });
  return await handler(create(desc.input, request), context);
};

const CALL_OF: Readonly<Record<string, (service: DataService, index: number) => Promise<unknown>>> = {
  radio: (service, index) => send(service, "searchStations", { name: `q${index}`, limit: 500 }),
  "token-price": (service, index) =>
    index % 2 === 0
      ? send(service, "getHistoricalPrices", { tokens: ["coingecko:bitcoin"], timestamp: 1_700_000_000 + index })
      : send(service, "getPriceCharts", { tokens: ["coingecko:bitcoin"], end: 1_700_000_000 + index, period: "1d" }),
  "token-list": (service, index) => send(service, "searchTokens", { query: `s${index}` }),
  bitcoin: (service, index) => send(service, index % 2 === 0 ? "getMayer" : "getS2f", {}),
};

// The CPU time of this thread between two rounds of its event loop, which delays other calls however busy the machine is.
let longestTurnMs = 0;
let isWatching = true;
let beforeUs = 0;
const neverNotified = new Int32Array(new SharedArrayBuffer(4));
// The kernel updates a thread's CPU time when the thread stops running, or at the next tick, milliseconds later. So the thread pauses
// first.
const threadUs = (): number => {
  Atomics.wait(neverNotified, 0, 0, 0.02);
  const { user, system } = process.threadCpuUsage();
  return user + system;
};
const watch = (): void => {
  const nowUs = threadUs();
  longestTurnMs = Math.max(longestTurnMs, (nowUs - beforeUs) / 1000);
  beforeUs = nowUs;
  if (isWatching) {
    globalThis.setImmediate(watch);
  }
};

// Waits until each list has been read. On a busy machine, reading them takes longer than a call waits for them.
async function listsRead(service: DataService): Promise<void> {
  while (name === "token-list" && !(await areListsRead(service))) {
    await setImmediate();
  }
}

async function areListsRead(service: DataService): Promise<boolean> {
  try {
    const { results } = (await send(service, "listLists", {})) as ListListsResponse;
    return results.every(({ freshness }) => freshness?.fetchedAt !== undefined);
  } catch (error) {
    if (error instanceof Failure && error.problem.reason === "UPSTREAM_FAILED") {
      return false;
    }
    throw error;
  }
}

const call = CALL_OF[name] as (service: DataService, index: number) => Promise<unknown>;
let responded = 0;
const one = async (service: DataService, index: number): Promise<void> => {
  await call(service, index).then(
    () => {
      responded += 1;
    },
    () => {},
  );
};
// A pause before a request is sent again does not keep the process running.
setInterval(() => {}, 1000);
// The very first calls run code that has not been compiled yet.
const first = await startService();
await one(first, 0);
await listsRead(first);
await first.close();

globalThis.gc?.();
const heapBefore = process.memoryUsage().heapUsed;
const startedMs = performance.now();
responded = 0;
beforeUs = threadUs();
watch();
const service = await startService();
await listsRead(service);
for (let from = 0; from < CALLS; from += PARALLEL) {
  await Promise.all(Array.from({ length: PARALLEL }, (_, offset) => one(service, from + offset)));
}
isWatching = false;
const elapsedMs = performance.now() - startedMs;
globalThis.gc?.();
const { heapUsed, external } = process.memoryUsage();
const mebibytes = (bytes: number): number => Math.round(bytes / 1024 / 1024);
const figures = {
  service: name,
  calls: CALLS,
  responded,
  keptMiB: mebibytes(heapUsed - heapBefore),
  externalMiB: mebibytes(external),
  peakRssMiB: mebibytes(process.resourceUsage().maxRSS * 1024),
  longestTurnMs: Math.round(longestTurnMs * 10) / 10,
  elapsedMs: Math.round(elapsedMs),
};
process.stdout.write(`${JSON.stringify(figures)}\n`);
// Keeps the service and what it holds alive until here.
await service.close();
process.exit(0);
