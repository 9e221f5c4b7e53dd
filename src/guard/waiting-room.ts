// Callers that wait for the same thing, in the order of their coming: a bounded number of them, each for a bounded time.
import type { Clock } from "../clock.ts";

/** Waiting callers. */
export class WaitingRoom<Answer> {
  readonly #clock: Clock;
  readonly #waitMs: number;
  readonly #waitersMax: number;
  readonly #tooLate: Answer;
  readonly #waiters = new Set<(answer: Answer) => void>();

  /** `tooLate` is the answer for who has waited `waitMs`, and for who comes when `waitersMax` are waiting. */
  constructor(clock: Clock, waitMs: number, waitersMax: number, tooLate: Answer) {
    this.#clock = clock;
    this.#waitMs = waitMs;
    this.#waitersMax = waitersMax;
    this.#tooLate = tooLate;
  }

  get size(): number {
    return this.#waiters.size;
  }

  /** Waits for an answer. Never rejects. */
  wait(): Promise<Answer> {
    if (this.#waiters.size >= this.#waitersMax) {
      return Promise.resolve(this.#tooLate);
    }
    return new Promise((resolve) => {
      const waiter = (answer: Answer): void => {
        this.#waiters.delete(waiter);
        cancel();
        resolve(answer);
      };
      const cancel = this.#clock.after(this.#waitMs, () => waiter(this.#tooLate));
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
