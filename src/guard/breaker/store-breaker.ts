// A circuit breaker between the guard and its store: while the store is known to be down or silent, no caller waits for it. While it is
// down, it is queried once in a while, and the first response closes the circuit again. While it is silent, it is not queried.
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import { StoreUnavailable } from "../../store/store-errors.ts";

/** The outcomes of the queries since the process started. */
interface StoreCounts {
  readonly queries: number;
  /** Queries that succeeded, but late. */
  readonly slow: number;
  /** Queries that failed or timed out. */
  readonly failed: number;
  /** How often the store fell silent. */
  readonly silences: number;
}

const LOG_EVERY_MS = 10_000;

class StoreLog {
  readonly #log: Log;
  readonly #limits: { readonly storeSilenceMs: number; readonly storeSlowMs: number };
  readonly #counts = { queries: 0, slow: 0, failed: 0, silences: 0 };
  #silenceLoggedAtMs = Number.NEGATIVE_INFINITY;
  #slownessLoggedAtMs = Number.NEGATIVE_INFINITY;
  // Counted since slowness was last logged.
  #slowResponses = 0;
  #slowestMs = 0;

  constructor(log: Log, limits: { readonly storeSilenceMs: number; readonly storeSlowMs: number }) {
    this.#log = log;
    this.#limits = limits;
  }

  /** The outcomes of the queries so far. */
  get counts(): StoreCounts {
    return { ...this.#counts };
  }

  queried(): void {
    this.#counts.queries++;
  }

  failed(): void {
    this.#counts.failed++;
  }

  /** Records that the store has responded at `nowMs` of the monotonic clock, after `tookMs`. */
  responded(tookMs: number, nowMs: number): void {
    const { storeSlowMs } = this.#limits;
    if (tookMs <= storeSlowMs) {
      return;
    }
    this.#counts.slow++;
    this.#slowResponses++;
    this.#slowestMs = Math.max(this.#slowestMs, tookMs);
    if (nowMs - this.#slownessLoggedAtMs >= LOG_EVERY_MS) {
      this.#slownessLoggedAtMs = nowMs;
      this.#log.warn(
        { slow_responses: this.#slowResponses, slowest_ms: Math.round(this.#slowestMs), slow_ms: storeSlowMs },
        "The store is slow; calls that wait for it too long are refused",
      );
      this.#slowResponses = 0;
      this.#slowestMs = 0;
    }
  }

  /** Records that the store has fallen silent, at `nowMs` of the monotonic clock. */
  stoppedResponding(nowMs: number): void {
    this.#counts.silences++;
    if (nowMs - this.#silenceLoggedAtMs >= LOG_EVERY_MS) {
      this.#silenceLoggedAtMs = nowMs;
      this.#log.warn(
        { silence_ms: this.#limits.storeSilenceMs, silences: this.#counts.silences },
        "The store does not respond; until it does, calls are admitted from existing leases, and all others are refused",
      );
    }
  }
}

// Detects that the store has fallen silent: queries are in progress, and none has received a response for a while. This is noticed long
// before a single query times out.

// If a check runs later than this, the process itself was stalled.
const LATE_CHECK_MS = 25;

/** Watches a store while queries are in progress. */
class SilenceDetector {
  readonly #clock: Clock;
  readonly #silenceMs: number;
  readonly #onSilent: (nowMs: number) => void;
  // Queries without a response.
  #open = 0;
  #isSilent = false;
  // When the store last responded, was first queried after a pause, or may have sent a response that this process has not read yet.
  #respondedAtMs = 0;
  #watching = false;

  /** `silenceMs`: how long the store may stay silent while a query is in progress; Infinity for a store that cannot fall silent. */
  constructor(clock: Clock, silenceMs: number, onSilent: (nowMs: number) => void) {
    this.#clock = clock;
    this.#silenceMs = silenceMs;
    this.#onSilent = onSilent;
  }

  /** Whether the store is silent. If so, nothing more is sent until it responds or a query has failed. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** When the store will count as silent unless it responds first, on the monotonic clock; Infinity while no query is in progress. */
  get silentAtMs(): number {
    return this.#open > 0 ? this.#respondedAtMs + this.#silenceMs : Number.POSITIVE_INFINITY;
  }

  /** Records that a query is sent to the store. */
  queried(): void {
    if (this.#open++ === 0) {
      this.#respondedAtMs = this.#clock.monotonicMs();
    }
    this.#watch();
  }

  /** Records that a query has received its response, or has failed. */
  settled(): void {
    this.#open--;
    this.#isSilent = false;
    this.#respondedAtMs = this.#clock.monotonicMs();
    // Other queries may still be in progress.
    this.#watch();
  }

  #watch(): void {
    if (!this.#watching && this.#open > 0 && this.#silenceMs < Number.POSITIVE_INFINITY) {
      this.#watching = true;
      this.#checkLater();
    }
  }

  // Checks again when the store will have been silent for long enough, as long as there are queries.
  #checkLater(): void {
    const fromMs = this.#clock.monotonicMs();
    const delayMs = Math.max(1, Math.ceil(this.silentAtMs - fromMs));
    this.#clock.after(delayMs, () => {
      const nowMs = this.#clock.monotonicMs();
      // If this process itself was stalled, there may be a response that it has not read yet.
      if (nowMs - fromMs > delayMs + LATE_CHECK_MS) {
        this.#respondedAtMs = nowMs;
      }
      this.#watching = false;
      this.#isSilent = this.#open > 0 && nowMs >= this.silentAtMs;
      if (this.#isSilent) {
        this.#onSilent(nowMs);
      } else {
        this.#watch();
      }
    });
  }
}

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
