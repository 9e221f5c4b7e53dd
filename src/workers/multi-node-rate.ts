// How several nodes keep to a rate together: they count each second in one Redis, or each admits its share.

import type { RateLimiter, SharedBuckets } from "../guard/rate/bucket.ts";
import { DividedBuckets } from "../guard/rate/divided-buckets.ts";
import type { RedisRateOptions } from "../guard/rate/redis/open-redis-rate.ts";
import type { Config } from "../server-config.ts";

/** A rate that several nodes keep to together. */
export interface MultiNodeRate {
  /** Makes, out of this node's own buckets, the limiter that it admits by. */
  share(own: SharedBuckets): RateLimiter;
  /** Never rejects. */
  close(): Promise<void>;
}

/** Opens the rate that this node keeps with others. Undefined where this node is the only one, because its database is a file. */
export async function openMultiNodeRate(
  { redisUrl: url, database }: Config,
  options: Omit<RedisRateOptions, "url">,
): Promise<MultiNodeRate | undefined> {
  if (url !== undefined) {
    // The client takes 0.2 s to load, which a server without Redis need not wait for.
    const { openRedisRate } = await import("../guard/rate/redis/open-redis-rate.ts");
    return openRedisRate({ url, ...options });
  }
  return database && { share: (own) => new DividedBuckets({ ...options, own }), close: () => Promise.resolve() };
}
