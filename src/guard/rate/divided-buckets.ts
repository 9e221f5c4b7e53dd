// This second's limit where several nodes share a database and no Redis: each admits its share of the plan's rate by itself.
import type { Clock } from "../../runtime/clock.ts";
import type { RateLimiter, RateTake, SharedBuckets } from "./bucket.ts";
import { RateShare } from "./rate-share.ts";

/** What the buckets are made from. */
export interface DividedBucketsOptions {
  readonly own: SharedBuckets;
  /** How many nodes there are, this one included. */
  readonly nodesAlive: () => number;
  readonly clock: Clock;
}

/** Buckets that hold a node's share. */
export class DividedBuckets implements RateLimiter {
  readonly #options: DividedBucketsOptions;
  readonly #share: RateShare;

  constructor(options: DividedBucketsOptions) {
    this.#options = options;
    this.#share = new RateShare({ own: options.own, nodes: options.nodesAlive });
    this.#share.begin(options.clock.monotonicMs());
  }

  take(slot: number, requestsPerSecond: number, nowMs: number): RateTake {
    return this.#share.take(slot, requestsPerSecond, nowMs);
  }

  putBack(slot: number, requestsPerSecond: number): void {
    this.#share.putBack(slot, requestsPerSecond, this.#options.clock.monotonicMs());
  }

  restedMs(slot: number, nowMs: number): number {
    return this.#options.own.restedMs(slot, nowMs);
  }
}
