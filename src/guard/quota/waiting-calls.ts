// The calls that wait for a subscription's lease: those that want one call of the month, and those that only want to know how many calls of
// the month are left.

import { WaitQueue } from "../breaker/wait-queue.ts";
import type { AllowanceDependencies } from "./allowance-dependencies.ts";
import type { Calendar } from "./month.ts";
import type { LaterSpent } from "./month-lease.ts";
import type { SlotLease } from "./slot-lease.ts";

/** The calls that wait for one subscription's lease. */
export class WaitingCalls {
  readonly #held: SlotLease;
  readonly #calendar: Calendar;
  readonly #spenders: WaitQueue<LaterSpent>;
  readonly #statusReaders: WaitQueue<undefined>;

  constructor({ calendar, clock, limits, breaker }: AllowanceDependencies, held: SlotLease) {
    this.#held = held;
    this.#calendar = calendar;
    this.#spenders = new WaitQueue<LaterSpent>(clock, limits, breaker, "unavailable");
    this.#statusReaders = new WaitQueue<undefined>(clock, limits, breaker, undefined);
  }

  /** How many calls wait to be charged. */
  get spenders(): number {
    return this.#spenders.size;
  }

  /** Waits for a call of the month. Never rejects. */
  waitForCall(): Promise<LaterSpent> {
    return this.#spenders.wait();
  }

  /** Waits until the store has been asked, or cannot be. Never rejects. */
  waitForStatus(): Promise<undefined> {
    return this.#statusReaders.wait();
  }

  /**
   * Charges those that wait, in the order in which they came, as far as the lease goes. Where the month is used up the others are told so,
   * if that is final (`isFinal`).
   */
  serve(isFinal: boolean): void {
    while (this.#spenders.size > 0) {
      const day = this.#calendar.today();
      const spent = this.#held.spend(day);
      if (spent !== undefined) {
        this.#spenders.answerFirst(spent);
      } else if (this.#held.exhaustedIn(day) !== undefined && isFinal) {
        this.#spenders.answerAll("exhausted");
      } else {
        return;
      }
    }
  }

  /** Tells those that want to be charged that the store cannot be asked. */
  refuse(): void {
    this.#spenders.answerAll("unavailable");
  }

  /** Lets those go on that wait for the status: the store has been asked, or cannot be. */
  releaseStatusReaders(): void {
    this.#statusReaders.answerAll(undefined);
  }
}
