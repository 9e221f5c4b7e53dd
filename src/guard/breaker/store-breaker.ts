// Asks the store, and remembers when it is dead or silent, so that nobody waits for a store that is known not to answer. While it is dead
// it is asked once in a while; the first answer heals it. A store is silent when it is asked and says nothing to anybody for a while,
// which is known long before a question has taken too long: then nothing more is asked until it answers or the question fails.
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import { StoreUnavailable } from "../../store/store-errors.ts";

/** When the store counts as dead. */
export interface BreakerLimits {
  /** How long one question may take. */
  readonly storeTimeoutMs: number;
  /** How long a dead store is left alone before it is asked again. */
  readonly probeEveryMs: number;
  /** How long the store may say nothing at all while it is being asked; Infinity for one that cannot fall silent. */
  readonly storeSilenceMs: number;
  /** An answer that takes longer than this is slow: callers are about to be refused. */
  readonly storeSlowMs: number;
}

/** What became of the questions since the process began. */
export interface StoreCounts {
  readonly asked: number;
  /** Answered, but late. */
  readonly slow: number;
  /** Without an answer: refused, or given up. */
  readonly failed: number;
  /** How often the store fell silent. */
  readonly silences: number;
}

// A store that is slow or silent again and again is told of this often.
const TELL_EVERY_MS = 10_000;
// A look that is late by more than this is one of a process that itself stood still.
const LATE_LOOK_MS = 25;

/** What stands between the guard and its store. */
export class StoreBreaker {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #limits: BreakerLimits;
  #open = false;
  #probeAtMs = 0;
  // Questions without an answer.
  #asking = 0;
  #silent = false;
  // When the store said something last, was asked after a rest, or may have said something that this process has not read.
  #heardAtMs = 0;
  #watching = false;
  #answeredAtMs = Number.NEGATIVE_INFINITY;
  readonly #counts = { asked: 0, slow: 0, failed: 0, silences: 0 };
  #silenceToldAtMs = Number.NEGATIVE_INFINITY;
  #slownessToldAtMs = Number.NEGATIVE_INFINITY;
  // Since it was told.
  #slowAnswers = 0;
  #slowestMs = 0;

  constructor(clock: Clock, log: Log, limits: BreakerLimits) {
    this.#clock = clock;
    this.#log = log;
    this.#limits = limits;
  }

  /** Whether the store is known to be dead or silent. Then nobody should wait for it. */
  get isOpen(): boolean {
    return this.#open || this.#silent;
  }

  /** When it answered a question last, on the monotonic clock. */
  get answeredAtMs(): number {
    return this.#answeredAtMs;
  }

  /** When it counts as silent, on the monotonic clock, unless it says something before; Infinity while it is not asked. */
  get silentAtMs(): number {
    return this.#asking > 0 ? this.#heardAtMs + this.#limits.storeSilenceMs : Number.POSITIVE_INFINITY;
  }

  /** What became of the questions so far. */
  get counts(): StoreCounts {
    return { ...this.#counts };
  }

  /** Whether the store may be asked now. While it is dead the answer is yes once every `probeEveryMs`, to one who then does ask. */
  admits(): boolean {
    if (this.#silent) {
      return false;
    }
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
    this.#watch();
    this.#counts.asked++;
    const askedAtMs = this.#clock.monotonicMs();
    return new Promise((resolve, reject) => {
      let waiting = true;
      const fail = (error: unknown): void => {
        this.#settled();
        waiting = false;
        if (error instanceof StoreUnavailable) {
          this.#counts.failed++;
          this.#died(error);
        }
        reject(error);
      };
      const timeoutMs = this.#limits.storeTimeoutMs;
      const cancel = this.#clock.after(timeoutMs, () => fail(new StoreUnavailable(`The store took more than ${timeoutMs} ms.`)));
      Promise.try(question).then(
        (answer) => {
          cancel();
          this.#answered(this.#clock.monotonicMs() - askedAtMs);
          if (waiting) {
            this.#settled();
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

  #watch(): void {
    if (this.#asking++ === 0) {
      this.#heardAtMs = this.#clock.monotonicMs();
    }
    this.#lookAgain();
  }

  #lookAgain(): void {
    if (!this.#watching && this.#asking > 0 && this.#limits.storeSilenceMs < Number.POSITIVE_INFINITY) {
      this.#watching = true;
      this.#look();
    }
  }

  // Looks for a sign of life when the store has said nothing for long enough, as long as there are questions.
  #look(): void {
    const fromMs = this.#clock.monotonicMs();
    const delayMs = Math.max(1, Math.ceil(this.silentAtMs - fromMs));
    this.#clock.after(delayMs, () => {
      const nowMs = this.#clock.monotonicMs();
      // When this process itself stood still, an answer may be there that nobody has read yet.
      if (nowMs - fromMs > delayMs + LATE_LOOK_MS) {
        this.#heardAtMs = nowMs;
      }
      this.#silent = this.#asking > 0 && nowMs >= this.silentAtMs;
      if (this.#silent) {
        this.#fellSilent(nowMs, this.#limits.storeSilenceMs);
      }
      this.#watching = false;
      if (!this.#silent) {
        this.#lookAgain();
      }
    });
  }

  #settled(): void {
    this.#asking--;
    this.#silent = false;
    this.#heardAtMs = this.#clock.monotonicMs();
    // Others may still be without an answer.
    this.#lookAgain();
  }

  #fellSilent(nowMs: number, silenceMs: number): void {
    this.#counts.silences++;
    if (nowMs - this.#silenceToldAtMs >= TELL_EVERY_MS) {
      this.#silenceToldAtMs = nowMs;
      const { silences } = this.#counts;
      this.#log.warn(
        { silence_ms: silenceMs, silences },
        "The store says nothing; calls are admitted from what is leased, and others refused, until it answers",
      );
    }
  }

  #answered(tookMs: number): void {
    this.#answeredAtMs = this.#clock.monotonicMs();
    if (this.#open) {
      this.#open = false;
      this.#log.info("The store answers again");
    }
    if (tookMs > this.#limits.storeSlowMs) {
      this.#wasSlow(tookMs);
    }
  }

  #wasSlow(tookMs: number): void {
    this.#counts.slow++;
    this.#slowAnswers++;
    this.#slowestMs = Math.max(this.#slowestMs, tookMs);
    const nowMs = this.#clock.monotonicMs();
    if (nowMs - this.#slownessToldAtMs >= TELL_EVERY_MS) {
      this.#slownessToldAtMs = nowMs;
      this.#log.warn(
        { slow_answers: this.#slowAnswers, slowest_ms: Math.round(this.#slowestMs), slow_ms: this.#limits.storeSlowMs },
        "The store is slow; calls that wait for it longer than QUINTET_DATABASE_WAIT_MS allows are refused",
      );
      this.#slowAnswers = 0;
      this.#slowestMs = 0;
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
