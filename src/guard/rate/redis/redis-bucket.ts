// What a thread knows about one bucket in Redis, which all nodes share.
import type { RateTake } from "../bucket.ts";
import { SPENT_RATE_MIN } from "./lease-rates.ts";
import { WaitingCalls } from "./waiting-calls.ts";

const MS_PER_SECOND = 1000;
// Less than 1 by more than the rounding error of sums of fractions.
const ALMOST_ONE = 1 - 1e-5;

export class RedisBucket {
  readonly slot: number;
  readonly name: string;
  readonly requestsPerSecond: number;
  readonly waiting = new WaitingCalls();
  /** Whether a request to Redis is on its way. */
  isRequestPending = false;
  /** When Redis may be sent another request, in milliseconds of the monotonic clock. */
  retryFromMs = 0;
  /** Whether, when Redis last responded, there may have been more tokens than it knew of. */
  isUncertain = false;
  /** How long the last wait was before Redis was asked again because it was uncertain; 0 if it no longer is, or has granted a token. */
  uncertainRetryMs = 0;
  /** The time before which there is no token. */
  refusedUntilMs = 0;
  /** When the bucket will be full by Redis's clock: at this time or later, never earlier. So it is noticed if Redis has lost the bucket. */
  fullAtMicros = 0;
  /** How many tokens had been taken from its leases when that number last changed, and when it changed. */
  taken = 0;
  takenAtMs = 0;
  // An estimate, because other nodes take tokens too.
  #left: number;
  #leftAtMs = 0;

  constructor(slot: number, requestsPerSecond: number, name: string) {
    this.slot = slot;
    this.name = name;
    this.requestsPerSecond = requestsPerSecond;
    this.#left = this.capacity;
  }

  get capacity(): number {
    return Math.max(1, this.requestsPerSecond);
  }

  /** Whether calls take tokens from its lease even while Redis responds. */
  get isLeaseSpent(): boolean {
    return this.requestsPerSecond >= SPENT_RATE_MIN;
  }

  /** Sets how many tokens are left according to Redis, including a fraction. */
  setLeft(tokens: number, nowMs: number): void {
    this.#left = tokens;
    this.#leftAtMs = nowMs;
  }

  /** Whether more than half of its tokens are left, as far as this node knows. */
  isMostlyFull(nowMs: number): boolean {
    return this.#leftNow(nowMs) > this.capacity / 2;
  }

  /** Takes a token without reporting it to Redis yet. */
  takeOne(nowMs: number): RateTake {
    this.setLeft(Math.max(0, this.#leftNow(nowMs) - 1), nowMs);
    return this.takeOf(true, this.#left);
  }

  /** The result for a call when `left` tokens are left, including a fraction. */
  takeOf(taken: boolean, left: number): RateTake {
    const remaining = Math.floor(left + 1e-6);
    const nextMs = ((remaining + 1 - left) * MS_PER_SECOND) / this.requestsPerSecond;
    return { taken, remaining, nextMs, shared: true };
  }

  /** The result for a call that finds no token. */
  refused(nowMs: number): RateTake {
    return this.takeOf(false, Math.min(this.#leftNow(nowMs), ALMOST_ONE));
  }

  #leftNow(nowMs: number): number {
    return Math.min(this.capacity, this.#left + ((nowMs - this.#leftAtMs) * this.requestsPerSecond) / MS_PER_SECOND);
  }
}
