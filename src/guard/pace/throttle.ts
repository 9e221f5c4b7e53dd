// Limits how often something may be tried: a token bucket for each caller. Its whole state is the time at which it is full again.

import { Failure } from "../../problem/failure.ts";
import type { Problem } from "../../problem/problem.ts";
import type { Clock } from "../../runtime/clock.ts";
import { LruMap } from "../../runtime/lru-map.ts";

// With more callers than this, those who have not tried for longest are forgotten.
const CALLERS_MAX = 20_000;

/** A rate limit. */
export interface RateLimit {
  /** How many tries may come at once. */
  readonly burst: number;
  /** How long one more takes to be allowed, in milliseconds. */
  readonly everyMs: number;
}

/** Limits the tries of each caller. */
export class Throttle {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #limit: RateLimit;
  readonly #fullAtMs = new LruMap<string, number>(CALLERS_MAX);

  constructor(clock: Pick<Clock, "monotonicMs">, limit: RateLimit) {
    this.#clock = clock;
    this.#limit = limit;
  }

  /** Takes one try of `who`. Returns 0 when it was allowed, or else after how many milliseconds it will be. */
  take(who: string): number {
    return takeAll([[this, who]]);
  }

  /** How long it takes until `who` may try, in milliseconds; 0 when they may now. */
  waitMs(who: string): number {
    const { burst, everyMs } = this.#limit;
    return Math.max(0, this.#aheadMs(who) - (burst - 1) * everyMs);
  }

  /** Counts one try. */
  count(who: string): void {
    this.#fullAtMs.set(who, this.#clock.monotonicMs() + this.#aheadMs(who) + this.#limit.everyMs);
  }

  /** Takes back one try that was counted. */
  giveBack(who: string): void {
    this.#fullAtMs.set(who, this.#clock.monotonicMs() + this.#aheadMs(who) - this.#limit.everyMs);
  }

  /** How many tries `who` is ahead of the even rate; 0 after a rest. */
  ahead(who: string): number {
    return this.#aheadMs(who) / this.#limit.everyMs;
  }

  // How far the tries are ahead of the even rate, in milliseconds.
  #aheadMs(who: string): number {
    const now = this.#clock.monotonicMs();
    return Math.max(0, (this.#fullAtMs.get(who) ?? now) - now);
  }
}

/** One try: what limits it, and who makes it. */
export type Try = readonly [Throttle, who: string];

/** Takes one try that counts with several throttles, or with none: a try that one of them refuses costs nothing with the others. Returns as `take` does. */
export function takeAll(tries: readonly Try[]): number {
  const waitMs = Math.max(0, ...tries.map(([throttle, who]) => throttle.waitMs(who)));
  if (waitMs === 0) {
    for (const [throttle, who] of tries) {
      throttle.count(who);
    }
  }
  return waitMs;
}

/** Throws a Failure with `refusal` when a try has to wait. */
export function throwIfLimited(waitMs: number, refusal: (waitMs: number) => Problem): void {
  if (waitMs > 0) {
    throw new Failure(refusal(waitMs));
  }
}
