// Limits how often something may be attempted: a token bucket for each caller. Its whole state is the time at which it is full again.
import type { Clock } from "./clock.ts";
import { LruMap } from "./lru-map.ts";
import { aheadAt, type BucketSize, countTokens, tokensAhead, untilOneToken } from "./token-bucket.ts";

// If there are more callers than this, the ones whose last attempt is oldest are evicted.
const CALLERS_MAX = 20_000;

export interface RateLimit {
  /** The largest burst of attempts. */
  readonly burst: number;
  /** The time until one more is allowed, in milliseconds. */
  readonly everyMs: number;
}

/** Limits the attempts of each caller. */
export class Throttle {
  readonly #clock: Pick<Clock, "monotonicMs">;
  /** In milliseconds. */
  readonly #size: BucketSize;
  readonly #fullAtMs = new LruMap<string, number>(CALLERS_MAX);

  constructor(clock: Pick<Clock, "monotonicMs">, { burst, everyMs }: RateLimit) {
    this.#clock = clock;
    this.#size = { interval: everyMs, capacity: everyMs * burst };
  }

  /** Takes one attempt for `who`. Returns 0 if it is allowed, otherwise the milliseconds until it will be. */
  take(who: string): number {
    return takeAll([[this, who]]);
  }

  /** The time until `who` may try, in milliseconds; 0 if they may now. */
  waitMs(who: string): number {
    return untilOneToken(this.#aheadMs(who), this.#size);
  }

  count(who: string): void {
    this.#add(who, 1);
  }

  /** Refunds one attempt that was counted. */
  refund(who: string): void {
    this.#add(who, -1);
  }

  /** How many attempts `who` is above the steady rate; 0 after a pause. */
  ahead(who: string): number {
    return tokensAhead(this.#aheadMs(who), this.#size);
  }

  #add(who: string, attempts: number): void {
    this.#fullAtMs.set(who, this.#clock.monotonicMs() + countTokens(this.#aheadMs(who), attempts, this.#size));
  }

  // How far the attempts are ahead of the steady rate, in milliseconds.
  #aheadMs(who: string): number {
    return aheadAt(this.#fullAtMs.get(who) ?? 0, this.#clock.monotonicMs());
  }
}

/** One attempt: what limits it, and who makes it. */
export type Attempt = readonly [Throttle, who: string];

/**
 * Takes one attempt from several throttles, or from none: if one of them refuses it, it costs nothing in the others. Returns as `take`
 * does.
 */
export function takeAll(attempts: readonly Attempt[]): number {
  const waitMs = Math.max(0, ...attempts.map(([throttle, who]) => throttle.waitMs(who)));
  if (waitMs === 0) {
    for (const [throttle, who] of attempts) {
      throttle.count(who);
    }
  }
  return waitMs;
}
