// Waits until all servers have applied a change: asks the database repeatedly, until they have or time is up.
import type { Clock } from "../../runtime/clock.ts";
import type { NodeProgress } from "./node-registry.ts";

/** The longest that a change waits for other servers to apply it. */
const ACKNOWLEDGEMENT_MAX_MS = 2000;
const FIRST_PAUSE_MS = 2;
const LAST_PAUSE_MS = 50;

export interface Acknowledgement {
  /** Whether every server that may be serving has applied it. */
  readonly isComplete: boolean;
  /** The servers that have not, if they are known. */
  readonly missing: readonly string[];
}

/** All servers have applied it. */
export const ACKNOWLEDGED: Acknowledgement = { isComplete: true, missing: [] };

interface Waiter {
  readonly number: number;
  readonly resolve: (answer: Acknowledgement) => void;
  missing: readonly string[];
}

interface AcknowledgementOptions {
  readonly clock: Clock;
  /** The servers that may be serving and have not applied all changes up to a number. */
  readonly behind: (number: number) => Promise<readonly NodeProgress[]>;
}

/** Waits for other servers. */
export class Acknowledgements {
  readonly #options: AcknowledgementOptions;
  readonly #waiters = new Set<Waiter>();
  #pauseMs = FIRST_PAUSE_MS;
  #isAsking = false;
  #cancelPause = (): void => {};

  constructor(options: AcknowledgementOptions) {
    this.#options = options;
  }

  /** Waits until all servers have applied the changes up to a number, two seconds at most. Never rejects. */
  wait(number: number): Promise<Acknowledgement> {
    return new Promise((resolve) => {
      const cancel = this.#options.clock.after(ACKNOWLEDGEMENT_MAX_MS, () => {
        this.#answer(waiter, { isComplete: false, missing: waiter.missing });
      });
      const waiter: Waiter = {
        number,
        missing: [],
        resolve(answer) {
          cancel();
          resolve(answer);
        },
      };
      this.#waiters.add(waiter);
      this.#pauseMs = FIRST_PAUSE_MS;
      this.#cancelPause();
      void this.#ask();
    });
  }

  // One query at a time, on behalf of all waiters.
  async #ask(): Promise<void> {
    if (this.#isAsking || this.#waiters.size === 0) {
      return;
    }
    this.#isAsking = true;
    const asked = [...this.#waiters];
    const behind = await this.#options.behind(Math.max(...asked.map(({ number }) => number))).catch(() => undefined);
    this.#isAsking = false;
    if (behind !== undefined) {
      this.#compare(asked, behind);
    }
    if (this.#waiters.size > 0) {
      this.#cancelPause = this.#options.clock.after(this.#pauseMs, () => void this.#ask());
      this.#pauseMs = Math.min(2 * this.#pauseMs, LAST_PAUSE_MS);
    }
  }

  #compare(waiters: readonly Waiter[], behind: readonly NodeProgress[]): void {
    for (const waiter of waiters) {
      waiter.missing = behind.filter(({ changeNumber }) => changeNumber < waiter.number).map(({ id }) => id);
      if (waiter.missing.length === 0) {
        this.#answer(waiter, ACKNOWLEDGED);
      }
    }
  }

  #answer(waiter: Waiter, answer: Acknowledgement): void {
    this.#waiters.delete(waiter);
    waiter.resolve(answer);
  }
}
