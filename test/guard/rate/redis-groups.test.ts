// The rate limit in a Redis Cluster of three masters, and in a primary that a Sentinel watches: nodes share every bucket, count alone while
// a master is gone, and together again when its replica has taken over.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { SlotTable } from "../../../src/guard/memory/slots.ts";
import { SharedBuckets } from "../../../src/guard/rate/bucket.ts";
import { inspectRedis } from "../../../src/guard/rate/redis/inspect-redis.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { redis } from "../../fixtures/servers/redis.ts";
import { startRedisCluster, startRedisSentinel } from "../../fixtures/servers/redis-group.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { openRedisSide } from "./redis-node.ts";

const BUCKETS = 24;
// So slow that hardly any token is added while the test runs.
const RATE = 1 / 600;

const certificate = (name: string): string => join(import.meta.dirname, "../../http/certificates", name);

async function startNode(url: string) {
  const side = await openRedisSide(url);
  onTestFinished(() => side.stop());
  const buckets = side.share(new SharedBuckets(new SlotTable(2 * BUCKETS).words));
  return { ...side, take: async (slot: number, name: string) => buckets.take(slot, RATE, systemClock.monotonicMs(), name) };
}

describeWith(redis, "Buckets in several servers of Redis", () => {
  beforeAll(() => {
    const before = getCACertificates("default");
    setDefaultCACertificates([...before, readFileSync(certificate("authority.pem"), "utf8")]);
    return () => setDefaultCACertificates(before);
  });

  test.each([
    [
      "a cluster, over TLS",
      () =>
        startRedisCluster({ cert: certificate("server.pem"), key: certificate("server.key"), ca: certificate("authority.pem") }),
    ],
    ["a primary with a Sentinel", startRedisSentinel],
  ])("%s", async (_, start) => {
    const group = await start();
    onTestFinished(() => group.close());
    expect(await inspectRedis(group.url, systemClock)).toMatchObject({ evictionPolicy: "noeviction" });
    await expect(inspectRedis(group.url.replace("secret", "wrong"), systemClock)).rejects.toThrow();
    const nodes = await Promise.all([startNode(group.url), startNode(group.url)]);
    const areHealthy = () => nodes.map(({ health }) => [health.isHealthy, health.nodes, health.partOf(1)]);
    const together = [
      [true, 2, 1],
      [true, 2, 1],
    ];
    await expect.poll(areHealthy).toEqual(together);
    const takeAll = async (prefix: string, first: number): Promise<number> => {
      const takes = Array.from({ length: BUCKETS }, (_, bucket) =>
        nodes.map((node) => node.take(first + bucket, `${prefix} ${bucket}/radio`)),
      );
      return (await Promise.all(takes.flat())).filter(({ taken }) => taken).length;
    };
    // Of two nodes, one gets the only token.
    expect(await takeAll("before", 0)).toBe(BUCKETS);
    await group.failFirst();
    await expect.poll(() => nodes.map(({ health }) => health.isHealthy)).toEqual([false, false]);
    await expect.poll(areHealthy).toEqual(together);
    // Buckets that the replica has not received may count as full, but no more than that.
    expect(await takeAll("after", BUCKETS)).toBe(BUCKETS);
  });
});
