// Asks the store, and remembers when it is dead, so that nobody waits for a store that is known not to answer. While it is dead it is
// asked once in a while, and the first answer heals it.
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import { StoreUnavailable } from "../store/store.ts";

/** When the store counts as dead. */
export interface BreakerLimits {
  /** How long one question may take. */
  readonly storeTimeoutMs: number;
  /** How long a dead store is left alone before it is asked again. */
  readonly probeEveryMs: number;
}

/** What stands between the guard and its store. */
export class StoreBreaker {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #limits: BreakerLimits;
  #open = false;
  #probeAtMs = 0;

  constructor(clock: Clock, log: Log, limits: BreakerLimits) {
    this.#clock = clock;
    this.#log = log;
    this.#limits = limits;
  }

  /** Whether the store is known to be dead. Then nobody should wait for it. */
  get isOpen(): boolean {
    return this.#open;
  }

  /** Whether the store may be asked now. While it is dead the answer is yes once every `probeEveryMs`, to one who then does ask. */
  admits(): boolean {
    if (this.#open) {
      const nowMs = this.#clock.monotonicMs();
      if (nowMs < this.#probeAtMs) {
        return false;
      }
      this.#probeAtMs = nowMs + this.#limits.probeEveryMs;
    }
    return true;
  }

  /**
   * Asks the store. Rejects as the question does, and with StoreUnavailable when it takes too long; an answer that comes after that
   * goes to `late`. Only a store that cannot be asked counts as dead: a refusal is an answer too.
   */
  ask<Answer>(question: () => Promise<Answer>, late?: (answer: Answer) => void): Promise<Answer> {
    return new Promise((resolve, reject) => {
      let waiting = true;
      const fail = (error: unknown): void => {
        waiting = false;
        if (error instanceof StoreUnavailable) {
          this.#died(error);
        }
        reject(error);
      };
      const timeoutMs = this.#limits.storeTimeoutMs;
      const cancel = this.#clock.after(timeoutMs, () => fail(new StoreUnavailable(`The store took more than ${timeoutMs} ms.`)));
      Promise.try(question).then(
        (answer) => {
          cancel();
          this.#answered();
          if (waiting) {
            resolve(answer);
          } else {
            late?.(answer);
          }
        },
        (error: unknown) => {
          cancel();
          if (waiting) {
            fail(error);
          }
        },
      );
    });
  }

  #answered(): void {
    if (this.#open) {
      this.#open = false;
      this.#log.info("The store answers again");
    }
  }

  #died(error: StoreUnavailable): void {
    if (!this.#open) {
      this.#open = true;
      this.#log.warn({ err: error }, "The store does not answer; calls are admitted from what is leased");
    }
    this.#probeAtMs = this.#clock.monotonicMs() + this.#limits.probeEveryMs;
  }
}
