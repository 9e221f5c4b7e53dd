// Estimates how long most calls took, from their counts in buckets of durations.
/**
 * The time in milliseconds within which the given share of the calls (0 to 1) ended, assuming that the calls in a bucket are spread evenly
 * over it. Undefined if there are no calls. `boundsMs` are the buckets' upper bounds; the last bucket has none.
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
