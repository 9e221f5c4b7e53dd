// Counts the outcomes of the guard's queries to its store, and logs that the store is slow or silent, at most every ten seconds.
import type { Log } from "../../runtime/log.ts";

/** The outcomes of the queries since the process started. */
export interface StoreCounts {
  readonly queries: number;
  /** Queries that succeeded, but late. */
  readonly slow: number;
  /** Queries that failed or timed out. */
  readonly failed: number;
  /** How often the store fell silent. */
  readonly silences: number;
}

const LOG_EVERY_MS = 10_000;

export class StoreLog {
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
