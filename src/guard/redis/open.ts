// Opens what a node needs to count the second together with the others.
import type { Clock } from "../../clock.ts";
import type { Log } from "../../log.ts";
import type { RateLimiter, SharedBuckets } from "../bucket.ts";
import { RedisBuckets } from "./buckets.ts";
import { RedisHeart } from "./heart.ts";
import { bucketKey } from "./keys.ts";
import { RedisLink } from "./link.ts";
import { bucketScript } from "./scripts.ts";

const WAIT_MS = 5;
const FIRST_BEATS = 20;

/** Redis, as the guard uses it. */
export interface RedisRate {
  /** Makes the limiter that all nodes share, out of this node's own. */
  share(own: SharedBuckets): RateLimiter;
  /** Never rejects. */
  close(): Promise<void>;
}

/** Connects to Redis. One that cannot be reached is no error: it is tried again, and each node admits its share meanwhile. Never rejects. */
export async function openRedisRate(options: {
  readonly url: string;
  /** Names this process, and no other: its threads share buckets and are one node. */
  readonly node: string;
  readonly clock: Clock;
  readonly log: Log;
}): Promise<RedisRate> {
  const { node, clock, log } = options;
  const link = new RedisLink(options);
  const heart = new RedisHeart({ link, clock, log, node, waitMs: WAIT_MS });
  await link.open();
  // The first answers come late in a process that is still starting.
  for (let attempt = 0; attempt < FIRST_BEATS && !heart.isWell; attempt++) {
    await heart.beat();
  }
  if (heart.isWell) {
    // The same for the first take, of a bucket that no account has.
    await link.run(bucketScript, bucketKey(node), ["1", "1", "1"]).catch((error: unknown) => heart.failed(error));
  } else {
    heart.failed(new Error(`Redis takes more than ${WAIT_MS} ms.`));
  }
  return {
    share: (own) => new RedisBuckets({ own, link, heart, clock, waitMs: WAIT_MS }),
    async close() {
      await heart.stop();
      link.close();
    },
  };
}
