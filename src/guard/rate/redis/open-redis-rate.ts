// Opens what a node needs to share the count of each second with the others.
import type { Clock } from "../../../runtime/clock.ts";
import type { Log } from "../../../runtime/log.ts";
import type { RateLimiter, SharedBuckets } from "../bucket.ts";
import { RedisBuckets } from "./redis-buckets.ts";
import { RedisConnection } from "./redis-connection.ts";
import { RedisHealth, type RedisHealthOptions } from "./redis-health.ts";
import { bucketKey, MEMORY_KEY } from "./redis-keys.ts";
import { BUCKET_SCRIPT } from "./redis-scripts.ts";

// How long a caller waits. Long enough that a busy machine is not mistaken for a failing Redis: each time that happens, the node admits
// less.
const WAIT_MS = 50;
const FIRST_HEARTBEATS_MAX = 20;

/** Redis, as the guard uses it. */
export interface RedisRate {
  /** Makes the limiter that all nodes share from this node's own. */
  share(own: SharedBuckets): RateLimiter;
  /** Never rejects. */
  close(): Promise<void>;
}

export interface RedisRateOptions extends Pick<RedisHealthOptions, "nodesAlive" | "unhealthy" | "thread"> {
  readonly url: string;
  /** Identifies this process. Its threads share buckets and are one node. */
  readonly node: string;
  readonly clock: Clock;
  readonly log: Log;
}

/** Connects to Redis. Never rejects: while Redis cannot be reached, it is tried again and each node admits its share. */
export async function openRedisRate(options: RedisRateOptions): Promise<RedisRate> {
  const { node, clock } = options;
  const connection = new RedisConnection(options);
  const health = new RedisHealth({ ...options, connection, waitMs: WAIT_MS });
  await connection.open();
  // The first responses arrive late in a process that is still starting.
  for (let attempt = 0; attempt < FIRST_HEARTBEATS_MAX && !health.isHealthy; attempt++) {
    await health.sendHeartbeat();
  }
  if (health.isHealthy) {
    // The first script for a bucket is also slow. This bucket belongs to no account.
    await connection
      .run(BUCKET_SCRIPT, [bucketKey(node), MEMORY_KEY], ["1", "1", "1", "0", "0", "2", "0"])
      .catch((error: unknown) => health.failed(error));
  } else {
    health.failed(new Error(`Redis takes more than ${WAIT_MS} ms.`));
  }
  return {
    share: (own) => new RedisBuckets({ own, connection, health, clock, waitMs: WAIT_MS }),
    async close() {
      await health.stop();
      connection.close();
    },
  };
}
