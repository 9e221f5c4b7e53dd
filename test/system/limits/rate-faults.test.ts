// What callers of three nodes experience while a real Redis fails, each paced at a part of its rate. No time window admits too many, and
// nobody within the plan is told that it is used up. Prints the tables of docs/operate/rate-faults.md, which include the calls that were
// refused because the nodes could not know. How many those are depends on how busy the machine is, so
// `guard/rate/simulated-faults.test.ts` limits them in simulated time. QUINTET_RATE_SECONDS says how long each fault is observed.
import { createClient } from "redis";
import { afterAll, type TestContext, test } from "vitest";
import { SlotTable } from "../../../src/guard/memory/slots.ts";
import { type RateTake, SharedBuckets } from "../../../src/guard/rate/bucket.ts";
import { openRedisRate } from "../../../src/guard/rate/redis/open-redis-rate.ts";
import { RedisStatus } from "../../../src/guard/rate/redis/redis-status.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { createLog } from "../../../src/runtime/log.ts";
import { seeded } from "../../../src/sandbox/stand-ins/seeded.ts";
import { type DelayingProxy, startDelayingProxy } from "../../fixtures/servers/delaying-proxy.ts";
import { type RedisServer, redis, startRedis } from "../../fixtures/servers/redis.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { passed } from "./callers.ts";
import { type AdmittedCall, worstWindowPercent } from "./worst-window.ts";

const NODES = 3;
const RUN_MS = 1000 * Number(process.env.QUINTET_RATE_SECONDS ?? 6);
const TICK_MS = 2;
const SETTLED_MS = 2000;
const random = seeded(26);

/** A caller: its plan's rate, and the part of it that it uses, spread at random over the nodes. */
interface Caller {
  readonly rate: number;
  readonly pace: number;
}

const CALLERS: readonly Caller[] = [20, 100, 1000].flatMap((rate) => [0.3, 0.5, 0.95, 2].map((pace) => ({ rate, pace })));
const nameOf = ({ rate, pace }: Caller): string => `${rate}/s at ${100 * pace}%`;

/** What a caller experienced. */
interface Experience {
  calls: number;
  waits: number;
  refused: number;
  unavailable: number;
  readonly admitted: AdmittedCall[];
  longestMs: number;
}

interface Node {
  readonly proxy: DelayingProxy;
  take(index: number, caller: Caller): RateTake | Promise<RateTake>;
}

type OnTestFinished = TestContext["onTestFinished"];

async function startNode(server: RedisServer, onTestFinished: OnTestFinished): Promise<Node> {
  const proxy = await startDelayingProxy(portOf(server));
  onTestFinished(() => proxy.close());
  const rate = await openRedisRate({
    url: `redis://127.0.0.1:${proxy.port}`,
    node: `node ${proxy.port}`,
    nodesAlive: () => NODES,
    redisCells: RedisStatus.of(1).cells,
    thread: 0,
    clock: systemClock,
    log: createLog("silent"),
  });
  onTestFinished(() => rate.close());
  const table = new SlotTable(CALLERS.length);
  const slots = CALLERS.map(() => table.take() as number);
  const buckets = rate.share(new SharedBuckets(table.words));
  return {
    proxy,
    take: (index, caller) => buckets.take(slots[index] as number, caller.rate, systemClock.monotonicMs(), nameOf(caller)),
  };
}

const portOf = ({ url }: RedisServer): number => Number(new URL(url).port);

