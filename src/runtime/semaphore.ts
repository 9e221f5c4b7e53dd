// Work that is dear, and so is done by few at a time: those who come next wait in a short line, and others are turned away.

/** How many there may be. */
export interface SemaphoreOptions {
  readonly concurrencyMax: number;
  readonly queueMax: number;
  /** What those reject with who are turned away. */
  readonly queueFull: () => Error;
}

/** Takes work in turn. */
export class Semaphore {
  readonly #options: SemaphoreOptions;
  readonly #waiting: (() => void)[] = [];
  #atWork = 0;

  constructor(options: SemaphoreOptions) {
    this.#options = options;
  }

  /** Does the work when its turn comes, and rejects as it does; with `full`, at once, where the line is full. */
  async run<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const { concurrencyMax, queueMax, queueFull } = this.#options;
    if (this.#atWork >= concurrencyMax) {
      if (this.#waiting.length >= queueMax) {
        throw queueFull();
      }
      // Whoever leaves hands the place on, so nobody comes between.
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    } else {
      this.#atWork += 1;
    }
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) {
        this.#atWork -= 1;
      } else {
        next();
      }
    }
  }
}
