// Limits frames that do not serve a request: resets, pings, settings, empty and unknown frames. Each costs us more than its sender:
// https://www.rfc-editor.org/rfc/rfc9113#section-10.5
import type { Clock } from "../../runtime/clock.ts";
import { aheadAt, type BucketSize, bucketSize, countTokens, REFUSED, takeTokens } from "../../runtime/token-bucket.ts";

const NANOSECONDS_PER_MS = 1_000_000;
const NANOSECONDS_PER_SECOND = 1_000_000_000;

/** A token bucket: how many frames may arrive in a burst, and how many per second over time. */
export class FrameBudget {
  readonly #clock: Clock;
  /** In nanoseconds. */
  readonly #size: BucketSize;
  // As of `#countedAtMs`.
  #ahead = 0;
  #countedAtMs: number;

  constructor(clock: Clock, burst: number, perSecond: number) {
    this.#clock = clock;
    this.#size = bucketSize(perSecond, NANOSECONDS_PER_SECOND, burst);
    this.#countedAtMs = clock.monotonicMs();
  }

  /** Counts a frame. Returns false, and does not count it, if there have been too many. */
  spend(): boolean {
    return this.#take() || this.#takeLater();
  }

  /** Allows this many more frames, because the peer has made useful progress. */
  refill(count: number): void {
    this.#ahead = countTokens(this.#ahead, -count, this.#size);
  }

  // The clock is read only once the burst is spent.
  #takeLater(): boolean {
    const nowMs = this.#clock.monotonicMs();
    this.#ahead = aheadAt(this.#ahead, Math.round((nowMs - this.#countedAtMs) * NANOSECONDS_PER_MS));
    this.#countedAtMs = nowMs;
    return this.#take();
  }

  #take(): boolean {
    const after = takeTokens(this.#ahead, 1, this.#size);
    if (after === REFUSED) {
      return false;
    }
    this.#ahead = after;
    return true;
  }
}
