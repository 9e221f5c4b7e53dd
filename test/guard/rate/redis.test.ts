// The rate limit in a real Redis: sharing by several servers, and what callers experience when Redis fails. `rate-promise.test.ts` has what
// it promises then.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { createClient } from "redis";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { SlotTable } from "../../../src/guard/memory/slots.ts";
import { DividedBuckets, type RateTake, SharedBuckets } from "../../../src/guard/rate/bucket.ts";
import { BUCKET_SCRIPT, ONE_PART } from "../../../src/guard/rate/redis/bucket-script.ts";
import { requireNoEviction } from "../../../src/guard/rate/redis/inspect-redis.ts";
import { openRedisRate } from "../../../src/guard/rate/redis/redis-buckets.ts";
import { RedisStatus } from "../../../src/guard/rate/redis/redis-status.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { StoreRefused } from "../../../src/store/store-errors.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";
import { type RedisServer, redis, startRedis } from "../../fixtures/servers/redis.ts";
import { sharedRedis } from "../../fixtures/servers/redis-client.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { startWorkingClock } from "../../fixtures/working-clock.ts";
import { rateSuite } from "../../suites/rate.ts";
import { createMemoryLog } from "../scene.ts";
import { openRedisNode, type RedisNode } from "./redis-node.ts";
import { startSwitch } from "./tcp-switch.ts";

/** A server that stops when the test ends. */
async function startNode({ url }: { readonly url: string }, lateMs?: number, nodesAlive = () => 1): Promise<RedisNode> {
  const node = await openRedisNode(url, lateMs, nodesAlive);
  onTestFinished(() => node.connection.close());
  return node;
}

const optionsOf = ({ url }: RedisServer, log: ReturnType<typeof createMemoryLog>) => ({
  url,
  redisCells: RedisStatus.of(1).cells,
  clock: systemClock,
  log,
  nodesAlive: () => 1,
  thread: 0,
});

const admitted = (takes: readonly RateTake[]): number => takes.filter(({ taken }) => taken).length;
const eventually = <Value>(value: () => Value) => expect.poll(value);
const bucketKey = (name: string): string => ONE_PART[0]?.bucket(name) ?? "";

describeWith(redis, "In Redis", () => {
  const client = sharedRedis();
  let number = 0;

  rateSuite(() => {
    const prefix = `suite ${number++}`;
    let micros = 10_000_000;
    // It has counted for long, so the buckets are full.
    const clock = `${prefix} clock`;
    const remembered = client().sendCommand(["HSET", clock, "added", "0", "began", "1", "read", "1"]);
    const script = BUCKET_SCRIPT.source.replace("redis.call('TIME')", "{0, ARGV[5]}").replace("'PX', math", "'PX', 1000000 + math");
    const run = async (rate: number, name: string, tokens: number): Promise<RateTake> => {
      await remembered;
      const args = [rate, Math.max(1, rate), tokens, 0, micros].map(String);
      const [taken, left] = (await client().sendCommand(["EVAL", script, "2", `${prefix} ${name}`, clock, ...args])) as [
        number,
        number,
        number,
      ];
      const remaining = Math.floor(left / 1000 + 1e-6);
      return { taken: taken === 1, remaining, nextMs: ((remaining + 1 - left / 1000) * 1000) / rate };
    };
    return {
      take: (rate, name) => run(rate, name, 1),
      refund: async (rate, name) => void (await run(rate, name, -1)),
      advance(ms) {
        micros += ms * 1000;
      },
    };
  });
});

