// How much a peer may ask for that serves nobody: resets, pings, settings, empty and unknown frames. Each costs us more than it costs its
// sender: https://www.rfc-editor.org/rfc/rfc9113#section-10.5
import type { Clock } from "../../runtime/clock.ts";

/** A number of things that may come at once, and each second for long. */
export class FrameBudget {
  readonly #clock: Clock;
  readonly #burst: number;
  readonly #perSecond: number;
  #left: number;
  #countedAtMs: number;

  constructor(clock: Clock, burst: number, perSecond: number) {
    this.#clock = clock;
    this.#burst = burst;
    this.#perSecond = perSecond;
    this.#left = burst;
    this.#countedAtMs = clock.monotonicMs();
  }

  /** Counts one; false where that is one too many. */
  spend(): boolean {
    this.#left -= 1;
    return this.#left >= 0 || this.#regain();
  }

  /** Something useful was done with the peer, which allows for this many more. False where what was counted is still too much. */
  earn(count: number): boolean {
    this.#left = Math.min(this.#burst, this.#left + count);
    return this.#left >= 0;
  }

  // Time is looked at only where the burst is spent.
  #regain(): boolean {
    const nowMs = this.#clock.monotonicMs();
    this.#left += ((nowMs - this.#countedAtMs) / 1000) * this.#perSecond;
    this.#left = Math.min(this.#left, this.#burst);
    this.#countedAtMs = nowMs;
    return this.#left >= 0;
  }
}
