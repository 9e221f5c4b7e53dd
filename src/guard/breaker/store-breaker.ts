// A circuit breaker between the guard and its store: while the store is known to be down or silent, no caller waits for it. While it is
// down, it is queried once in a while, and the first response closes the circuit again. While it is silent, it is not queried.
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import { StoreUnavailable } from "../../store/store-errors.ts";
import { SilenceDetector } from "./silence-detector.ts";
import { type StoreCounts, StoreLog } from "./store-log.ts";

/** When the store counts as down, silent or slow. */
export interface BreakerLimits {
  /** How long one query may take. */
  readonly storeTimeoutMs: number;
  /** How long a store that is down is left alone before it is queried again. */
  readonly probeIntervalMs: number;
  /** How long the store may stay silent while a query is in progress; Infinity for a store that cannot fall silent. */
  readonly storeSilenceMs: number;
  /** A response that takes longer than this is slow: callers are about to be refused. */
  readonly storeSlowMs: number;
}

/** The circuit breaker between the guard and its store. */
export class StoreBreaker {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #limits: BreakerLimits;
  readonly #silence: SilenceDetector;
  readonly #storeLog: StoreLog;
  #isDown = false;
  #probeAtMs = 0;
  #respondedAtMs = Number.NEGATIVE_INFINITY;

  constructor(clock: Clock, log: Log, limits: BreakerLimits) {
    this.#clock = clock;
    this.#log = log;
    this.#limits = limits;
    this.#storeLog = new StoreLog(log, limits);
    this.#silence = new SilenceDetector(clock, limits.storeSilenceMs, (nowMs) => this.#storeLog.stoppedResponding(nowMs));
  }

  /** Whether the store is known to be down or silent. Then no caller should wait for it. */
  get isOpen(): boolean {
    return this.#isDown || this.#silence.isSilent;
  }

  /** When it last responded, on the monotonic clock. */
  get respondedAtMs(): number {
    return this.#respondedAtMs;
  }

  /** When it will count as silent unless it responds first, on the monotonic clock; Infinity while no query is in progress. */
  get silentAtMs(): number {
    return this.#silence.silentAtMs;
  }

  /** The outcomes of the queries so far. */
  get counts(): StoreCounts {
    return this.#storeLog.counts;
  }

  /**
   * Whether the store may be queried now. While it is down, this is true once every `probeIntervalMs`, for a caller who then sends a query.
   */
  admits(): boolean {
    if (this.#silence.isSilent) {
      return false;
    }
    if (this.#isDown) {
      const nowMs = this.#clock.monotonicMs();
      if (nowMs < this.#probeAtMs) {
        return false;
      }
      this.#probeAtMs = nowMs + this.#limits.probeIntervalMs;
    }
    return true;
  }

  /**
   * Queries the store. Rejects as the query does, and with StoreUnavailable if it takes too long; a response that arrives later goes to
   * `late`. Only a store that cannot be reached counts as down: a refusal is also a response.
   */
  run<Result>(query: () => Promise<Result>, late?: (result: Result) => void): Promise<Result> {
    this.#silence.queried();
    this.#storeLog.queried();
    const queriedAtMs = this.#clock.monotonicMs();
    return new Promise((resolve, reject) => {
      let isWaiting = true;
      const fail = (error: unknown): void => {
        isWaiting = false;
        this.#silence.settled();
        if (error instanceof StoreUnavailable) {
          this.#failed(error);
        } else {
          this.#responded(queriedAtMs);
        }
        reject(error);
      };
      const { storeTimeoutMs } = this.#limits;
      const cancel = this.#clock.after(storeTimeoutMs, () =>
        fail(new StoreUnavailable(`The store took more than ${storeTimeoutMs} ms.`)),
      );
      Promise.try(query).then(
        (result) => {
          cancel();
          this.#responded(queriedAtMs);
          if (isWaiting) {
            this.#silence.settled();
            resolve(result);
          } else {
            late?.(result);
          }
        },
        (error: unknown) => {
          cancel();
          if (isWaiting) {
            fail(error);
          }
        },
      );
    });
  }

  #responded(queriedAtMs: number): void {
    this.#respondedAtMs = this.#clock.monotonicMs();
    if (this.#isDown) {
      this.#isDown = false;
      this.#log.info("The store responds again");
    }
    this.#storeLog.responded(this.#respondedAtMs - queriedAtMs, this.#respondedAtMs);
  }

  #failed(error: StoreUnavailable): void {
    this.#storeLog.failed();
    if (!this.#isDown) {
      this.#isDown = true;
      this.#log.warn({ err: error }, "The store does not respond; calls are admitted from what is leased");
    }
    this.#probeAtMs = this.#clock.monotonicMs() + this.#limits.probeIntervalMs;
  }
}
