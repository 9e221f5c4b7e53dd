// How several nodes share a rate limit: they count each second in one Redis, or each admits its share.
import type { RateLimiter, SharedBuckets } from "../guard/rate/bucket.ts";
import { DividedBuckets } from "../guard/rate/divided-buckets.ts";
import type { RedisRateOptions } from "../guard/rate/redis/open-redis-rate.ts";
import type { Config } from "../server-config.ts";

/** A rate limit that several nodes share. */
export interface MultiNodeRate {
  /** Creates the limiter from this node's own buckets. */
  share(own: SharedBuckets): RateLimiter;
  /** Never rejects. */
  close(): Promise<void>;
}

/** Opens the rate limit that this node shares with others. Undefined if this node is the only one, because its database is a file. */
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
