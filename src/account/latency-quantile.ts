// Estimates from counts in buckets how long most calls took.
import { LATENCY_BOUNDS_MS } from "../store/health-records.ts";

/**
 * The time that a share of the calls, from 0 to 1, took at most, in milliseconds: as if the calls of a bucket were spread evenly over it.
 * Undefined if there are none.
 */
export function latencyQuantileMs(latency: readonly number[], share: number): number | undefined {
  const total = latency.reduce((sum, count) => sum + count, 0);
  let before = 0;
  for (const [bucket, count] of latency.entries()) {
    if (count > 0 && before + count >= share * total) {
      const from = LATENCY_BOUNDS_MS[bucket - 1] ?? 0;
      const to = LATENCY_BOUNDS_MS[bucket] ?? from;
      return Math.round((from + ((to - from) * (share * total - before)) / count) * 10) / 10;
    }
    before += count;
  }
  return undefined;
}
