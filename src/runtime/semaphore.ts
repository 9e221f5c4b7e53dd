// Bounds how many do something expensive at the same time. Those who come next wait in a queue of bounded length; when it is full, others are
// refused at once.

/** The bounds. */
export interface SemaphoreOptions {
  readonly concurrencyMax: number;
  readonly queueMax: number;
  /** Makes the error for those who find the queue full. */
  readonly queueFull: () => Error;
}

/** A fixed number of permits and a queue. First come, first served. */
export class Semaphore {
  readonly #options: SemaphoreOptions;
  #taken = 0;
  // A Set keeps the order of arrival and lets one in the middle leave.
  readonly #queue = new Set<() => void>();

  constructor(options: SemaphoreOptions) {
    this.#options = options;
  }

  /**
   * Takes a permit, waiting for one where all are taken. Resolves with the function that releases it, of which only the first call counts.
   * Rejects at once where the queue is full, and with the signal's reason where that aborts first.
   */
  async acquire(signal?: AbortSignal): Promise<() => void> {
    signal?.throwIfAborted();
    const { concurrencyMax, queueMax, queueFull } = this.#options;
    if (this.#taken < concurrencyMax) {
      this.#taken += 1;
    } else if (this.#queue.size >= queueMax) {
      throw queueFull();
    } else {
      await this.#wait(signal);
    }
    let isReleased = false;
    return () => {
      if (!isReleased) {
        isReleased = true;
        this.#release();
      }
    };
  }

  /** Does the work with a permit. Rejects as the work does, and as `acquire` does. */
  async run<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const release = await this.acquire();
    try {
      return await work();
    } finally {
      release();
    }
  }

  // Resolves when somebody has passed their permit on.
  #wait(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        this.#queue.delete(onTurn);
        reject(signal?.reason);
      };
      const onTurn = (): void => {
        signal?.removeEventListener("abort", onAbort);
        resolve();
      };
      this.#queue.add(onTurn);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  // Passes the permit on, so that nobody who comes now gets in before those who wait.
  #release(): void {
    const [next] = this.#queue;
    if (next === undefined) {
      this.#taken -= 1;
    } else {
      this.#queue.delete(next);
      next();
    }
  }
}
