// Connects a node to Redis, where all nodes count their requests together.
import type { Clock } from "../../../runtime/clock.ts";
import type { Log } from "../../../runtime/log.ts";
import type { RateLimiter, SharedBuckets } from "../bucket.ts";
import { RateLeases } from "../rate-lease.ts";
import { BUCKET_SCRIPT } from "./bucket-script.ts";
import { RedisBuckets } from "./redis-buckets.ts";
import { RedisConnection } from "./redis-connection.ts";
import { RedisHealth, type RedisHealthOptions } from "./redis-health.ts";
import type { RedisPart } from "./redis-keys.ts";
import { RedisStatus } from "./redis-status.ts";

// How long Redis may take to respond. Long enough that a busy machine is not mistaken for a failing Redis: each time that happens, the node
// admits less. Most calls need not wait for Redis.
const LATE_MS = 250;
const FIRST_HEARTBEATS_MAX = 20;

/** Redis, as the guard uses it. */
export interface RedisRate {
  /** Creates the limiter that all nodes share, which falls back to this node's own buckets. */
  share(own: SharedBuckets): RateLimiter;
  /** Never rejects. */
  close(): Promise<void>;
}

export interface RedisRateOptions extends Pick<RedisHealthOptions, "nodesAlive" | "thread"> {
  readonly url: string;
  /** The memory of a RedisStatus. */
  readonly redisCells: Int32Array;
  /** Identifies this process. Its threads share buckets and are one node. */
  readonly node: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Connects to Redis. Never rejects: while Redis cannot be reached, the node keeps trying, and admits its share. */
export async function openRedisRate(options: RedisRateOptions): Promise<RedisRate> {
  const { node, clock, redisCells } = options;
  const connection = new RedisConnection(options);
  const health = new RedisHealth({ ...options, status: new RedisStatus(redisCells), connection, lateMs: LATE_MS });
  await connection.open();
  // The first responses arrive late in a process that is still starting.
  for (let attempt = 0; attempt < FIRST_HEARTBEATS_MAX && !health.isHealthy; attempt++) {
    await health.sendHeartbeat();
  }
  if (health.isHealthy) {
    const [part] = connection.parts as [RedisPart];
    // The first run of the bucket script is slow too, so it is run here once, for a bucket that belongs to no account.
    await connection
      .run(BUCKET_SCRIPT, [part.bucket(node), part.memory], ["1", "1", node, ...new Array(10).fill("0")])
      .catch((error: unknown) => health.failed(error));
  } else {
    health.failed(new Error(`Redis takes more than ${LATE_MS} ms.`));
  }
  return {
    share: (own) => new RedisBuckets({ own, leases: new RateLeases(own.words), connection, health, clock, node, lateMs: LATE_MS }),
    async close() {
      await health.stop();
      connection.close();
    },
  };
}
