// What keeps a stream running and what ends it: it is charged as another call after each minute, and ends when that is refused, when its key
// may not call any more, when the server drains, or when its pipeline says so. The same for all protocols.

import type { Admitted, Refused } from "../../guard/guard.ts";
import { shuttingDown } from "../../guard/refusals.ts";
import { Failure, problemOf } from "../../problem/failure.ts";
import type { Problem } from "../../problem/problem.ts";
import type { Reason } from "../../problem/reason.ts";
import type { Clock } from "../../runtime/clock.ts";

const CHARGED_EVERY_MS = 60_000;
/** What a stream waits out, for a minute at most: the second's limit, which is a bucket of one second, and a store that is late. */
const PASSING: ReadonlySet<Reason> = new Set<Reason>(["RATE_LIMITED", "LIMITS_UNAVAILABLE"]);
const RETRY_MS = 1000;

/** The life of one admitted stream. Whoever makes one calls `settle` once it is over. */
export class StreamLifecycle {
  readonly #clock: Clock;
  readonly #draining: AbortSignal;
  readonly #controller = new AbortController();
  // The charge for the minute that has begun.
  #admitted: Admitted;
  #dueMs: number;
  #cancelTimer: () => void = () => {};
  readonly #unwatch: () => void;
  #outcome: "OK" | Reason | undefined;

  /** `draining` aborts when the server begins to shut down. */
  constructor(admitted: Admitted, clock: Clock, draining: AbortSignal) {
    this.#admitted = admitted;
    this.#clock = clock;
    this.#draining = draining;
    this.#dueMs = clock.monotonicMs() + CHARGED_EVERY_MS;
    this.#schedule(CHARGED_EVERY_MS);
    this.#unwatch = admitted.watch(({ problem }) => this.#endCharged(problem));
    if (draining.aborted) {
      this.#onDrain();
    } else {
      draining.addEventListener("abort", this.#onDrain, { once: true });
    }
  }

  /** Aborts when the stream has to end, with a Failure for its caller as the reason. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Ends the stream with a problem; only the first one counts. */
  end(problem: Problem): void {
    this.#cancelTimer();
    this.#unwatch();
    this.#draining.removeEventListener("abort", this.#onDrain);
    if (!this.#controller.signal.aborted) {
      this.#controller.abort(new Failure(problem));
    }
  }

  /** What the stream has to end with; undefined as long as it may go on. */
  get problem(): Problem | undefined {
    const { aborted, reason } = this.#controller.signal;
    return aborted ? problemOf(reason) : undefined;
  }

  /**
   * Settles the last minute with how the stream has ended, and lets go of the clock. The minutes before are paid, and so is this one where
   * a stream that had begun (`begun`: a message was sent) came to the caller's own deadline.
   */
  settle(outcome: "OK" | Reason, begun: boolean): void {
    this.#outcome = outcome;
    this.#cancelTimer();
    this.#unwatch();
    this.#draining.removeEventListener("abort", this.#onDrain);
    this.#admitted.settle(outcome === "DEADLINE_EXCEEDED" && begun ? "OK" : outcome);
  }

  readonly #onDrain = (): void => this.end(shuttingDown());

  #schedule(delayMs: number): void {
    this.#cancelTimer = this.#clock.after(delayMs, () => {
      void this.#renew();
    });
  }

  // The guard never rejects.
  async #renew(): Promise<void> {
    const renewal = await this.#admitted.renew();
    if (this.#outcome !== undefined || this.#controller.signal.aborted) {
      // It ended while the guard was asked, so this minute never began.
      if (renewal.admitted) {
        renewal.settle("SHUTTING_DOWN");
      }
    } else if (renewal.admitted) {
      this.#admitted.settle("OK");
      this.#admitted = renewal;
      this.#dueMs += CHARGED_EVERY_MS;
      this.#schedule(Math.max(0, this.#dueMs - this.#clock.monotonicMs()));
    } else {
      this.#refused(renewal);
    }
  }

  #refused({ problem }: Refused): void {
    if (PASSING.has(problem.reason) && this.#clock.monotonicMs() - this.#dueMs < CHARGED_EVERY_MS) {
      this.#schedule(RETRY_MS);
      return;
    }
    this.#endCharged(problem);
  }

  // The last minute was used, if not to its end: it stays paid, whatever the stream ends with.
  #endCharged(problem: Problem): void {
    this.#admitted.settle("OK");
    this.end(problem);
  }
}
