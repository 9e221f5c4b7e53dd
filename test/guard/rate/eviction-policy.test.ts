// A Redis that evicts keys is refused at startup, and unused while its policy allows eviction.
import { expect, onTestFinished, test } from "vitest";
import { requireNoEviction } from "../../../src/guard/rate/redis/inspect-redis.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { StoreRefused } from "../../../src/store/store-errors.ts";
import { redis, startRedis } from "../../fixtures/servers/redis.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { openRedisSide } from "./redis-node.ts";

describeWith(redis, "A Redis whose policy is to evict keys", () => {
  test("is refused at startup, and unhealthy as long as it is set", async () => {
    const server = await startRedis();
    onTestFinished(() => server.close());
    const side = await openRedisSide(server.url);
    onTestFinished(() => side.stop());
    const set = (policy: string): Promise<unknown> => side.connection.send("", ["CONFIG", "SET", "maxmemory-policy", policy]);
    await requireNoEviction(server.url, systemClock);
    expect(side.health.isHealthy).toBe(true);
    await set("volatile-lru");
    await expect(requireNoEviction(server.url, systemClock)).rejects.toThrow(
      new StoreRefused(
        "Redis may evict counts of requests when it is out of memory: its maxmemory-policy is volatile-lru. Set it to noeviction.",
      ),
    );
    await expect.poll(() => side.health.isHealthy).toBe(false);
    await set("noeviction");
    await expect.poll(() => side.health.isHealthy).toBe(true);
  });

  test("does not prevent a start if it cannot be reached", async () => {
    const server = await startRedis();
    await server.close();
    await expect(requireNoEviction(server.url, systemClock)).resolves.toBeUndefined();
  });
});
