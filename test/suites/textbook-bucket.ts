// A textbook token bucket, for comparison in tests: it fills over time, and each request takes one interval from it.

/** The result of a request. */
export interface TextbookTake {
  readonly taken: boolean;
  readonly remaining: number;
  /** The time until there is one more token than `remaining`. */
  readonly next: number;
}

/** The bucket, in any unit of time. It starts full. */
export class TextbookBucket {
  readonly #interval: number;
  readonly #capacity: number;
  #content: number;

  /** `interval`: the time for one token. `capacity`: the time to fill an empty bucket. */
  constructor(interval: number, capacity: number) {
    this.#interval = interval;
    this.#capacity = capacity;
    this.#content = capacity;
  }

  /** Advances time. Advancing by one interval returns a token. */
  add(time: number): void {
    this.#content = Math.min(this.#capacity, this.#content + time);
  }

  take(): TextbookTake {
    const taken = this.#content >= this.#interval;
    this.#content -= taken ? this.#interval : 0;
    const remaining = Math.floor(this.#content / this.#interval);
    return { taken, remaining, next: (remaining + 1) * this.#interval - this.#content };
  }
}
