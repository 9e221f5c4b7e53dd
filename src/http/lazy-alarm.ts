// A timer for deadlines that move all the time and are seldom reached. It is not set anew with each move: when it comes too early, whoever
// it wakes sets it again for what is left.
import type { Clock } from "../runtime/clock.ts";

const doNothing = (): void => {};

/** One timer. */
export class LazyAlarm {
  readonly #clock: Clock;
  readonly #run: () => void;
  #atMs = Number.POSITIVE_INFINITY;
  #cancel = doNothing;

  /** `run` may be called earlier than it has to be, and says by `wakeBy` when it has to be next. */
  constructor(clock: Clock, run: () => void) {
    this.#clock = clock;
    this.#run = run;
  }

  /** Wakes at this moment of the monotonic clock at the latest. */
  wakeBy(atMs: number): void {
    if (atMs < this.#atMs) {
      this.#cancel();
      this.#atMs = atMs;
      this.#cancel = this.#clock.after(Math.max(0, atMs - this.#clock.monotonicMs()), () => {
        this.#atMs = Number.POSITIVE_INFINITY;
        this.#run();
      });
    }
  }

  /** Does not wake any more. */
  cancel(): void {
    this.#cancel();
    this.#atMs = Number.POSITIVE_INFINITY;
  }
}