describeWith(redis, "Redis", () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.close());

  test("servers share one bucket", async () => {
    const nodes = [await startNode(server), await startNode(server)] as const;
    await nodes[0].age();
    const clock = startWorkingClock();
    const takes = (await Promise.all(nodes.map((node) => node.takes(10, 10, "shared/radio")))).flat();
    expect(admitted(takes)).toBeGreaterThanOrEqual(10);
    expect(admitted(takes)).toBeLessThanOrEqual(10 + Math.floor(clock.monotonicMs() / 100));
    expect(takes.every(({ shared }) => shared)).toBe(true);
  });

  test("a bucket is charged for what calls have caused, even if it has too few tokens", async () => {
    const node = await startNode(server);
    await node.age();
    await node.take(5, "caused/radio");
    node.charge(5, "caused/radio", 8);
    const { taken, nextMs } = await node.take(5, "caused/radio");
    expect(taken).toBe(false);
    expect(nextMs).toBeGreaterThan(0);
    expect(nextMs).toBeLessThanOrEqual(1000);
    node.charge(5, "caused/radio", 1000);
    await eventually(async () => (await node.take(5, "caused/radio")).nextMs).toBeGreaterThan(2000);
    expect((await node.take(5, "caused/radio")).nextMs).toBeLessThanOrEqual(10_200);
  });

  test("a bucket is kept only until it is full again", async () => {
    const node = await startNode(server);
    await node.takes(1, 1, "kept/radio");
    const leftMs = Number(await node.send(["PTTL", bucketKey("kept/radio")]));
    expect(leftMs).toBeGreaterThan(0);
    expect(leftMs).toBeLessThanOrEqual(3001);
  });

  test("the script is sent again to a Redis that has lost it", async () => {
    const node = await startNode(server);
    await node.takes(1, 5, "script/radio");
    await node.send(["SCRIPT", "FLUSH"]);
    const takes = await node.takes(2, 5, "script/radio");
    expect(takes.map(({ taken, shared }) => ({ taken, shared }))).toEqual(new Array(2).fill({ taken: true, shared: true }));
  });

  test("calls of one turn share a request", async () => {
    const node = await startNode(server);
    await node.send(["CONFIG", "RESETSTAT"]);
    await node.takes(50, 100, "turn/radio");
    const stats = String(await node.send(["INFO", "commandstats"]));
    // The others are checks of the connection.
    expect(Number(/cmdstat_evalsha:calls=(\d+)/.exec(stats)?.[1])).toBeLessThan(10);
  });

  test("a server that starts counts in it at once, and logs nothing", async () => {
    const log = createMemoryLog();
    const rate = await openRedisRate(optionsOf(server, log));
    onTestFinished(() => rate.close());
    expect(log.lines).toEqual([]);
  });

  test("one that evicts keys is refused at startup", async () => {
    const node = await startNode(server);
    await requireNoEviction(server.url, systemClock);
    await node.send(["CONFIG", "SET", "maxmemory-policy", "volatile-lru"]);
    await expect(requireNoEviction(server.url, systemClock)).rejects.toThrow(
      new StoreRefused(
        "Redis may evict counts of requests when it is out of memory: its maxmemory-policy is volatile-lru. Set it to noeviction.",
      ),
    );
    await node.send(["CONFIG", "SET", "maxmemory-policy", "noeviction"]);
    await expect(requireNoEviction("redis://127.0.0.1:9", systemClock)).resolves.toBeUndefined();
  });
});

describeWith(redis, "When Redis fails", () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.close());

  const outage = [
    "Redis cannot be used; this server admits its share of each rate",
    "Redis responds; all servers count each rate together",
  ];

  test("silent: calls wait for a token of the server's share, and nobody learns that the plan is used up", async () => {
    const nodes = [await startNode(server, 100, () => 2), await startNode(server, 100, () => 2)];
    await eventually(() => nodes.map(({ isUp }) => isUp)).toEqual([true, true]);
    server.pause();
    const clock = startWorkingClock();
    const takes = (await Promise.all(nodes.map((node) => node.takes(20, 10, "silent/radio")))).flat();
    expect(takes.filter(({ taken, unavailable }) => !taken && !unavailable)).toEqual([]);
    expect(admitted(takes)).toBeGreaterThan(0);
    expect(admitted(takes)).toBeLessThanOrEqual(16);
    // The time that a call may wait, plus what a busy machine adds.
    expect(clock.monotonicMs()).toBeLessThan(3000);
    server.resume();
    await eventually(() => nodes.map(({ isUp }) => isUp)).toEqual([true, true]);
    expect(await nodes[0]?.take(10, "healed/radio")).toMatchObject({ taken: true, shared: true });
    for (const { log } of nodes) {
      expect(log.lines.slice(0, 2)).toEqual(outage);
    }
  });

  test("down, even at startup: a server admits its share, and joins the others when Redis is there", async () => {
    await server.stop();
    const node = await startNode(server, undefined, () => 2);
    expect(node.isUp).toBe(false);
    expect(await node.take(4, "dead/radio")).toMatchObject({ taken: true });
    await server.start();
    await eventually(() => node.isUp).toBe(true);
    expect(await node.take(3, "present/radio")).toMatchObject({ taken: true, shared: true });
  });

  test("silent at startup: a server still starts", async () => {
    server.pause();
    const log = createMemoryLog();
    const rate = await openRedisRate(optionsOf(server, log));
    const buckets = rate.share(new SharedBuckets(new SlotTable(1).words));
    expect(await buckets.take(0, 5, systemClock.monotonicMs(), "silent/radio")).toMatchObject({ taken: true });
    await rate.close();
    server.resume();
    expect(log.lines).toContain(outage[0]);
  });

  test("a token from this server's own bucket is refunded there", async () => {
    await server.stop();
    const node = await startNode(server);
    const take = await node.take(1, "back/radio");
    expect(take).toMatchObject({ taken: true });
    node.refund(1, "back/radio", take);
    const clock = startWorkingClock();
    expect(await node.take(1, "back/radio")).toMatchObject({ taken: true });
    expect(clock.monotonicMs()).toBeLessThan(900);
    await server.start();
  });
});

