// How a stream continues and ends, in every protocol. It is charged as another call after each minute. Besides the ways in which
// every call ends, it ends when such a charge is refused, when its key may no longer call, and when the server drains.
import type { Admitted, Refused } from "../../guard/guard.ts";
import { shuttingDown } from "../../guard/refusals.ts";
import { Failure } from "../../problem/failure.ts";
import type { Problem } from "../../problem/problem.ts";
import { isTemporary, type Reason } from "../../problem/reason.ts";
import type { Operation } from "../operation.ts";
import { CallLifecycle, type LifecycleOptions } from "./call-lifecycle.ts";

export interface StreamLifecycleOptions extends LifecycleOptions {
  /** Aborts when the server begins to shut down. */
  readonly draining: AbortSignal;
}

const CHARGE_INTERVAL_MS = 60_000;
/**
 * How soon a stream tries again after a temporary refusal, for at most a minute: the rate's bucket refills within a second, and the
 * store may come back.
 */
const RETRY_MS = 1000;

// How the message of a failure describes a call that is not charged.
const NOT_COUNTED = /(?<=; |^)(?:it|the call) was not counted(?=\.)/i;

export abstract class StreamLifecycle<OwnOperation extends Operation = Operation> extends CallLifecycle<OwnOperation> {
  readonly #draining: AbortSignal;
  readonly #controller = new AbortController();
  #isMessageSent = false;
  // The charge for the current minute; whether it is kept, however the stream ends; and whether an earlier minute was charged.
  #admitted: Admitted;
  #isMinuteKept = false;
  #wasMinuteCharged = false;
  #dueMs = 0;
  #cancelTimer: () => void = () => {};
  #unwatch: () => void = () => {};

  constructor(operation: OwnOperation, options: StreamLifecycleOptions) {
    super(operation, options);
    this.#admitted = operation.admitted;
    this.#draining = options.draining;
  }

  /** Aborts when the stream fails, with a Failure for its caller as the reason. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the method must not be called. */
  get isDryRun(): boolean {
    return this.operation.isDryRun;
  }

  /** Records that a message is about to be sent: if the stream later reaches its caller's deadline, its last minute is charged. */
  messageSent(): void {
    this.#isMessageSent = true;
  }

  /**
   * The problem as it is reported to the stream's caller. Its message says that a call that fails is not counted. For a stream, at most the
   * last minute is not counted.
   */
  rewordForStream(problem: Problem): Problem {
    if (!this.#wasMinuteCharged && !this.#isKeptAfter(problem.reason)) {
      return problem;
    }
    const charge = `the stream's last minute is ${this.#isKeptAfter(problem.reason) ? "" : "not "}counted`;
    return { ...problem, message: problem.message.replace(NOT_COUNTED, charge) };
  }

  /** Fails the stream, with the problem reworded for streams. */
  override fail(problem: Problem): void {
    super.fail(this.rewordForStream(problem));
  }

  /** Watches for everything that may end the stream. Returns false if it has already ended. */
  protected override begin(): boolean {
    if (!super.begin()) {
      return false;
    }
    if (this.#draining.aborted) {
      this.#onDrain();
      return false;
    }
    this.#draining.addEventListener("abort", this.#onDrain, { once: true });
    this.#dueMs = this.clock.monotonicMs() + CHARGE_INTERVAL_MS;
    this.#schedule(CHARGE_INTERVAL_MS);
    this.#unwatch = this.#admitted.watch(({ problem }) => this.#failCharged(problem));
    return true;
  }

  protected override respondWithFailure(problem: Problem): void {
    this.#controller.abort(new Failure(problem));
  }

  /** Settles the last minute. A stream that reached its caller's deadline is charged for it if a message was sent. */
  protected override settle(outcome: "OK" | Reason): void {
    this.#cancelTimer();
    this.#unwatch();
    this.#draining.removeEventListener("abort", this.#onDrain);
    this.settleAdmission(this.#admitted, this.#isKeptAfter(outcome) ? "OK" : outcome);
  }

  #isKeptAfter(outcome: "OK" | Reason): boolean {
    return this.#isMinuteKept || (outcome === "DEADLINE_EXCEEDED" && this.#isMessageSent);
  }

  readonly #onDrain = (): void => this.fail(shuttingDown());

  #schedule(delayMs: number): void {
    this.#cancelTimer = this.clock.after(delayMs, () => {
      void this.#renew();
    });
  }

  // The guard never rejects.
  async #renew(): Promise<void> {
    const renewal = await this.#admitted.renew();
    if (this.ended) {
      // The stream ended while the guard was deciding, so this minute never started.
      if (renewal.admitted) {
        renewal.settle("SHUTTING_DOWN");
      }
    } else if (renewal.admitted) {
      this.#admitted.settle("OK");
      this.#wasMinuteCharged = true;
      this.#admitted = renewal;
      this.#dueMs += CHARGE_INTERVAL_MS;
      this.#schedule(Math.max(0, this.#dueMs - this.clock.monotonicMs()));
    } else {
      this.#refused(renewal);
    }
  }

  #refused({ problem }: Refused): void {
    if (isTemporary(problem.reason) && this.clock.monotonicMs() - this.#dueMs < CHARGE_INTERVAL_MS) {
      this.#schedule(RETRY_MS);
      return;
    }
    this.#failCharged(problem);
  }

  // The last minute was used, even if only in part: it is charged, however the stream ends.
  #failCharged(problem: Problem): void {
    this.#isMinuteKept = true;
    this.fail(problem);
  }
}
