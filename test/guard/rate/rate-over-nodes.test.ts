// The rate over several nodes, whatever Redis does: in every time window, the admitted calls stay within the rate.
import { createClient } from "redis";
import { type TestContext, test } from "vitest";
import { SlotTable } from "../../../src/guard/memory/slots.ts";
import { SharedBuckets } from "../../../src/guard/rate/bucket.ts";
import { ONE_PART } from "../../../src/guard/rate/redis/redis-keys.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { type DelayingProxy, startDelayingProxy } from "../../fixtures/servers/delaying-proxy.ts";
import { type RedisServer, redis, startRedis } from "../../fixtures/servers/redis.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { startWorkingClock } from "../../fixtures/working-clock.ts";
import type { CallRecord } from "../../system/limits/history.ts";
import { checkRates } from "../../system/limits/rate-check.ts";
import { openRedisSide } from "./redis-node.ts";

const NODES = 3;
const WAIT_MS = 50;
const RUN_MS = 3000;
const TICK_MS = 4;
// Refusing every call would also stay within the rate. The share of the rate available while this process was running.
const ADMITTED_PART_MIN = 0.3;
// Until nodes have leased parts of the rates.
const LEASED_MS = 1200;

/** A load pattern: its rate, and which nodes are called at a time. */
interface Pattern {
  readonly name: string;
  readonly requestsPerSecond: number;
  callers(elapsedMs: number): readonly number[];
}

const PATTERNS: readonly Pattern[] = [
  { name: "all", requestsPerSecond: 200, callers: () => [0, 1, 2] },
  { name: "few", requestsPerSecond: 10, callers: () => [0, 1, 2] },
  { name: "one after another", requestsPerSecond: 200, callers: (elapsedMs) => [Math.floor(elapsedMs / 230) % NODES] },
  {
    name: "all after a rest",
    requestsPerSecond: 200,
    callers: (elapsedMs) => (Math.floor(elapsedMs / 600) % 2 === 0 ? [] : [0, 1, 2]),
  },
];

interface Node {
  readonly proxy: DelayingProxy;
  take(pattern: number): Promise<boolean>;
}

const passed = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

type OnTestFinished = TestContext["onTestFinished"];

async function startNode(server: RedisServer, onTestFinished: OnTestFinished): Promise<Node> {
  const proxy = await startDelayingProxy(Number(new URL(server.url).port));
  onTestFinished(() => proxy.close());
  const side = await openRedisSide(`redis://127.0.0.1:${proxy.port}`, WAIT_MS, () => NODES);
  onTestFinished(() => side.stop());
  const buckets = side.share(new SharedBuckets(new SlotTable(PATTERNS.length).words));
  return {
    proxy,
    async take(slot) {
      const { name, requestsPerSecond } = PATTERNS[slot] as Pattern;
      return (await buckets.take(slot, requestsPerSecond, systemClock.monotonicMs(), name)).taken;
    },
  };
}

/** The outcome of a load. */
interface Load {
  readonly calls: readonly CallRecord[];
  /** The admitted share of the first pattern's rate. */
  readonly admittedPart: number;
}

/** Requests more than the rate, and returns every call. */
async function load(nodes: readonly Node[], onTestFinished: OnTestFinished): Promise<Load> {
  const clock = startWorkingClock(onTestFinished);
  const calls: CallRecord[] = [];
  const requested: Promise<void>[] = [];
  const request = async (node: Node, slot: number, subscription: string): Promise<void> => {
    const startMs = systemClock.monotonicMs();
    const outcome = (await node.take(slot)) ? "OK" : "RATE_LIMITED";
    const endMs = systemClock.monotonicMs();
    calls.push({ node: "", subscription, key: "", protocol: "rest", startMs, endMs, outcome, month: undefined });
  };
  const startedMs = systemClock.monotonicMs();
  const due = PATTERNS.map(() => 0);
  for (let elapsedMs = 0; elapsedMs < RUN_MS; elapsedMs = systemClock.monotonicMs() - startedMs) {
    for (const [slot, { name, requestsPerSecond, callers }] of PATTERNS.entries()) {
      const called = callers(elapsedMs).map((index) => nodes[index] as Node);
      for (; (due[slot] as number) < (elapsedMs * 2 * requestsPerSecond) / 1000; (due[slot] as number)++) {
        requested.push(...called.map((node) => request(node, slot, name)));
      }
    }
    await passed(TICK_MS);
  }
  const workedMs = clock.monotonicMs();
  await Promise.all(requested);
  const admitted = calls.filter(({ subscription, outcome }) => subscription === "all" && outcome === "OK").length;
  return { calls, admittedPart: admitted / ((200 * workedMs) / 1000) };
}

const overRate = (calls: readonly CallRecord[]): string[] =>
  checkRates({
    subscriptions: PATTERNS.map((pattern) => ({ ...pattern, callsPerMonth: 0, leaseMax: 0, usedUp: false })),
    sharedRate: true,
    callersPerNode: 0,
    calls,
    events: [],
    taken: [],
    usage: [],
    lastMonth: "2026-11",
  });

interface Scene {
  readonly server: RedisServer;
  readonly nodes: readonly Node[];
}

async function inRedis({ server }: Scene, ...commands: readonly string[][]): Promise<void> {
  const client = createClient({ url: server.url, RESP: 2 });
  client.on("error", () => {});
  await client.connect();
  for (const command of commands) {
    await client.sendCommand(command);
  }
  client.destroy();
}

