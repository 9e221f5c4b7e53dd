// How often something may be tried: a bucket for each who tries, refilled at an even pace. The state of one is the time at which it is
// full again.

import { Failure } from "../../problem/failure.ts";
import type { Problem } from "../../problem/problem.ts";
import type { Clock } from "../../runtime/clock.ts";
import { LruMap } from "../../runtime/lru-map.ts";

// Of more who try at the same time, those who have rested longest begin anew.
const TRIERS_MAX = 20_000;

/** A pace. */
export interface RateLimit {
  /** How many tries may come at once. */
  readonly burst: number;
  /** How long one more takes to be allowed, in milliseconds. */
  readonly everyMs: number;
}

/** Holds tries to a pace. */
export class Throttle {
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #pace: RateLimit;
  readonly #fullAtMs = new LruMap<string, number>(TRIERS_MAX);

  constructor(clock: Pick<Clock, "monotonicMs">, pace: RateLimit) {
    this.#clock = clock;
    this.#pace = pace;
  }

  /** Takes one try of `who`. Answers 0 where it was there, else how long it takes until it is, in milliseconds. */
  take(who: string): number {
    return takeAll([[this, who]]);
  }

  /** How long it takes until `who` may try, in milliseconds; 0 when they may now. */
  waitMs(who: string): number {
    const { burst, everyMs } = this.#pace;
    return Math.max(0, this.#aheadMs(who) - (burst - 1) * everyMs);
  }

  /** Counts one try. */
  count(who: string): void {
    this.#fullAtMs.set(who, this.#clock.monotonicMs() + this.#aheadMs(who) + this.#pace.everyMs);
  }

  /** Takes back one try that was counted. */
  giveBack(who: string): void {
    this.#fullAtMs.set(who, this.#clock.monotonicMs() + this.#aheadMs(who) - this.#pace.everyMs);
  }

  /** How many tries `who` is ahead of the pace; 0 for whoever has rested. */
  ahead(who: string): number {
    return this.#aheadMs(who) / this.#pace.everyMs;
  }

  // How far the tries are ahead of the pace.
  #aheadMs(who: string): number {
    const now = this.#clock.monotonicMs();
    return Math.max(0, (this.#fullAtMs.get(who) ?? now) - now);
  }
}

/** One try: what holds it to a pace, and who makes it. */
export type Try = readonly [Throttle, who: string];

/** Takes one try that counts for several, or none: a try that one of them forbids costs nothing with the others. Answers as `take` does. */
export function takeAll(tries: readonly Try[]): number {
  const waitMs = Math.max(0, ...tries.map(([throttle, who]) => throttle.waitMs(who)));
  if (waitMs === 0) {
    for (const [throttle, who] of tries) {
      throttle.count(who);
    }
  }
  return waitMs;
}

/** Refuses a try that has to wait, in the words of `refusal`; lets one pass that need not. */
export function throwIfLimited(waitMs: number, refusal: (waitMs: number) => Problem): void {
  if (waitMs > 0) {
    throw new Failure(refusal(waitMs));
  }
}