/** All callers call for the time of a run. */
async function call(nodes: readonly Node[]): Promise<readonly Experience[]> {
  const experiences = CALLERS.map(
    (): Experience => ({ calls: 0, waits: 0, refused: 0, unavailable: 0, admitted: [], longestMs: 0 }),
  );
  const startedMs = systemClock.monotonicMs();
  const waiting: Promise<void>[] = [];
  const callOnce = (index: number): void => {
    const experience = experiences[index] as Experience;
    const startMs = systemClock.monotonicMs();
    const end = (take: RateTake): void => {
      const endMs = systemClock.monotonicMs();
      experience.longestMs = Math.max(experience.longestMs, endMs - startMs);
      if (take.taken) {
        experience.admitted.push({ startMs, endMs });
      } else if (take.unavailable) {
        experience.unavailable++;
      } else {
        experience.refused++;
      }
    };
    experience.calls++;
    const take = (nodes[Math.floor(random() * NODES)] as Node).take(index, CALLERS[index] as Caller);
    if (take instanceof Promise) {
      experience.waits++;
      waiting.push(take.then(end));
    } else {
      end(take);
    }
  };
  for (let elapsedMs = 0; elapsedMs < RUN_MS; elapsedMs = systemClock.monotonicMs() - startedMs) {
    for (const [index, { rate, pace }] of CALLERS.entries()) {
      for (let due = Math.floor((rate * pace * elapsedMs) / 1000) + 1 - (experiences[index] as Experience).calls; due > 0; due--) {
        callOnce(index);
      }
    }
    await passed(TICK_MS);
  }
  await Promise.all(waiting);
  return experiences;
}

interface Scene {
  readonly server: RedisServer;
  readonly nodes: readonly Node[];
  readonly onTestFinished: OnTestFinished;
}

async function inRedis(server: RedisServer, ...commands: readonly string[][]): Promise<unknown> {
  const client = createClient({ url: server.url, RESP: 2 });
  client.on("error", () => {});
  await client.connect();
  let last: unknown;
  for (const command of commands) {
    last = await client.sendCommand(command);
  }
  client.destroy();
  return last;
}

const scriptsRun = async (server: RedisServer): Promise<number> =>
  Number(/cmdstat_evalsha:calls=(\d+)/.exec(String(await inRedis(server, ["INFO", "commandstats"])))?.[1] ?? 0);

/** What happens to Redis, after the first second. It may last to the end of the run. */
const FAULTS: readonly [string, (scene: Scene, isOver: () => boolean) => Promise<void>][] = [
  ["nothing", async () => {}],
  [
    "restart, empty",
    async ({ server }) => {
      await server.stop();
      await server.start();
    },
  ],
  [
    "killed, and back empty after 1.5 s",
    async ({ server }) => {
      await server.stop();
      await passed(1500);
      await server.start();
    },
  ],
  [
    "failover to a replica after 1.5 s",
    async ({ server, nodes, onTestFinished }) => {
      const replica = await startRedis();
      onTestFinished(() => replica.close());
      await inRedis(replica, ["REPLICAOF", "127.0.0.1", String(portOf(server))]);
      await passed(1000);
      await server.stop();
      await passed(1500);
      await inRedis(replica, ["REPLICAOF", "NO", "ONE"]);
      for (const { proxy } of nodes) {
        proxy.upstreamPort = portOf(replica);
      }
    },
  ],
  [
    "stalls of 80 ms now and then",
    async ({ server }, isOver) => {
      while (!isOver()) {
        server.pause();
        await passed(80);
        server.resume();
        await passed(300 + 400 * random());
      }
    },
  ],
  [
    "delays of up to 120 ms",
    async ({ nodes }, isOver) => {
      while (!isOver()) {
        for (const { proxy } of nodes) {
          proxy.roundTripMs = 120 * random();
        }
        await passed(10);
      }
    },
  ],
  [
    "silent for 1.5 s",
    async ({ server }) => {
      server.pause();
      await passed(1500);
      server.resume();
    },
  ],
  [
    "out of memory for half of the run",
    async ({ server }) => {
      await inRedis(server, ["CONFIG", "SET", "maxmemory", "1"]);
      await passed(RUN_MS / 2);
      await inRedis(server, ["CONFIG", "SET", "maxmemory", "0"]);
    },
  ],
  [
    "flushed every 1.7 s",
    async ({ server }, isOver) => {
      while (!isOver()) {
        await inRedis(server, ["FLUSHALL"]);
        await passed(1700);
      }
    },
  ],
  [
    "set to evict keys, and out of memory",
    async ({ server }) => {
      await inRedis(server, ["CONFIG", "SET", "maxmemory-policy", "allkeys-random"], ["CONFIG", "SET", "maxmemory", "1"]);
    },
  ],
  [
    "cut off from one server for 2.5 s",
    async ({ nodes: [first] }) => {
      first?.proxy.cut();
      await passed(2500);
      first?.proxy.restore();
    },
  ],
  [
    "gone for good",
    async ({ server }) => {
      await server.stop();
    },
  ],
];

