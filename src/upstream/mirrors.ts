// Asks several mirrors of one upstream so that the caller waits as little as it can: the best mirror first, the next one as soon as that fails or
// takes longer than it should, and the first good answer wins. A mirror that fails, or that another one overtakes, is left alone for a while, so
// that it costs one caller one short attempt.
import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import type { Randomness } from "../randomness.ts";
import type { Deadline } from "./deadline.ts";
import { UpstreamFault } from "./fault.ts";
import { createMirrorRanking, type MirrorRanking } from "./mirror-ranking.ts";

/** Asks one mirror. It should end when the signal aborts, and take no longer than `timeoutMs`; any rejection is a failure of the mirror. */
export type MirrorAttempt<Value> = (origin: string, call: { signal: AbortSignal; timeoutMs: number }) => Promise<Value>;

/** What makes a group of mirrors. */
export interface MirrorsOptions {
  /** What the log calls the upstream. */
  readonly name: string;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  /** The longest that one attempt may take, in milliseconds. */
  readonly attemptTimeoutMs: number;
  /** The longest wait for a mirror before the next one is asked too, in milliseconds. A mirror known to be faster is waited for less. */
  readonly hedgeMs: number;
}

/** A group of mirrors. */
export interface Mirrors {
  /** Sets the mirrors, by their origins. */
  replace(origins: readonly string[]): void;
  /**
   * The first good answer. Rejects with AllMirrorsFailed when every mirror has failed or the time is up, and with the signal's reason when
   * the caller goes away, which counts against no mirror.
   */
  ask<Value>(attempt: MirrorAttempt<Value>, deadline: Deadline): Promise<Value>;
  /** Ends the attempts in the background. */
  close(): void;
}

/** Every mirror failed, or time was up first. */
export class AllMirrorsFailed extends Error {
  /** What each mirror that was asked did, by origin, for the log. */
  readonly faults: ReadonlyMap<string, unknown>;

  constructor(faults: ReadonlyMap<string, unknown>) {
    super("no mirror answered");
    this.name = "AllMirrorsFailed";
    this.faults = faults;
  }
}

interface Attempt {
  readonly startedMs: number;
  readonly controller: AbortController;
  /** Another mirror was asked because this one took too long. */
  overdue: boolean;
}

/** A group without mirrors: set them with `replace`. */
export function createMirrors(options: MirrorsOptions): Mirrors {
  const ranking = createMirrorRanking(options);
  const verdicts = createVerdicts(options, ranking);
  const background = new AbortController();
  return {
    replace: (origins) => ranking.replace(origins),
    ask(attempt, deadline) {
      const { order, probes } = ranking.plan();
      for (const origin of probes) {
        probe(options, verdicts, attempt, origin, background.signal);
      }
      return race(options, ranking, verdicts, order, attempt, deadline);
    },
    close: () => background.abort(),
  };
}

// What attempts say about mirrors, told to the ranking and to the log.
function createVerdicts({ name, clock, log }: MirrorsOptions, ranking: MirrorRanking) {
  return {
    good(origin: string, startedMs: number): void {
      if (ranking.succeeded(origin, clock.monotonicMs() - startedMs)) {
        log.info({ upstream: name, mirror: origin }, "a mirror is back");
      }
    },
    bad(origin: string, startedMs: number, thrown: unknown): void {
      const fault = thrown instanceof UpstreamFault ? thrown : undefined;
      if (fault?.kind === "busy") {
        // It is we who have too much under way.
        ranking.abandoned(origin);
        return;
      }
      const setAsideMs = ranking.failed(origin, startedMs, fault?.retryAfterMs);
      if (setAsideMs !== undefined) {
        const fields = { upstream: name, mirror: origin, kind: fault?.kind, status: fault?.status, setAsideMs };
        log.warn(fields, `a mirror failed and is left alone for a while: ${fault?.message ?? String(thrown)}`);
      }
    },
    none: (origin: string): void => ranking.abandoned(origin),
  };
}

type Verdicts = ReturnType<typeof createVerdicts>;

function probe(
  { clock, attemptTimeoutMs: timeoutMs }: MirrorsOptions,
  verdicts: Verdicts,
  attempt: MirrorAttempt<unknown>,
  origin: string,
  signal: AbortSignal,
): void {
  const startedMs = clock.monotonicMs();
  attempt(origin, { signal, timeoutMs }).then(
    () => verdicts.good(origin, startedMs),
    (thrown) => (signal.aborted ? verdicts.none(origin) : verdicts.bad(origin, startedMs, thrown)),
  );
}

function race<Value>(
  { clock, attemptTimeoutMs }: MirrorsOptions,
  ranking: MirrorRanking,
  verdicts: Verdicts,
  order: readonly string[],
  attempt: MirrorAttempt<Value>,
  { signal, timeLeftMs }: Deadline,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const waiting = [...order];
    const running = new Map<string, Attempt>();
    const faults = new Map<string, unknown>();
    let ended = false;
    let cancelHedge = (): void => {};

    // Ends the race once: settles it, judges who is still running, and calls them back.
    const end = (settle: () => void, judge: (origin: string, attempt: Attempt) => void): void => {
      ended = true;
      cancelHedge();
      cancelDeadline();
      signal.removeEventListener("abort", onAbort);
      settle();
      for (const [origin, other] of running) {
        judge(origin, other);
        other.controller.abort();
      }
    };
    const fail = (): void => reject(new AllMirrorsFailed(faults));

    const startNext = (): void => {
      const origin = waiting.shift();
      if (origin === undefined) {
        return;
      }
      const own: Attempt = { startedMs: clock.monotonicMs(), controller: new AbortController(), overdue: false };
      running.set(origin, own);
      cancelHedge = clock.after(ranking.hedgeDelayMs(origin), () => {
        own.overdue = waiting.length > 0;
        startNext();
      });
      const timeoutMs = Math.min(attemptTimeoutMs, timeLeftMs());
      attempt(origin, { signal: own.controller.signal, timeoutMs }).then(
        (value) => won(origin, own, value),
        (thrown) => lost(origin, own, thrown),
      );
    };

    const won = (origin: string, own: Attempt, value: Value): void => {
      if (ended) {
        return;
      }
      running.delete(origin);
      verdicts.good(origin, own.startedMs);
      const overtaken = new UpstreamFault("timeout", "another mirror, asked later, answered first");
      end(
        () => resolve(value),
        (other, { overdue, startedMs }) =>
          overdue && startedMs <= own.startedMs ? verdicts.bad(other, startedMs, overtaken) : verdicts.none(other),
      );
    };

    const lost = (origin: string, own: Attempt, thrown: unknown): void => {
      if (ended) {
        return;
      }
      running.delete(origin);
      faults.set(origin, thrown);
      verdicts.bad(origin, own.startedMs, thrown);
      if (waiting.length > 0) {
        cancelHedge();
        startNext();
      } else if (running.size === 0) {
        end(fail, () => {});
      }
    };

    const onAbort = (): void => end(() => reject(signal.reason), verdicts.none);
    const cancelDeadline = clock.after(timeLeftMs(), () => {
      const late = new UpstreamFault("timeout", "no answer before the call's time was up");
      end(fail, (origin, { startedMs }) => {
        faults.set(origin, late);
        verdicts.bad(origin, startedMs, late);
      });
    });

    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) {
      onAbort();
    } else if (waiting.length === 0 || timeLeftMs() <= 0) {
      end(fail, () => {});
    } else {
      startNext();
    }
  });
}
