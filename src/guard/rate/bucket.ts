// The rate limit: a token bucket that fills at the plan's rate. Its whole state is one number, the time at which the bucket will be full
// again, so threads can share it with compare-and-swap.
import {
  aheadAfterEmpty,
  aheadAt,
  type BucketSize,
  bucketSize,
  REFUSED,
  takeTokens,
  tokensLeft,
  untilNextToken,
} from "../../runtime/token-bucket.ts";
import { bucketWord, type SlotWords } from "../memory/slots.ts";
import { numberOf, wordOf } from "../memory/words.ts";

const NANOSECONDS_PER_MS = 1_000_000;
const NANOSECONDS_PER_SECOND = 1_000_000_000;

/** What the rate limit decided about a request. */
export interface RateTake {
  /** Whether there was a token. If so, it has been taken. */
  readonly taken: boolean;
  /** Tokens left. */
  readonly remaining: number;
  /** Milliseconds until there is another token. */
  readonly nextMs: number;
  /** Whether all nodes share the bucket. */
  readonly shared?: true;
  /** Whether there was no token only because it is unknown how many the other nodes use, so the refusal is not the caller's fault. */
  readonly unavailable?: true;
}

/** Limits requests per second. A bucket has a slot in this process, and a name that is the same on every node. */
export interface RateLimiter {
  /** Takes a token, if there is one, for a request at `nowMs` of the monotonic clock. Never rejects. */
  take(slot: number, requestsPerSecond: number, nowMs: number, name: string): RateTake | Promise<RateTake>;
  /** Refunds a token that was taken for a request that is refused after all. */
  refund(slot: number, requestsPerSecond: number, name: string, take: RateTake): void;
  /** How long the bucket has been full, in milliseconds; negative while it is not. */
  fullForMs(slot: number, nowMs: number): number;
}

/** Buckets in memory that all threads of the process share. */
export class SharedBuckets implements RateLimiter {
  /** The words of all slots. */
  readonly words: SlotWords;

  constructor(words: SlotWords) {
    this.words = words;
  }

  take(slot: number, requestsPerSecond: number, nowMs: number): RateTake {
    return this.takeSince(slot, requestsPerSecond, nowMs, Number.NEGATIVE_INFINITY);
  }

  /** Takes a token from a bucket that is treated as empty at `emptyAtMs`, whatever was in it before. */
  takeSince(slot: number, requestsPerSecond: number, nowMs: number, emptyAtMs: number): RateTake {
    const word = bucketWord(slot);
    const size = bucketSize(requestsPerSecond, NANOSECONDS_PER_SECOND);
    const now = Math.round(nowMs * NANOSECONDS_PER_MS);
    const aheadMin = aheadAfterEmpty((nowMs - emptyAtMs) * NANOSECONDS_PER_MS, size);
    for (;;) {
      const seen = Atomics.load(this.words, word);
      const ahead = Math.max(aheadAt(numberOf(seen), now), aheadMin);
      const after = takeTokens(ahead, 1, size);
      if (after === REFUSED) {
        return takeAt(false, ahead, size);
      }
      if (Atomics.compareExchange(this.words, word, seen, wordOf(now + after)) === seen) {
        return takeAt(true, after, size);
      }
    }
  }

  refund(slot: number, requestsPerSecond: number): void {
    Atomics.sub(this.words, bucketWord(slot), wordOf(bucketSize(requestsPerSecond, NANOSECONDS_PER_SECOND).interval));
  }

  /** Marks the bucket as in use at `nowMs`. Called for requests whose tokens come from Redis or from a lease. */
  touch(slot: number, nowMs: number): void {
    const word = bucketWord(slot);
    const now = wordOf(Math.round(nowMs * NANOSECONDS_PER_MS));
    const seen = Atomics.load(this.words, word);
    if (seen < now) {
      // If this fails, another thread has just written the same or a later time.
      Atomics.compareExchange(this.words, word, seen, now);
    }
  }

  fullForMs(slot: number, nowMs: number): number {
    return nowMs - numberOf(Atomics.load(this.words, bucketWord(slot))) / NANOSECONDS_PER_MS;
  }
}

const takeAt = (taken: boolean, ahead: number, size: BucketSize): RateTake => ({
  taken,
  remaining: tokensLeft(ahead, size),
  nextMs: untilNextToken(ahead, size) / NANOSECONDS_PER_MS,
});
