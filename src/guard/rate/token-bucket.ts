// The arithmetic of a token bucket, by the generic cell rate algorithm. The whole state is one number: the time until the bucket will be full
// again. It is 0 for a full bucket, and the bucket's capacity for an empty one. In any span of time a bucket lets through at most the
// rate times the span, plus the tokens that it can hold. All times are whole numbers, in a unit that the caller chooses. The script that
// runs in Redis does the same in Lua, and is tested against this.
// https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm

/** How fast a bucket fills, and how much it holds. */
export interface BucketSize {
  /** The time in which one token comes. */
  readonly interval: number;
  /** The time in which an empty bucket fills up. */
  readonly capacity: number;
}

/** What `takeTokens` answers when the bucket holds too few. */
export const REFUSED = -1;

/** The bucket of a rate, which holds one second's worth, in steps of which `stepsPerSecond` are a second. */
export function bucketSize(requestsPerSecond: number, stepsPerSecond: number): BucketSize {
  // Rounded up: a rate that does not divide the second is kept under, by less than one step a request.
  const interval = Math.ceil(stepsPerSecond / requestsPerSecond);
  // A node's share of a small rate may be less than one request a second. Its bucket holds one.
  return { interval, capacity: Math.ceil(interval * Math.max(1, requestsPerSecond)) };
}

/** How far a bucket is ahead that was empty `elapsed` ago and has not been used since. */
export const aheadAfterEmpty = (elapsed: number, { capacity }: BucketSize): number => Math.max(0, Math.ceil(capacity - elapsed));

/**
 * Takes tokens, or puts some back where `tokens` is negative. Returns how far the bucket is ahead then; REFUSED where it holds too few. Putting
 * back is never refused, even where the bucket is further ahead than its capacity because its rate has changed.
 */
export function takeTokens(ahead: number, tokens: number, { interval, capacity }: BucketSize): number {
  const after = ahead + interval * tokens;
  return tokens > 0 && after > capacity ? REFUSED : Math.max(0, after);
}

/** Takes tokens that have been spent already and cannot be refused. A bucket that holds fewer is empty then; one that is further ahead stays so. */
export function spendTokens(ahead: number, tokens: number, size: BucketSize): number {
  const after = takeTokens(ahead, tokens, size);
  return after === REFUSED ? Math.max(ahead, size.capacity) : after;
}

/** The tokens in a bucket that is this far ahead. */
export const tokensLeft = (ahead: number, { interval, capacity }: BucketSize): number =>
  Math.max(0, Math.floor((capacity - ahead) / interval));

/** How long it takes until there is one more than that. */
export const untilNextToken = (ahead: number, size: BucketSize): number =>
  ahead - size.capacity + (tokensLeft(ahead, size) + 1) * size.interval;