/** What makes Redis respond with an error, and what ends that. Each is a list of commands. */
const REFUSALS: readonly { readonly code: string; readonly url?: string; readonly begin: string[][]; readonly end: string[][] }[] =
  [
    { code: "NOPERM", begin: [["ACL", "SETUSER", "default", "-evalsha"]], end: [["ACL", "SETUSER", "default", "+evalsha"]] },
    {
      code: "can't run this command",
      begin: [["ACL", "SETUSER", "default", "-set"]],
      end: [["ACL", "SETUSER", "default", "+set"]],
    },
    {
      code: "NOAUTH",
      begin: [
        ["CONFIG", "SET", "requirepass", "other"],
        ["CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"],
      ],
      end: [["CONFIG", "SET", "requirepass", ""]],
    },
    {
      code: "WRONGPASS",
      url: "quintet:secret@",
      begin: [
        ["ACL", "SETUSER", "quintet", "resetpass", ">other"],
        ["CLIENT", "KILL", "USER", "quintet"],
      ],
      end: [["ACL", "SETUSER", "quintet", ">secret"]],
    },
    { code: "OOM", begin: [["CONFIG", "SET", "maxmemory", "1"]], end: [["CONFIG", "SET", "maxmemory", "0"]] },
    { code: "READONLY", begin: [["REPLICAOF", "127.0.0.1", "9"]], end: [["REPLICAOF", "NO", "ONE"]] },
    {
      code: "MASTERDOWN",
      begin: [
        ["CONFIG", "SET", "replica-serve-stale-data", "no"],
        ["REPLICAOF", "127.0.0.1", "9"],
      ],
      end: [
        ["REPLICAOF", "NO", "ONE"],
        ["CONFIG", "SET", "replica-serve-stale-data", "yes"],
      ],
    },
    {
      code: "NOREPLICAS",
      begin: [["CONFIG", "SET", "min-replicas-to-write", "1"]],
      end: [["CONFIG", "SET", "min-replicas-to-write", "0"]],
    },
  ];

describeWith(redis, "A Redis that responds with", () => {
  let server: RedisServer;
  let admin: Awaited<ReturnType<typeof connect>>;
  const connect = () => createClient({ url: server.url, RESP: 2 }).connect();
  beforeAll(async () => {
    server = await startRedis();
    admin = await connect();
    return async () => {
      admin.destroy();
      await server.close();
    };
  });
  beforeEach(async () => {
    await admin.sendCommand(["ACL", "SETUSER", "quintet", "on", "resetpass", ">secret", "~quintet:*", "+@all"]);
  });

  test.each(REFUSALS)(
    "$code is left, the log says which, and it is used again when it can be",
    async ({ code, url = "", begin, end }) => {
      const node = await startNode({ url: server.url.replace("//", `//${url}`) });
      expect(node.isUp).toBe(true);
      for (const command of begin) {
        await admin.sendCommand(command);
      }
      await eventually(() => node.isUp).toBe(false);
      await eventually(() => node.log.written.join()).toContain(code);
      expect(await node.take(5, `${code}/radio`)).toMatchObject({ taken: true });
      for (const command of end) {
        await admin.sendCommand(command);
      }
      await eventually(() => node.isUp).toBe(true);
    },
  );
});

describeWith(redis, "Behind one address", () => {
  test("a primary that became a replica is left for the new primary", async () => {
    const [first, second] = [await startRedis(), await startRedis()];
    onTestFinished(async () => void (await Promise.all([first.close(), second.close()])));
    const address = await startSwitch(first.url);
    onTestFinished(() => address.close());
    const node = await startNode({ url: address.url });
    expect(node.isUp).toBe(true);
    const { hostname, port } = new URL(second.url);
    await node.send(["REPLICAOF", hostname, port]);
    // The connection to the old primary stays open.
    address.leadTo(second.url);
    await eventually(async () => (await node.take(5, "moved/radio")).shared).toBe(true);
    expect(await node.send(["ROLE"])).toContain("master");
  });
});

describe("Without Redis", () => {
  test("servers admit their share, and adapt to their number", () => {
    const clock = createManualClock({ nowMs: 0 });
    let nodes = 1;
    const buckets = new DividedBuckets(new SharedBuckets(new SlotTable(1).words), () => nodes, clock);
    const admitted = (): number => {
      let count = 0;
      while (count < 1000 && buckets.take(0, 60, clock.monotonicMs()).taken) {
        count++;
      }
      return count;
    };
    const counts = [1, 2, 3, 1].map((number) => {
      nodes = number;
      clock.advance(5000);
      return admitted();
    });
    expect(counts).toEqual([60, 30, 20, 60]);
    buckets.refund(0, 60);
    expect(admitted()).toBe(1);
  });
});

describeWith(redis, "Redis over TLS", () => {
  const certificate = (name: string): string => join(import.meta.dirname, "../../../packages/http/test/certificates", name);

  test("is trusted only if its certificate's authority is trusted", async () => {
    const server = await startRedis({ cert: certificate("server.pem"), key: certificate("server.key") });
    onTestFinished(() => server.close());
    const node = await startNode(server);
    expect(node.isUp).toBe(false);
    const before = getCACertificates("default");
    onTestFinished(() => setDefaultCACertificates(before));
    setDefaultCACertificates([...before, readFileSync(certificate("authority.pem"), "utf8")]);
    await eventually(() => node.isUp).toBe(true);
  });
});
