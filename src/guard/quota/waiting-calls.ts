// The calls that wait for a subscription's lease: calls to be charged, and calls that only need to know how many calls are left this month.
import type { Calendar } from "../../runtime/calendar.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { StoreBreaker } from "../breaker/store-breaker.ts";
import { WaitQueue, type WaitQueueLimits } from "../breaker/wait-queue.ts";
import type { LaterSpent } from "./month-lease.ts";
import type { SlotLease } from "./slot-lease.ts";

interface WaitingCallsOptions {
  readonly calendar: Calendar;
  readonly clock: Clock;
  readonly limits: WaitQueueLimits;
  readonly breaker: StoreBreaker;
}

/** The calls that wait for one subscription's lease. */
export class WaitingCalls {
  readonly #lease: SlotLease;
  readonly #calendar: Calendar;
  readonly #toCharge: WaitQueue<LaterSpent>;
  readonly #statusReaders: WaitQueue<undefined>;

  constructor({ calendar, clock, limits, breaker }: WaitingCallsOptions, lease: SlotLease) {
    this.#lease = lease;
    this.#calendar = calendar;
    this.#toCharge = new WaitQueue<LaterSpent>(clock, limits, breaker, "unavailable");
    this.#statusReaders = new WaitQueue<undefined>(clock, limits, breaker, undefined);
  }

  /** How many calls wait to be charged. */
  get chargeCount(): number {
    return this.#toCharge.size;
  }

  /** Waits for a call to be charged to the monthly quota. Never rejects. */
  waitForCall(): Promise<LaterSpent> {
    return this.#toCharge.wait();
  }

  /** Waits until the store has been queried, or cannot be reached. Never rejects. */
  waitForStatus(): Promise<undefined> {
    return this.#statusReaders.wait();
  }

  /**
   * Charges the waiting calls in the order of their arrival, until the lease is spent. If the quota is used up, and that is final
   * (`isFinal`), the remaining calls are refused.
   */
  serve(isFinal: boolean): void {
    while (this.#toCharge.size > 0) {
      const day = this.#calendar.today();
      const spent = this.#lease.spend(day);
      if (spent !== undefined) {
        this.#toCharge.resolveFirst(spent);
      } else if (this.#lease.exhaustedEpoch(day) !== undefined && isFinal) {
        this.#toCharge.resolveAll("exhausted");
      } else {
        return;
      }
    }
  }

  /** Refuses the calls that wait to be charged, because the store cannot be reached. */
  refuse(): void {
    this.#toCharge.resolveAll("unavailable");
  }

  /** Lets the calls that wait for the status continue, because the store has been queried or cannot be reached. */
  releaseStatusReaders(): void {
    this.#statusReaders.resolveAll(undefined);
  }
}
