// Notices that the store has fallen silent: it is being asked, and has answered nobody for a while. That is known long before one question has
// taken too long.
import type { Clock } from "../../runtime/clock.ts";

// A look that comes later than this means that the process itself stood still.
const LATE_LOOK_MS = 25;

/** Watches a store that is being asked. */
export class SilenceDetector {
  readonly #clock: Clock;
  readonly #silenceMs: number;
  readonly #onSilent: (nowMs: number) => void;
  // Questions without an answer.
  #open = 0;
  #isSilent = false;
  // When the store last said something, was first asked after a rest, or may have said something that this process has not read yet.
  #heardAtMs = 0;
  #watching = false;

  /** `silenceMs`: how long the store may say nothing while it is being asked; Infinity for one that cannot fall silent. */
  constructor(clock: Clock, silenceMs: number, onSilent: (nowMs: number) => void) {
    this.#clock = clock;
    this.#silenceMs = silenceMs;
    this.#onSilent = onSilent;
  }

  /** Whether the store is silent. Then nothing more is asked until it answers or a question has failed. */
  get isSilent(): boolean {
    return this.#isSilent;
  }

  /** When the store will count as silent unless it says something before, on the monotonic clock; Infinity while it is not being asked. */
  get silentAtMs(): number {
    return this.#open > 0 ? this.#heardAtMs + this.#silenceMs : Number.POSITIVE_INFINITY;
  }

  /** A question goes to the store. */
  asked(): void {
    if (this.#open++ === 0) {
      this.#heardAtMs = this.#clock.monotonicMs();
    }
    this.#watch();
  }

  /** A question has been answered, or has failed. */
  settled(): void {
    this.#open--;
    this.#isSilent = false;
    this.#heardAtMs = this.#clock.monotonicMs();
    // Others may still be without an answer.
    this.#watch();
  }

  #watch(): void {
    if (!this.#watching && this.#open > 0 && this.#silenceMs < Number.POSITIVE_INFINITY) {
      this.#watching = true;
      this.#lookLater();
    }
  }

  // Looks again when the store will have said nothing for long enough, as long as there are questions.
  #lookLater(): void {
    const fromMs = this.#clock.monotonicMs();
    const delayMs = Math.max(1, Math.ceil(this.silentAtMs - fromMs));
    this.#clock.after(delayMs, () => {
      const nowMs = this.#clock.monotonicMs();
      // Where this process itself stood still, there may be an answer that it has not read yet.
      if (nowMs - fromMs > delayMs + LATE_LOOK_MS) {
        this.#heardAtMs = nowMs;
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
