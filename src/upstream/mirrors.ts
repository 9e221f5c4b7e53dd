// Queries several mirrors of one upstream so that the caller waits as little as possible: the best mirror first, the next one as
// soon as that fails or is slow. The first good response wins. A mirror that fails or is too slow is not queried for some time, so it
// delays only one caller.
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { Randomness } from "../runtime/randomness.ts";
import type { Deadline } from "./deadline.ts";
import { UpstreamFault, wasSent } from "./fault.ts";
import { type MirrorAttempt, MirrorRace } from "./mirror-race.ts";
import { createMirrorRanking } from "./mirror-ranking.ts";
import type { UpstreamObserver } from "./upstream-observer.ts";

interface MirrorsOptions {
  /** The upstream's name in the log. */
  readonly name: string;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  /** How long one attempt may take, in milliseconds. */
  readonly attemptTimeoutMs: number;
  /** The longest wait for a mirror before the next one is queried too, in milliseconds. Less for mirrors known to be faster. */
  readonly hedgeMs: number;
  /** Notified of the number of mirrors; undefined if there is no observer. */
  readonly observer?: UpstreamObserver | undefined;
}

export interface Mirrors {
  /** Sets the mirrors, by origin. */
  replace(origins: readonly string[]): void;
  /**
   * The first good response. Rejects with AllMirrorsFailed if every mirror has failed or time is up, and with another
   * UpstreamFault if the caller disconnects. A caller that disconnects or reaches its deadline does not count against a mirror.
   */
  query<Value>(attempt: MirrorAttempt<Value>, deadline: Deadline): Promise<Value>;
  /** Queries only the best mirror, and only once: for requests that must not be repeated. Rejects as `query` does. */
  queryOnce<Value>(attempt: MirrorAttempt<Value>, deadline: Deadline): Promise<Value>;
  /** Ends the background attempts. */
  close(): void;
}

/** A group without mirrors: set them with `replace`. */
export function createMirrors(options: MirrorsOptions): Mirrors {
  const { name, clock, log, attemptTimeoutMs, observer } = options;
  const ranking = createMirrorRanking(options);
  const background = new AbortController();

  const tellObserver = (): void => observer?.mirrorsChanged(ranking.counts());

  const succeeded = (mirror: string, startedMs: number): void => {
    if (ranking.succeeded(mirror, clock.monotonicMs() - startedMs)) {
      log.info({ upstream: name, mirror }, "a mirror is back");
      tellObserver();
    }
  };

  const failed = (mirror: string, startedMs: number, thrown: unknown): void => {
    const fault = thrown instanceof UpstreamFault ? thrown : undefined;
    const setAsideMs = wasSent(thrown) ? ranking.failed(mirror, startedMs, fault?.retryAfterMs) : undefined;
    if (setAsideMs !== undefined) {
      const fields = { upstream: name, mirror, kind: fault?.kind, status: fault?.status, setAsideMs };
      tellObserver();
      log.warn(fields, `a mirror is set aside for a while: ${fault?.message ?? String(thrown)}`);
    }
  };

  const probe = async (mirror: string, attempt: MirrorAttempt<unknown>): Promise<void> => {
    const startedMs = clock.monotonicMs();
    try {
      await attempt(mirror, { signal: background.signal, timeoutMs: attemptTimeoutMs });
      succeeded(mirror, startedMs);
    } catch (thrown) {
      if (!background.signal.aborted) {
        failed(mirror, startedMs, thrown);
      }
    } finally {
      ranking.probeEnded(mirror);
    }
  };

  const hedgeDelayMs = (mirror: string): number => ranking.hedgeDelayMs(mirror);
  const raceOf = <Value>(attempt: MirrorAttempt<Value>, deadline: Deadline): MirrorRace<Value> =>
    new MirrorRace({ clock, attemptTimeoutMs, hedgeDelayMs, succeeded, failed, attempt, deadline });

  return {
    replace(origins) {
      ranking.replace(origins);
      tellObserver();
    },
    queryOnce(attempt, deadline) {
      const { order, probes } = ranking.plan();
      // Mirrors are probed with the next request that may be sent twice.
      probes.forEach(ranking.probeEnded);
      return raceOf(attempt, deadline).run(order.slice(0, 1));
    },
    query(attempt, deadline) {
      const { order, probes } = ranking.plan();
      const response = raceOf(attempt, deadline).run(order);
      for (const mirror of probes) {
        void probe(mirror, attempt);
      }
      return response;
    },
    close: () => background.abort(),
  };
}
