// Callers that wait for the same thing from the store, in the order of their coming: a bounded number of them, each for a bounded time, and
// none for a store that is known to be dead or silent.
import type { Clock } from "../clock.ts";
import type { StoreBreaker } from "./store-breaker.ts";

/** Bounds of a waiting room. */
export interface WaitingLimits {
  /** How long a caller waits. */
  readonly callerWaitMs: number;
  /** How many callers wait at once. */
  readonly waitersMax: number;
  /** How long a store may say nothing. */
  readonly storeSilenceMs: number;
}

/** Waiting callers. */
export class WaitingRoom<Answer> {
  readonly #clock: Clock;
  readonly #limits: WaitingLimits;
  readonly #breaker: Pick<StoreBreaker, "isOpen">;
  readonly #tooLate: Answer;
  readonly #waiters = new Set<(answer: Answer) => void>();

  /** `tooLate` is the answer for who has waited long enough, and for who comes when too many are waiting. */
  constructor(clock: Clock, limits: WaitingLimits, breaker: Pick<StoreBreaker, "isOpen">, tooLate: Answer) {
    this.#clock = clock;
    this.#limits = limits;
    this.#breaker = breaker;
    this.#tooLate = tooLate;
  }

  get size(): number {
    return this.#waiters.size;
  }

  /** Waits for an answer. Never rejects. */
  wait(): Promise<Answer> {
    const { callerWaitMs, waitersMax, storeSilenceMs } = this.#limits;
    if (this.#waiters.size >= waitersMax) {
      return Promise.resolve(this.#tooLate);
    }
    return new Promise((resolve) => {
      const waiter = (answer: Answer): void => {
        this.#waiters.delete(waiter);
        cancel();
        resolve(answer);
      };
      let leftMs = callerWaitMs;
      // In steps, after each of which the store may turn out to be silent.
      const step = (): (() => void) => {
        const stepMs = Math.min(leftMs, storeSilenceMs);
        leftMs -= stepMs;
        return this.#clock.after(stepMs, () => {
          if (leftMs <= 0 || this.#breaker.isOpen) {
            // Where this process stood still for a while, the answer may have come and is read in this turn of the loop.
            setImmediate(() => waiter(this.#tooLate));
          } else {
            cancel = step();
          }
        });
      };
      let cancel = step();
      this.#waiters.add(waiter);
    });
  }

  /** Answers the one who has waited longest. */
  answerFirst(answer: Answer): void {
    for (const waiter of this.#waiters) {
      waiter(answer);
      return;
    }
  }

  answerAll(answer: Answer): void {
    for (const waiter of [...this.#waiters]) {
      waiter(answer);
    }
  }
}