const percent = (part: number, whole: number): string => ((100 * part) / whole).toFixed(1);
const worstOf = (experience: Experience, index: number): number =>
  worstWindowPercent(experience.admitted, (CALLERS[index] as Caller).rate);

const results = new Map<string, readonly Experience[]>();
let scriptsPerCall = 0;

/** A table with a row for each fault and a column for each caller that is chosen. */
function tableOf(isChosen: (caller: Caller) => boolean, cellOf: (experience: Experience, index: number) => string): string {
  const chosen = [...CALLERS.keys()].filter((index) => isChosen(CALLERS[index] as Caller));
  const lines = [
    ["what Redis did", ...chosen.map((index) => nameOf(CALLERS[index] as Caller))],
    ["---", ...chosen.map(() => "---:")],
    ...FAULTS.flatMap(([fault]) => {
      const experiences = results.get(fault);
      return experiences === undefined ? [] : [[fault, ...chosen.map((at) => cellOf(experiences[at] as Experience, at))]];
    }),
  ];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

afterAll(() => {
  const tables = [
    ["Refused, % (and with 429, if any)", tableOf(({ pace }) => pace < 1, refusedPercent)],
    [
      "The worst window, %",
      tableOf(
        () => true,
        (experience, index) => worstOf(experience, index).toFixed(0),
      ),
    ],
    [
      "Calls that waited, % (and the longest, ms)",
      tableOf(
        ({ pace }) => pace === 0.95,
        ({ calls, waits, longestMs }) => `${percent(waits, calls)} (${longestMs.toFixed(0)})`,
      ),
    ],
  ];
  process.stdout.write(tables.map(([title, table]) => `${title}:\n\n${table}\n\n`).join(""));
  process.stdout.write(`Scripts for each call while Redis was healthy: ${scriptsPerCall.toFixed(3)}\n`);
});

function refusedPercent({ calls, refused, unavailable }: Experience): string {
  const all = percent(refused + unavailable, calls);
  return refused === 0 ? all : `${all} (${percent(refused, calls)})`;
}

describeWith(redis, "Callers of three nodes", () => {
  // Each has a Redis of its own, and mostly waits: in all, one run takes a fifth of a core.
  test.concurrent.for(FAULTS)(
    "are neither refused nor admitted wrongly: %s",
    async ([fault, happen], { expect, onTestFinished }) => {
      const server = await startRedis();
      onTestFinished(() => server.close());
      const nodes = await Promise.all(Array.from({ length: NODES }, () => startNode(server, onTestFinished)));
      // A Redis that has just been started may have lost everything.
      await passed(SETTLED_MS);
      let isOver = false;
      const before = await scriptsRun(server);
      const happening = passed(1000).then(() => happen({ server, nodes, onTestFinished }, () => isOver));
      const experiences = await call(nodes);
      isOver = true;
      await happening;
      results.set(fault, experiences);
      if (fault === "nothing") {
        scriptsPerCall = ((await scriptsRun(server)) - before) / experiences.reduce((sum, { calls }) => sum + calls, 0);
      }
      const over = experiences.flatMap((experience, index) => {
        const worst = worstOf(experience, index);
        return worst > 110 ? [`${nameOf(CALLERS[index] as Caller)}: ${worst.toFixed(1)}%`] : [];
      });
      expect(over).toEqual([]);
      const refusedWrongly = experiences.flatMap(({ calls, refused }, index) => {
        const caller = CALLERS[index] as Caller;
        return caller.pace < 1 && refused > Math.max(1, calls / 100) ? [`${nameOf(caller)}: ${refused} of ${calls}`] : [];
      });
      expect(refusedWrongly).toEqual([]);
    },
  );
});
