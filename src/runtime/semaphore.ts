// Work that is dear, and so is done by few at a time: those who come next wait in a short line, and others are turned away.

/** How many there may be. */
export interface TurnsOptions {
  readonly atWorkMax: number;
  readonly waitingMax: number;
  /** What those reject with who are turned away. */
  readonly full: () => Error;
}

/** Takes work in turn. */
export class Turns {
  readonly #options: TurnsOptions;
  readonly #waiting: (() => void)[] = [];
  #atWork = 0;

  constructor(options: TurnsOptions) {
    this.#options = options;
  }

  /** Does the work when its turn comes, and rejects as it does; with `full`, at once, where the line is full. */
  async take<Answer>(work: () => Promise<Answer>): Promise<Answer> {
    const { atWorkMax, waitingMax, full } = this.#options;
    if (this.#atWork >= atWorkMax) {
      if (this.#waiting.length >= waitingMax) {
        throw full();
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
