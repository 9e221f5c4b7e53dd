// A token bucket as the textbook has it, for tests to compare others with: it fills with time, and a request takes one interval out of it.

/** What a request got. */
export interface TextbookTake {
  readonly taken: boolean;
  readonly remaining: number;
  /** How long until there is one more token than `remaining`. */
  readonly next: number;
}

/** The bucket, in any unit of time. It is full at first. */
export class TextbookBucket {
  readonly #interval: number;
  readonly #capacity: number;
  #content: number;

  /** `interval`: how long one token takes to come. `capacity`: how long an empty bucket takes to fill. */
  constructor(interval: number, capacity: number) {
    this.#interval = interval;
    this.#capacity = capacity;
    this.#content = capacity;
  }

  /** Lets time pass. A token is put back by as much time as it takes to come. */
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
