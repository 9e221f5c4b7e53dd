// The rate limit in a real Redis: the suite of all buckets, sharing by several nodes, and what callers experience when Redis fails.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { SlotTable } from "../../../src/guard/memory/slots.ts";
import { type RateTake, SharedBuckets } from "../../../src/guard/rate/bucket.ts";
import { openRedisRate } from "../../../src/guard/rate/redis/open-redis-rate.ts";
import { ONE_PART } from "../../../src/guard/rate/redis/redis-keys.ts";
import { RedisStatus } from "../../../src/guard/rate/redis/redis-status.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { systemRandomness } from "../../../src/runtime/randomness.ts";
import { type RedisServer, redis, startRedis } from "../../fixtures/servers/redis.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { startWorkingClock } from "../../fixtures/working-clock.ts";
import { createMemoryLog } from "../scene.ts";
import { openRedisSide, type RedisSide } from "./redis-node.ts";

/** A node that counts in Redis. */
interface RedisNode extends RedisSide {
  take(requestsPerSecond: number, name: string): RateTake | Promise<RateTake>;
  refund(requestsPerSecond: number, name: string, take: RateTake): void;
  /** Takes that many at once, and returns the results. */
  takes(count: number, requestsPerSecond: number, name: string): Promise<RateTake[]>;
}

/** A node that stops when the test ends. */
async function startNode(server: RedisServer, waitMs?: number): Promise<RedisNode> {
  const node = await openNode(server, waitMs);
  onTestFinished(node.stop);
  return node;
}

async function openNode(server: RedisServer, waitMs?: number): Promise<RedisNode> {
  const side = await openRedisSide(server.url, waitMs);
  const table = new SlotTable(100);
  const buckets = side.share(new SharedBuckets(table.words));
  const slots = new Map<string, number>();
  const slotOf = (name: string): number => {
    const slot = slots.get(name) ?? table.take() ?? 0;
    slots.set(name, slot);
    return slot;
  };
  const take = (rate: number, name: string) => buckets.take(slotOf(name), rate, systemClock.monotonicMs(), name);
  return {
    ...side,
    take,
    refund: (rate, name, taken) => buckets.refund(slotOf(name), rate, name, taken),
    takes: (count, rate, name) => Promise.all(Array.from({ length: count }, () => take(rate, name))),
  };
}

const admitted = (takes: readonly RateTake[]): number => takes.filter(({ taken }) => taken).length;

/** Each node takes a second's worth, all at once. Returns the results, and how much was available in the meantime. */
async function takeTogether(nodes: readonly RedisNode[], requestsPerSecond: number, name: string) {
  const queriedAtMs = systemClock.monotonicMs();
  const takes = await Promise.all(nodes.map((node) => node.takes(requestsPerSecond, requestsPerSecond, name)));
  const most = requestsPerSecond + Math.floor((requestsPerSecond * (systemClock.monotonicMs() - queriedAtMs)) / 1000);
  return { takes: takes.flat(), most };
}

function expectTheRate({ takes, most }: Awaited<ReturnType<typeof takeTogether>>, requestsPerSecond: number): void {
  expect(admitted(takes)).toBeGreaterThanOrEqual(requestsPerSecond);
  expect(admitted(takes)).toBeLessThanOrEqual(most);
}

const bucketKey = (name: string): string => ONE_PART[0]?.bucket(name) ?? "";

const eventually = <Value>(value: () => Value) => expect.poll(value);

describeWith(redis, "Redis", () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.close());

  test("nodes share one bucket", async () => {
    const together = await takeTogether([await startNode(server), await startNode(server)], 10, "shared/radio");
    expectTheRate(together, 10);
    expect(together.takes.every(({ shared }) => shared)).toBe(true);
  });

  test("a bucket is kept only until it is full again", async () => {
    const node = await startNode(server);
    // Slow enough that it is not full before the response arrives on a busy machine.
    await node.takes(1, 1 / 30, "kept/radio");
    const leftMs = Number(await node.connection.send("", ["PTTL", bucketKey("kept/radio")]));
    expect(leftMs).toBeGreaterThan(0);
    expect(leftMs).toBeLessThanOrEqual(30_001);
  });

  test("the script is sent again to a Redis that has lost it", async () => {
    const node = await startNode(server);
    await node.takes(1, 5, "script/radio");
    await node.connection.send("", ["SCRIPT", "FLUSH"]);
    const takes = await node.takes(2, 5, "script/radio");
    expect(takes.map(({ taken, shared }) => ({ taken, shared }))).toEqual(new Array(2).fill({ taken: true, shared: true }));
  });

  test("a server that starts counts in it at once, and logs nothing", async () => {
    const log = createMemoryLog();
    const rate = await openRedisRate({
      url: server.url,
      redisCells: RedisStatus.of(1).cells,
      node: systemRandomness.uuid(),
      clock: systemClock,
      log,
      nodesAlive: () => 1,
      thread: 0,
    });
    onTestFinished(() => rate.close());
    expect(log.lines).toEqual([]);
  });

  test("nodes know their number, and notice when one leaves", async () => {
    const nodes = [await startNode(server), await startNode(server), await startNode(server)];
    await eventually(() => nodes.map(({ health }) => health.nodes)).toEqual([3, 3, 3]);
    await nodes[2]?.stop();
    await eventually(() => nodes.slice(0, 2).map(({ health }) => health.nodes)).toEqual([2, 2]);
  });
});

