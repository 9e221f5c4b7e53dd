// The arithmetic of a token bucket, by the generic cell rate algorithm. The whole state is one number, how far the bucket is
// ahead: the time until it will be full again. It is 0 for a full bucket, and the capacity for an empty one. In any span of time a
// bucket lets through at most the rate times the span, plus the tokens that it can hold. The caller chooses the unit of time; with
// whole numbers, the arithmetic is exact.
// https://en.wikipedia.org/wiki/Generic_cell_rate_algorithm

/** How fast a bucket fills, and how much it holds. */
export interface BucketSize {
  /** The time in which one token is added. */
  readonly interval: number;
  /** The time in which an empty bucket fills up. */
  readonly capacity: number;
}

/** Returned when a bucket holds too few tokens. */
export const REFUSED = -1;

/**
 * The size of a bucket that fills at a rate, with `stepsPerSecond` steps of time in a second. It holds `tokensMax` tokens, by
 * default one second's worth, and never less than one: a node's share of a small rate may be less than one request per second.
 */
export function bucketSize(tokensPerSecond: number, stepsPerSecond: number, tokensMax = Math.max(1, tokensPerSecond)): BucketSize {
  // Rounded up, so if the rate does not divide the second evenly, the bucket is slower by less than one step per token.
  const interval = Math.ceil(stepsPerSecond / tokensPerSecond);
  return { interval, capacity: Math.ceil(interval * tokensMax) };
}

/** How far ahead a bucket is if it will be full at `fullAt`. */
export const aheadAt = (fullAt: number, now: number): number => Math.max(0, fullAt - now);

/** How far ahead a bucket is if it was empty `elapsed` ago and has not been used since. */
export const aheadAfterEmpty = (elapsed: number, { capacity }: BucketSize): number => Math.max(0, Math.ceil(capacity - elapsed));

/**
 * Counts tokens without a limit, or refunds some if `tokens` is negative. Returns how far the bucket is ahead afterwards, perhaps
 * beyond its capacity.
 */
export const countTokens = (ahead: number, tokens: number, { interval }: Pick<BucketSize, "interval">): number =>
  Math.max(0, ahead + interval * tokens);

/**
 * Takes tokens, or refunds some if `tokens` is negative. Returns how far the bucket is ahead afterwards, or REFUSED if it holds too
 * few. Refunds are never refused, even if the bucket is ahead beyond its capacity because its rate has changed.
 */
export function takeTokens(ahead: number, tokens: number, size: BucketSize): number {
  const after = countTokens(ahead, tokens, size);
  return tokens > 0 && after > size.capacity ? REFUSED : after;
}

/** The tokens in a bucket that is this far ahead. */
export const tokensLeft = (ahead: number, { interval, capacity }: BucketSize): number =>
  Math.max(0, Math.floor((capacity - ahead) / interval));

/** How long until the bucket holds one more token. */
export const untilNextToken = (ahead: number, size: BucketSize): number =>
  ahead - size.capacity + (tokensLeft(ahead, size) + 1) * size.interval;

/** How long until the bucket holds a token; 0 if it does already. */
export const untilOneToken = (ahead: number, { interval, capacity }: BucketSize): number =>
  Math.max(0, ahead - (capacity - interval));

/** How many tokens a bucket is short of being full, including fractions. */
export const tokensAhead = (ahead: number, { interval }: Pick<BucketSize, "interval">): number => ahead / interval;
