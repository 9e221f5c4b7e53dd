// Callers that wait for the same result from the store, in order of arrival. Their number is bounded. Each waits as long as the store keeps
// responding to any caller, within a bounded time. No caller waits for a store that is known to be down or silent.
import type { Clock } from "../../runtime/clock.ts";
import type { StoreBreaker } from "./store-breaker.ts";

export interface WaitQueueLimits {
  /** How long a caller waits while the store does not respond to any caller. */
  readonly callerWaitMs: number;
  /** How long a caller waits while the store keeps responding to other callers. */
  readonly callerWaitMaxMs: number;
  /** The most callers that may wait at once. */
  readonly waitersMax: number;
  /** How long a store may stay silent. */
  readonly storeSilenceMs: number;
}

/** The state of the store that the callers wait for. */
export type WatchedStore = Pick<StoreBreaker, "isOpen" | "respondedAtMs" | "silentAtMs">;

// If a timer fires later than this, the process itself was stalled.
const LATE_STEP_MS = 25;

export class WaitQueue<Result> {
  readonly #clock: Clock;
  readonly #limits: WaitQueueLimits;
  readonly #breaker: WatchedStore;
  readonly #tooLate: Result;
  readonly #waiters = new Set<(result: Result) => void>();

  /** `tooLate` is the result for a caller who has waited long enough, or who arrives when too many are waiting. */
  constructor(clock: Clock, limits: WaitQueueLimits, breaker: WatchedStore, tooLate: Result) {
    this.#clock = clock;
    this.#limits = limits;
    this.#breaker = breaker;
    this.#tooLate = tooLate;
  }

  get size(): number {
    return this.#waiters.size;
  }

  /** Waits for a result. Never rejects. */
  wait(): Promise<Result> {
    const { waitersMax, callerWaitMaxMs } = this.#limits;
    if (this.#waiters.size >= waitersMax) {
      return Promise.resolve(this.#tooLate);
    }
    return new Promise((resolve) => {
      const waiter = (result: Result): void => {
        this.#waiters.delete(waiter);
        cancel();
        resolve(result);
      };
      const startedAtMs = this.#clock.monotonicMs();
      const untilMs = startedAtMs + callerWaitMaxMs;
      // When the store was last known to be able to respond.
      let respondedAtMs = startedAtMs;
      const step = (silenceMs: number): (() => void) => {
        const fromMs = this.#clock.monotonicMs();
        const stepMs = Math.min(silenceMs, this.#remainingMs(fromMs, respondedAtMs, untilMs));
        return this.#clock.after(stepMs, () => {
          const nowMs = this.#clock.monotonicMs();
          const hasStalled = nowMs - fromMs > stepMs + LATE_STEP_MS;
          respondedAtMs = hasStalled ? nowMs : Math.max(respondedAtMs, this.#breaker.respondedAtMs);
          if (this.#breaker.isOpen || this.#remainingMs(nowMs, respondedAtMs, untilMs) <= 0) {
            // If this process was stalled for a while, the response may have arrived, and is read in this turn of the loop.
            setImmediate(() => waiter(this.#tooLate));
          } else {
            cancel = step(this.#silenceMs(nowMs));
          }
        });
      };
      // A caller waits in steps. After each step the store may turn out to be silent.
      let cancel = step(this.#limits.storeSilenceMs);
      this.#waiters.add(waiter);
    });
  }

  #remainingMs(nowMs: number, respondedAtMs: number, untilMs: number): number {
    return Math.min(respondedAtMs + this.#limits.callerWaitMs, untilMs) - nowMs;
  }

  // The time until the store may turn out to be silent. If that time has come, the breaker is about to check.
  #silenceMs(nowMs: number): number {
    return Math.min(this.#limits.storeSilenceMs, Math.max(1, Math.ceil(this.#breaker.silentAtMs - nowMs)));
  }

  /** Resolves the caller who has waited longest. */
  resolveFirst(result: Result): void {
    for (const waiter of this.#waiters) {
      waiter(result);
      return;
    }
  }

  resolveAll(result: Result): void {
    for (const waiter of [...this.#waiters]) {
      waiter(result);
    }
  }
}
