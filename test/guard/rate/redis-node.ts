// A node's connection to Redis for tests, which control its timeout.

import type { SharedBuckets } from "../../../src/guard/rate/bucket.ts";
import { RateLeases } from "../../../src/guard/rate/rate-lease.ts";
import { RedisBuckets } from "../../../src/guard/rate/redis/redis-buckets.ts";
import { RedisConnection } from "../../../src/guard/rate/redis/redis-connection.ts";
import { RedisHealth } from "../../../src/guard/rate/redis/redis-health.ts";
import { RedisStatus } from "../../../src/guard/rate/redis/redis-status.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { systemRandomness } from "../../../src/runtime/randomness.ts";
import { createMemoryLog } from "../scene.ts";

// Long enough that a busy machine is not mistaken for a failing Redis.
const LONG_WAIT_MS = 2000;

/** A connection, its health checks, and a function that makes buckets. */
export interface RedisSide {
  readonly connection: RedisConnection;
  readonly health: RedisHealth;
  readonly log: ReturnType<typeof createMemoryLog>;
  share(own: SharedBuckets): RedisBuckets;
  stop(): Promise<void>;
}

/** Connects to Redis. `nodesAlive` stands for the store's count. */
export async function openRedisSide(url: string, lateMs = LONG_WAIT_MS, nodesAlive = () => 1): Promise<RedisSide> {
  const log = createMemoryLog();
  const connection = new RedisConnection({ url, clock: systemClock, log });
  const node = systemRandomness.uuid();
  const health = new RedisHealth({
    connection,
    clock: systemClock,
    log,
    node,
    lateMs,
    nodesAlive,
    status: RedisStatus.of(1),
    thread: 0,
  });
  await connection.open();
  await health.sendHeartbeat();
  return {
    connection,
    health,
    log,
    share: (own) =>
      new RedisBuckets({ own, leases: new RateLeases(own.words), connection, health, clock: systemClock, node, lateMs }),
    async stop() {
      await health.stop();
      connection.close();
    },
  };
}
