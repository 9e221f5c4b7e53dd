// How a stream goes on and ends, in every protocol. It is charged as another call after each minute. Beside the ends of every call, it ends
// when such a charge is refused, when its key may not call any more, and when the server drains.
import type { Admitted, Refused } from "../../guard/guard.ts";
import { shuttingDown } from "../../guard/refusals.ts";
import { Failure } from "../../problem/failure.ts";
import type { Problem } from "../../problem/problem.ts";
import type { Reason } from "../../problem/reason.ts";
import type { Operation } from "../operation.ts";
import { CallLifecycle, type LifecycleDependencies } from "./call-lifecycle.ts";

/** What the streams of a pipeline share. */
export interface StreamLifecycleDependencies extends LifecycleDependencies {
  /** Aborts when the server begins to shut down. */
  readonly draining: AbortSignal;
}

const CHARGED_EVERY_MS = 60_000;
/** Refusals after which a stream tries again, for a minute at most: the rate's bucket refills within a second, and the store may come back. */
const TEMPORARY: ReadonlySet<Reason> = new Set<Reason>(["RATE_LIMITED", "LIMITS_UNAVAILABLE"]);
const RETRY_MS = 1000;

/** One admitted stream. */
export abstract class StreamLifecycle<OwnOperation extends Operation = Operation> extends CallLifecycle<OwnOperation> {
  readonly #draining: AbortSignal;
  readonly #controller = new AbortController();
  #isMessageSent = false;
  // The charge for the minute that has begun, and whether it is kept whatever the stream ends with.
  #admitted: Admitted;
  #isMinuteKept = false;
  #dueMs = 0;
  #cancelTimer: () => void = () => {};
  #unwatch: () => void = () => {};

  constructor(operation: OwnOperation, dependencies: StreamLifecycleDependencies) {
    super(operation, dependencies);
    this.#admitted = operation.admitted;
    this.#draining = dependencies.draining;
  }

  /** Aborts when the stream fails, with a Failure for its caller as the reason. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Whether the method is not to be called. */
  get isDryRun(): boolean {
    return this.operation.isDryRun;
  }

  /** A message is about to be sent: a stream that then comes to its caller's deadline has been worth its last minute. */
  messageSent(): void {
    this.#isMessageSent = true;
  }

  /** Watches for all that may end the stream. False when it has ended already. */
  protected override begin(): boolean {
    if (!super.begin()) {
      return false;
    }
    if (this.#draining.aborted) {
      this.#onDrain();
      return false;
    }
    this.#draining.addEventListener("abort", this.#onDrain, { once: true });
    this.#dueMs = this.clock.monotonicMs() + CHARGED_EVERY_MS;
    this.#schedule(CHARGED_EVERY_MS);
    this.#unwatch = this.#admitted.watch(({ problem }) => this.#failCharged(problem));
    return true;
  }

  protected override answerFailure(problem: Problem): void {
    this.#controller.abort(new Failure(problem));
  }

  /** Settles the last minute. A stream that came to its caller's deadline keeps it, once a message was sent. */
  protected override settle(outcome: "OK" | Reason): void {
    this.#cancelTimer();
    this.#unwatch();
    this.#draining.removeEventListener("abort", this.#onDrain);
    const isKept = this.#isMinuteKept || (outcome === "DEADLINE_EXCEEDED" && this.#isMessageSent);
    this.#admitted.settle(isKept ? "OK" : outcome);
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
      // It ended while the guard was asked, so this minute never began.
      if (renewal.admitted) {
        renewal.settle("SHUTTING_DOWN");
      }
    } else if (renewal.admitted) {
      this.#admitted.settle("OK");
      this.#admitted = renewal;
      this.#dueMs += CHARGED_EVERY_MS;
      this.#schedule(Math.max(0, this.#dueMs - this.clock.monotonicMs()));
    } else {
      this.#refused(renewal);
    }
  }

  #refused({ problem }: Refused): void {
    if (TEMPORARY.has(problem.reason) && this.clock.monotonicMs() - this.#dueMs < CHARGED_EVERY_MS) {
      this.#schedule(RETRY_MS);
      return;
    }
    this.#failCharged(problem);
  }

  // The last minute was used, if not to its end: it is paid for, whatever the stream ends with.
  #failCharged(problem: Problem): void {
    this.#isMinuteKept = true;
    this.fail(problem);
  }
}
