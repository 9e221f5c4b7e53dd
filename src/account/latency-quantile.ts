// Estimates from counts in buckets how long most calls took.
/**
 * The time that a share of the calls, from 0 to 1, took at most, in milliseconds: as if the calls of a bucket were spread evenly over it.
 * Undefined if there are none. `boundsMs` are the buckets' upper bounds; the last bucket has none.
 */
export function latencyQuantileMs(latency: readonly number[], boundsMs: readonly number[], share: number): number | undefined {
  const total = latency.reduce((sum, count) => sum + count, 0);
  let before = 0;
  for (const [bucket, count] of latency.entries()) {
    if (count > 0 && before + count >= share * total) {
      const from = boundsMs[bucket - 1] ?? 0;
      const to = boundsMs[bucket] ?? from;
      return Math.round((from + ((to - from) * (share * total - before)) / count) * 10) / 10;
    }
    before += count;
  }
  return undefined;
}
