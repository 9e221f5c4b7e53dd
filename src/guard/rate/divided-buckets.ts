// The rate limit if several nodes share a database but no Redis: each node independently admits its share of the plan's rate.
import type { Clock } from "../../runtime/clock.ts";
import type { RateLimiter, RateTake, SharedBuckets } from "./bucket.ts";
import { RateShare } from "./rate-share.ts";

interface DividedBucketsOptions {
  readonly own: SharedBuckets;
  /** How many nodes there are, including this one. */
  readonly nodesAlive: () => number;
  readonly clock: Clock;
}

/** Buckets for this node's share of each rate. */
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

  refund(slot: number, requestsPerSecond: number): void {
    this.#share.refund(slot, requestsPerSecond, this.#options.clock.monotonicMs());
  }

  fullForMs(slot: number, nowMs: number): number {
    return this.#options.own.fullForMs(slot, nowMs);
  }
}