async function repeatedly({ server }: Scene, times: number, everyMs: number, command: string[]): Promise<void> {
  const client = createClient({ url: server.url, RESP: 2 });
  await client.connect();
  for (let time = 0; time < times; time++) {
    await passed(everyMs);
    await client.sendCommand(command);
  }
  client.destroy();
}

/** What happens to Redis. */
const FAULTS: readonly [string, (scene: Scene) => Promise<void>][] = [
  ["is well", async () => {}],
  [
    "responds to one node 20 ms later",
    async ({ nodes: [first] }) => {
      await passed(700);
      (first as Node).proxy.roundTripMs = 20;
    },
  ],
  [
    "responds to one node 150 ms later",
    async ({ nodes: [first] }) => {
      await passed(700);
      (first as Node).proxy.roundTripMs = 150;
    },
  ],
  [
    "responds late to one node now and then",
    async ({ nodes: [first] }) => {
      for (let time = 0; time < 8; time++) {
        (first as Node).proxy.roundTripMs = time % 2 === 0 ? 0 : 90;
        await passed(300);
      }
    },
  ],
  [
    "responds to all 200 ms later",
    async ({ nodes }) => {
      await passed(700);
      for (const { proxy } of nodes) {
        proxy.roundTripMs = 200;
      }
    },
  ],
  [
    "is silent for 700 ms",
    async ({ server }) => {
      await passed(1000);
      server.pause();
      await passed(700);
      server.resume();
    },
  ],
  [
    "dies and is back, empty, after 600 ms",
    async ({ server }) => {
      await passed(1000);
      await server.stop();
      await passed(600);
      await server.start();
    },
  ],
  [
    "dies and is back, empty, at once",
    async ({ server }) => {
      await passed(1300);
      await server.stop();
      await server.start();
    },
  ],
  [
    "dies for good",
    async ({ server }) => {
      await passed(1000);
      await server.stop();
    },
  ],
  [
    "is cut off from one node for 1.4 s",
    async ({ nodes: [first] }) => {
      await passed(700);
      first?.proxy.cut();
      await passed(1400);
      first?.proxy.restore();
    },
  ],
  ["is flushed now and then", async (scene) => repeatedly(scene, 2, 1300, ["FLUSHALL"])],
  [
    "is out of memory for a while",
    async (scene) => {
      await passed(700);
      await inRedis(scene, ["CONFIG", "SET", "maxmemory", "1"]);
      await passed(1200);
      await inRedis(scene, ["CONFIG", "SET", "maxmemory", "0"]);
    },
  ],
  ...["allkeys-lru", "allkeys-random", "volatile-ttl", "volatile-lfu"].map((policy): (typeof FAULTS)[number] => [
    `evicts by ${policy}`,
    async (scene) => {
      await passed(700);
      await inRedis(scene, ["CONFIG", "SET", "maxmemory-policy", policy]);
      await inRedis(scene, ["CONFIG", "SET", "maxmemory", "1"]);
    },
  ]),
  [
    "is cut off from two nodes for 1 s",
    async ({ nodes: [first, second] }) => {
      await passed(700);
      first?.proxy.cut();
      second?.proxy.cut();
      await passed(1000);
      first?.proxy.restore();
      second?.proxy.restore();
    },
  ],
];

/** Data loss faster than buckets fill, so that nearly all calls are refused. */
const LOSSES: typeof FAULTS = [
  ["is flushed ten times a second", (scene) => passed(LEASED_MS).then(() => repeatedly(scene, 15, 100, ["FLUSHALL"]))],
  [
    "loses single buckets",
    (scene) =>
      passed(LEASED_MS).then(() =>
        repeatedly(scene, 60, 25, ["DEL", ...PATTERNS.map(({ name }) => ONE_PART[0]?.bucket(name) ?? "")]),
      ),
  ],
];

/** Starts a Redis and the nodes, and returns the load that they carried while `happen` happened. */
async function loadDuring(happen: (scene: Scene) => Promise<void>, onTestFinished: OnTestFinished): Promise<Load> {
  const server = await startRedis();
  onTestFinished(() => server.close());
  const nodes = await Promise.all(Array.from({ length: NODES }, () => startNode(server, onTestFinished)));
  const [loaded] = await Promise.all([load(nodes, onTestFinished), happen({ server, nodes })]);
  return loaded;
}

// Each has a Redis of its own, and mostly waits: in all, one run takes a sixth of a core.
describeWith(redis, "Three nodes stay within the rate while Redis", () => {
  test.concurrent.for(FAULTS)("%s", async ([, happen], { expect, onTestFinished }) => {
    const { calls, admittedPart } = await loadDuring(happen, onTestFinished);
    expect(overRate(calls)).toEqual([]);
    expect(admittedPart).toBeGreaterThan(ADMITTED_PART_MIN);
  });

  test.concurrent.for(LOSSES)("%s, admitting too little rather than too much", async ([, happen], { expect, onTestFinished }) => {
    const { calls, admittedPart } = await loadDuring(happen, onTestFinished);
    expect(overRate(calls)).toEqual([]);
    expect(admittedPart).toBeGreaterThan(0);
  });

  test.concurrent("is down when they start, and up later", async ({ expect, onTestFinished }) => {
    const server = await startRedis();
    onTestFinished(() => server.close());
    await server.stop();
    const nodes = await Promise.all(Array.from({ length: NODES }, () => startNode(server, onTestFinished)));
    const [{ calls, admittedPart }] = await Promise.all([load(nodes, onTestFinished), passed(1500).then(() => server.start())]);
    expect(overRate(calls)).toEqual([]);
    expect(admittedPart).toBeGreaterThan(ADMITTED_PART_MIN);
  });
});
