// Detects that the store has fallen silent: queries are in progress, and none has received a response for a while. This is noticed long
// before a single query times out.
import type { Clock } from "../../runtime/clock.ts";

// If a check runs later than this, the process itself was stalled.
const LATE_CHECK_MS = 25;

/** Watches a store while queries are in progress. */
export class SilenceDetector {
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
