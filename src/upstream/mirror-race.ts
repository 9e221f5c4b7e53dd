// Sends one request to several mirrors in turn, each as soon as the one before has failed or is late. The first good response
// wins.
import type { Clock } from "../runtime/clock.ts";
import type { Deadline } from "./deadline.ts";
import { UpstreamFault } from "./fault.ts";
import type { UpstreamCall } from "./upstream.ts";

/**
 * Queries one mirror. It should end when the signal aborts, and take no longer than `timeoutMs`. Any rejection counts as a failure of
 * the mirror.
 */
export type MirrorAttempt<Value> = (origin: string, call: UpstreamCall) => Promise<Value>;

/** Every mirror failed, or time ran out first. */
export class AllMirrorsFailed extends UpstreamFault {
  /** The faults by origin, for the log. */
  readonly faults: ReadonlyMap<string, unknown>;

  constructor(faults: ReadonlyMap<string, unknown>) {
    const all = [...faults.values()];
    super("connect", "no mirror responded", {
      isOwnShare: all.length > 0 && all.every((fault) => fault instanceof UpstreamFault && fault.isOwnShare),
    });
    this.name = "AllMirrorsFailed";
    this.faults = faults;
  }
}

interface MirrorRaceOptions<Value> {
  readonly clock: Clock;
  readonly attemptTimeoutMs: number;
  readonly attempt: MirrorAttempt<Value>;
  readonly deadline: Deadline;
  /** How long to wait for this mirror before the next one is queried too. */
  readonly hedgeDelayMs: (origin: string) => number;
  /** Called for the first good response. Times are monotonic. */
  readonly succeeded: (origin: string, startedMs: number) => void;
  /** Called for every attempt that failed on its own, or lost to a mirror that was queried later. */
  readonly failed: (origin: string, startedMs: number, thrown: unknown) => void;
}

interface Attempt {
  readonly origin: string;
  readonly startedMs: number;
  readonly controller: AbortController;
  /** Whether the mirror took so long that another one was queried. */
  overdue: boolean;
}

/** One race. Run it once. */
export class MirrorRace<Value> {
  readonly #options: MirrorRaceOptions<Value>;
  readonly #outcome = Promise.withResolvers<Value>();
  readonly #running = new Set<Attempt>();
  readonly #faults = new Map<string, unknown>();
  #waiting: string[] = [];
  #ended = false;
  #isSent = false;
  #cancelHedge = (): void => {};

  constructor(options: MirrorRaceOptions<Value>) {
    this.#options = options;
  }

  /** The first good response. Rejects with AllMirrorsFailed, or with another UpstreamFault if the caller disconnects. */
  async run(order: readonly string[]): Promise<Value> {
    const { clock, deadline } = this.#options;
    const disconnected = (): UpstreamFault =>
      new UpstreamFault("timeout", "the caller has disconnected", { cause: deadline.signal.reason });
    if (deadline.signal.aborted) {
      throw disconnected();
    }
    const onAbort = (): void => this.#outcome.reject(disconnected());
    deadline.signal.addEventListener("abort", onAbort, { once: true });
    const cancelDeadline = clock.after(deadline.timeLeftMs(), () => this.#giveUp());
    this.#waiting = [...order];
    this.#startNext();
    try {
      return await this.#outcome.promise;
    } finally {
      this.#ended = true;
      this.#cancelHedge();
      cancelDeadline();
      deadline.signal.removeEventListener("abort", onAbort);
      for (const { controller } of this.#running) {
        controller.abort();
      }
    }
  }

  #startNext(): void {
    const { clock, attempt, attemptTimeoutMs, hedgeDelayMs, deadline } = this.#options;
    const origin = this.#waiting.shift();
    if (origin === undefined) {
      if (this.#running.size === 0) {
        this.#giveUp();
      }
      return;
    }
    const started: Attempt = { origin, startedMs: clock.monotonicMs(), controller: new AbortController(), overdue: false };
    this.#running.add(started);
    this.#cancelHedge = clock.after(hedgeDelayMs(origin), () => {
      started.overdue = this.#waiting.length > 0;
      this.#startNext();
    });
    const { propagated, account } = deadline;
    // The caller does not pay for further mirrors.
    const onSend = this.#isSent ? undefined : deadline.onSend;
    this.#isSent = true;
    attempt(origin, { signal: started.controller.signal, timeoutMs: attemptTimeoutMs, propagated, account, onSend }).then(
      (value) => this.#won(started, value),
      (thrown) => this.#lost(started, thrown),
    );
  }

  #won(winner: Attempt, value: Value): void {
    const { succeeded, failed } = this.#options;
    if (this.#ended) {
      return;
    }
    this.#running.delete(winner);
    this.#outcome.resolve(value);
    this.#ended = true;
    succeeded(winner.origin, winner.startedMs);
    for (const { origin, startedMs, overdue } of this.#running) {
      if (overdue && startedMs < winner.startedMs) {
        failed(origin, startedMs, new UpstreamFault("timeout", "a mirror that was queried later responded first"));
      }
    }
  }

  #lost(loser: Attempt, thrown: unknown): void {
    if (this.#ended) {
      return;
    }
    this.#running.delete(loser);
    this.#faults.set(loser.origin, thrown);
    this.#options.failed(loser.origin, loser.startedMs, thrown);
    // Starts the next one now, unless that has already been done because this one was late.
    if (!loser.overdue || this.#running.size === 0) {
      this.#cancelHedge();
      this.#startNext();
    }
  }

  #giveUp(): void {
    for (const { origin } of this.#running) {
      this.#faults.set(origin, new UpstreamFault("timeout", "no response before the call's time was up"));
    }
    this.#outcome.reject(new AllMirrorsFailed(this.#faults));
  }
}
