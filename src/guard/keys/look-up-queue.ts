// Look-ups of keys of one kind: so many at once, the others in a bounded queue. Whoever leaves hands the place on when the loop has gone
// round, so that however long the queue is, calls that need no look-up are served between two.
import type { Clock } from "../../runtime/clock.ts";
import type { StoreBreaker } from "../breaker/store-breaker.ts";
import { WaitQueue, type WaitQueueLimits } from "../breaker/wait-queue.ts";

/** What a queue works with. */
export interface LookUpQueueOptions {
  readonly clock: Clock;
  readonly breaker: StoreBreaker;
  readonly limits: WaitQueueLimits;
  readonly atOnceMax: number;
}

/** A queue. */
export class LookUpQueue {
  readonly #queue: WaitQueue<boolean>;
  readonly #atOnceMax: number;
  #running = 0;

  constructor({ clock, breaker, limits, atOnceMax }: LookUpQueueOptions) {
    this.#queue = new WaitQueue<boolean>(clock, limits, breaker, false);
    this.#atOnceMax = atOnceMax;
  }

  /** Does the work in its turn, and rejects as it does; undefined, at once, where the queue is full, and where it was too long. */
  async run<Answer>(work: () => Promise<Answer>): Promise<Answer | undefined> {
    if (this.#running < this.#atOnceMax) {
      this.#running++;
    } else if (!(await this.#queue.wait())) {
      return undefined;
    }
    try {
      return await work();
    } finally {
      setImmediate(() => this.#handOn());
    }
  }

  #handOn(): void {
    if (this.#queue.size > 0) {
      this.#queue.answerFirst(true);
    } else {
      this.#running--;
    }
  }
}