describeWith(redis, "When Redis fails", () => {
  let server: RedisServer;
  beforeAll(async () => {
    server = await startRedis();
  });
  afterAll(() => server.close());

  const outage = [
    "Redis does not respond; this node admits its share of each rate",
    "Redis responds; all nodes count each rate together",
  ];
  const outageLines = (node: RedisNode): string[] => node.log.lines.filter((line) => outage.includes(line));

  test("silent: callers wait briefly; each node then admits its share, and recovers", async () => {
    const nodes = [await startNode(server, 100), await startNode(server, 100)];
    await eventually(() => nodes.map(({ health }) => health.nodes)).toEqual([2, 2]);
    await eventually(() => nodes.map(({ health }) => health.isHealthy)).toEqual([true, true]);
    server.pause();
    const clock = startWorkingClock();
    const first = await Promise.all(nodes.map((node) => node.takes(10, 10, "silent/radio")));
    const waitedMs = clock.monotonicMs();
    // The other nodes' usage is unknown, so nobody learns that the plan is used up.
    expect(first.flat().filter(({ taken, unavailable }) => !taken && !unavailable)).toEqual([]);
    expect(first.map(admitted).reduce((sum, one) => sum + one, 0)).toBeLessThanOrEqual(10);
    // The time that a call may wait, plus what a busy machine adds.
    expect(waitedMs).toBeLessThan(3000);
    for (const node of nodes) {
      await eventually(() => node.take(10, "later/radio")).toMatchObject({ taken: true });
    }
    server.resume();
    // Each node must also know that the other uses Redis again: until then it counts only part of the rate there.
    await eventually(() => nodes.map(({ health }) => [health.isHealthy, health.partOf(10)])).toEqual([
      [true, 1],
      [true, 1],
    ]);
    expectTheRate(await takeTogether(nodes, 10, "healed/radio"), 10);
    expect(nodes.map(outageLines)).toEqual([outage, outage]);
  });

  test("down: each node admits its share, even below one a second, and recovers with an empty Redis", async () => {
    const nodes = [await startNode(server), await startNode(server)];
    await eventually(() => nodes.map(({ health }) => health.nodes)).toEqual([2, 2]);
    await server.stop();
    await eventually(() => nodes.map(({ health }) => health.isHealthy)).toEqual([false, false]);
    for (const node of nodes) {
      await eventually(() => node.take(1, "dead/radio")).toEqual({ taken: true, remaining: 0, nextMs: 2000 });
    }
    await server.start();
    await eventually(() => nodes.map(({ health }) => [health.isHealthy, health.nodes])).toEqual([
      [true, 2],
      [true, 2],
    ]);
    await eventually(async () => {
      const takes = await Promise.all(nodes.map((node) => node.takes(5, 5, "again/radio")));
      return admitted(takes.flat());
    }).toBeGreaterThan(0);
  });

  test("absent at startup: a node counts alone, and joins the others when Redis is available", async () => {
    await server.stop();
    const node = await startNode(server);
    expect([node.health.isHealthy, node.health.nodes]).toEqual([false, 1]);
    await eventually(() => node.take(3, "absent/radio")).toMatchObject({ taken: true });
    await server.start();
    await eventually(() => node.health.isHealthy).toBe(true);
    expect(await node.take(3, "present/radio")).toMatchObject({ taken: true, shared: true });
  });

  test("silent at startup: a node still starts", async () => {
    server.pause();
    const log = createMemoryLog();
    const rate = await openRedisRate({
      url: server.url,
      node: "late",
      nodesAlive: () => 1,
      redisCells: RedisStatus.of(1).cells,
      thread: 0,
      clock: systemClock,
      log,
    });
    const buckets = rate.share(new SharedBuckets(new SlotTable(1).words));
    await eventually(() => buckets.take(0, 5, systemClock.monotonicMs(), "silent/radio")).toMatchObject({ taken: true });
    await rate.close();
    server.resume();
    expect(log.lines).toContain(outage[0]);
  });

  test("a token from this node's own bucket is refunded there", async () => {
    await server.stop();
    const node = await startNode(server);
    await eventually(() => node.take(1, "back/radio")).toMatchObject({ taken: true });
    const taken: RateTake = { taken: true, remaining: 0, nextMs: 0 };
    node.refund(1, "back/radio", taken);
    expect(await node.take(1, "back/radio")).toMatchObject({ taken: true });
    await server.start();
  });
});

describeWith(redis, "Redis over TLS", () => {
  const certificate = (name: string): string => join(import.meta.dirname, "../../http/certificates", name);

  test("is trusted only if its certificate's authority is trusted", async () => {
    const server = await startRedis({ cert: certificate("server.pem"), key: certificate("server.key") });
    onTestFinished(() => server.close());
    const node = await startNode(server);
    expect(node.health.isHealthy).toBe(false);
    const before = getCACertificates("default");
    onTestFinished(() => setDefaultCACertificates(before));
    setDefaultCACertificates([...before, readFileSync(certificate("authority.pem"), "utf8")]);
    await eventually(() => node.health.isHealthy).toBe(true);
  });
});
