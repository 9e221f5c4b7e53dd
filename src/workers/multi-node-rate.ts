// How several servers share a rate limit: they count each rate in one Redis, or each admits its share.
import { DividedBuckets } from "../guard/rate/bucket.ts";
import type { RedisRate, RedisRateOptions } from "../guard/rate/redis/redis-buckets.ts";
import type { Config } from "../server-config.ts";

/** Opens the rate limit that this server shares with others. Undefined if it is the only one, because its database is a file. */
export async function openMultiNodeRate(
  { redisUrl: url, database }: Config,
  options: Omit<RedisRateOptions, "url">,
): Promise<RedisRate | undefined> {
  if (url !== undefined) {
    // The client takes 0.2 s to load, which a server without Redis need not wait for.
    const { openRedisRate } = await import("../guard/rate/redis/redis-buckets.ts");
    return openRedisRate({ url, ...options });
  }
  return database && { share: (own) => new DividedBuckets(own, options.nodesAlive, options.clock), close: () => Promise.resolve() };
}
