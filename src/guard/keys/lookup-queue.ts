// Runs a bounded number of lookups at once, and keeps the others in a bounded queue. The next one starts in a later turn of the event
// loop, so that calls without a lookup are served in between, however long the queue is.
import type { Clock } from "../../runtime/clock.ts";
import type { StoreBreaker } from "../breaker/store-breaker.ts";
import { WaitQueue, type WaitQueueLimits } from "../breaker/wait-queue.ts";

interface LookupQueueOptions {
  readonly clock: Clock;
  readonly breaker: StoreBreaker;
  readonly limits: WaitQueueLimits;
  readonly atOnceMax: number;
}

export class LookupQueue {
  readonly #queue: WaitQueue<boolean>;
  readonly #atOnceMax: number;
  #running = 0;

  constructor({ clock, breaker, limits, atOnceMax }: LookupQueueOptions) {
    this.#queue = new WaitQueue<boolean>(clock, limits, breaker, false);
    this.#atOnceMax = atOnceMax;
  }

  /**
   * Does the work in its turn, and rejects as it does. Resolves to undefined immediately if the queue is full, or later if it has waited
   * too long.
   */
  async run<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    if (this.#running < this.#atOnceMax) {
      this.#running++;
    } else if (!(await this.#queue.wait())) {
      return undefined;
    }
    try {
      return await work();
    } finally {
      setImmediate(() => this.#startNext());
    }
  }

  #startNext(): void {
    if (this.#queue.size > 0) {
      this.#queue.resolveFirst(true);
    } else {
      this.#running--;
    }
  }
}
