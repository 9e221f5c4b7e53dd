// A timer for deadlines that move often and are rarely reached. It is not reset on every move: if it fires too early, its callback
// sets it again for the remaining time.
import type { Clock } from "./clock.ts";

const doNothing = (): void => {};

export class LazyTimer {
  readonly #clock: Clock;
  readonly #run: () => void;
  #atMs = Number.POSITIVE_INFINITY;
  #cancel = doNothing;

  /** `run` may be called too early. It then calls `fireBy` with the next deadline. */
  constructor(clock: Clock, run: () => void) {
    this.#clock = clock;
    this.#run = run;
  }

  /** Fires at this monotonic time at the latest. */
  fireBy(atMs: number): void {
    if (atMs < this.#atMs) {
      this.#cancel();
      this.#atMs = atMs;
      this.#cancel = this.#clock.after(Math.max(0, atMs - this.#clock.monotonicMs()), () => {
        this.#atMs = Number.POSITIVE_INFINITY;
        this.#run();
      });
    }
  }

  cancel(): void {
    this.#cancel();
    this.#atMs = Number.POSITIVE_INFINITY;
  }
}
