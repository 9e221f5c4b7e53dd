// The rate limit: a token bucket that fills at the plan's rate. Its whole state is one number, the time at which the bucket will be full
// again, so threads can share it with compare-and-swap.

import { aheadAfterEmpty, aheadAt, type BucketSize, bucketSize, countTokens, tokensLeft, untilNextToken } from "@quintet/guard";
import type { Clock } from "../../runtime/clock.ts";
import { bucketWord, numberOf, type SlotWords, wordOf } from "../memory/slots.ts";

const NANOSECONDS_PER_MS = 1_000_000;
const NANOSECONDS_PER_SECOND = 1_000_000_000;

/** How much a bucket may lack after requests that were not refused although it had no token, in seconds of its rate. */
export const DEBT_SECONDS_MAX = 10;

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

/** A token that a call must wait for. */
export interface LaterTake extends RateTake {
  /** How long until the token is there, in milliseconds. Left out if it is there now. */
  readonly waitMs?: number;
}

/** Limits requests per second. A bucket has a slot in this process, and a name that is the same on every node. */
export interface RateLimiter {
  /** Takes a token, if there is one, for a request at `nowMs` of the monotonic clock. Never rejects. */
  take(slot: number, requestsPerSecond: number, nowMs: number, name: string): RateTake | Promise<RateTake>;
  /** Refunds a token that was taken for a request that is refused after all. */
  refund(slot: number, requestsPerSecond: number, name: string, take: RateTake): void;
  /** Takes tokens even if there are too few, up to ten seconds' worth, for requests that an admitted one has caused. */
  charge(slot: number, requestsPerSecond: number, nowMs: number, name: string, tokens: number): void;
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

  /**
   * Takes a token from a bucket that is treated as empty at `emptyAtMs`, whatever was in it before. If it has none, takes one that it will
   * have within `waitMaxMs`.
   */
  takeSince(slot: number, requestsPerSecond: number, nowMs: number, emptyAtMs: number, waitMaxMs = 0): LaterTake {
    const word = bucketWord(slot);
    const size = bucketSize(requestsPerSecond, NANOSECONDS_PER_SECOND);
    const now = Math.round(nowMs * NANOSECONDS_PER_MS);
    const aheadMin = aheadAfterEmpty((nowMs - emptyAtMs) * NANOSECONDS_PER_MS, size);
    for (;;) {
      const seen = Atomics.load(this.words, word);
      const ahead = Math.max(aheadAt(numberOf(seen), now), aheadMin);
      const after = countTokens(ahead, 1, size);
      const waitMs = Math.max(0, after - size.capacity) / NANOSECONDS_PER_MS;
      if (waitMs > waitMaxMs) {
        return takeAt(false, ahead, size);
      }
      if (Atomics.compareExchange(this.words, word, seen, wordOf(now + after)) === seen) {
        return waitMs > 0 ? { ...takeAt(true, after, size), waitMs } : takeAt(true, after, size);
      }
    }
  }

  refund(slot: number, requestsPerSecond: number): void {
    Atomics.sub(this.words, bucketWord(slot), wordOf(bucketSize(requestsPerSecond, NANOSECONDS_PER_SECOND).interval));
  }

  charge(slot: number, requestsPerSecond: number, nowMs: number, _name: string, tokens: number): void {
    const { interval, capacity } = bucketSize(requestsPerSecond, NANOSECONDS_PER_SECOND);
    const now = Math.round(nowMs * NANOSECONDS_PER_MS);
    const word = bucketWord(slot);
    for (;;) {
      const seen = Atomics.load(this.words, word);
      const after = Math.min(
        capacity + DEBT_SECONDS_MAX * NANOSECONDS_PER_SECOND,
        aheadAt(numberOf(seen), now) + interval * tokens,
      );
      if (Atomics.compareExchange(this.words, word, seen, wordOf(now + after)) === seen) {
        return;
      }
    }
  }

  /** Marks the bucket as in use at `nowMs`. Called for requests whose tokens come from Redis. */
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

/** Several servers on one database without Redis: each admits its share of each rate, from buckets that are empty at first. */
export class DividedBuckets implements RateLimiter {
  readonly #own: SharedBuckets;
  readonly #nodes: () => number;
  readonly #startedMs: number;

  /** `nodes`: how many servers there are, including this one. */
  constructor(own: SharedBuckets, nodes: () => number, clock: Pick<Clock, "monotonicMs">) {
    this.#own = own;
    this.#nodes = nodes;
    this.#startedMs = clock.monotonicMs();
  }

  take(slot: number, requestsPerSecond: number, nowMs: number): RateTake {
    return this.#own.takeSince(slot, requestsPerSecond / this.#nodes(), nowMs, this.#startedMs);
  }

  refund(slot: number, requestsPerSecond: number): void {
    this.#own.refund(slot, requestsPerSecond / this.#nodes());
  }

  charge(slot: number, requestsPerSecond: number, nowMs: number, name: string, tokens: number): void {
    this.#own.charge(slot, requestsPerSecond / this.#nodes(), nowMs, name, tokens);
  }

  fullForMs(slot: number, nowMs: number): number {
    return this.#own.fullForMs(slot, nowMs);
  }
}

const takeAt = (taken: boolean, ahead: number, size: BucketSize): RateTake => ({
  taken,
  remaining: tokensLeft(ahead, size),
  nextMs: untilNextToken(ahead, size) / NANOSECONDS_PER_MS,
});
