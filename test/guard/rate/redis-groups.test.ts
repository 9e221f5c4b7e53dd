// The rate limit in a Redis Cluster of three masters, and in a primary that a Sentinel watches: nodes share every bucket, count alone while
// a master is gone, and together again when its replica has taken over.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { getCACertificates, setDefaultCACertificates } from "node:tls";
import { beforeAll, expect, onTestFinished, test } from "vitest";
import { inspectRedis } from "../../../src/guard/rate/redis/inspect-redis.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { redis } from "../../fixtures/servers/redis.ts";
import { startRedisCluster, startRedisSentinel } from "../../fixtures/servers/redis-group.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { openRedisNode } from "./redis-node.ts";

const BUCKETS = 24;
// So slow that hardly any token is added while the test runs.
const RATE = 1 / 600;

const certificate = (name: string): string => join(import.meta.dirname, "../../../packages/http/test/certificates", name);

async function startNode(url: string) {
  const node = await openRedisNode(url);
  onTestFinished(() => node.connection.close());
  return node;
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
    const areUp = () => nodes.map(({ isUp }) => isUp);
    await expect.poll(areUp).toEqual([true, true]);
    await nodes[0]?.age();
    const takeAll = async (prefix: string): Promise<number> => {
      const takes = Array.from({ length: BUCKETS }, (_, bucket) =>
        nodes.map((node) => node.take(RATE, `${prefix} ${bucket}/radio`)),
      );
      return (await Promise.all(takes.flat())).filter(({ taken }) => taken).length;
    };
    // Of two nodes, one gets the only token.
    expect(await takeAll("before")).toBe(BUCKETS);
    await group.failFirst();
    await expect.poll(areUp).toEqual([false, false]);
    await expect.poll(areUp).toEqual([true, true]);
    // Buckets that the replica has not received may count as full, but no more than that.
    expect(await takeAll("after")).toBe(BUCKETS);
  });
});
