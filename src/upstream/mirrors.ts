// Queries several mirrors of one upstream so that the caller waits as little as possible: the best mirror first, the next one as
// soon as that fails or is slow. The first good response wins. A mirror that fails or is too slow, or whose data is behind the others', is
// not queried for some time, so it delays only one caller.
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import { pause } from "../runtime/pause.ts";
import type { Randomness } from "../runtime/randomness.ts";
import type { Deadline } from "./deadline.ts";
import { mayPass, UpstreamFault, wasSent } from "./fault.ts";
import { AllMirrorsFailed, type MirrorAttempt, MirrorRace } from "./mirror-race.ts";
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

interface MirrorQueryOptions<Value> {
  /** A mirror that is not queried, because its response is known. */
  readonly except?: string | undefined;
  /** Whether a response shows that its mirror is behind the one that sent `other`. By default none does. */
  readonly isBehind?: (value: Value, other: Value) => boolean;
}

export interface Mirrors {
  /** Sets the mirrors, by origin. `reserves` are queried only when the others fail. */
  replace(origins: readonly string[], reserves?: readonly string[]): void;
  /**
   * The first good response. If there is only one mirror that works, it is queried a second time after a fault that may pass. Rejects with
   * AllMirrorsFailed if every mirror has failed or time is up, and with another UpstreamFault if the caller disconnects. A caller that
   * disconnects or reaches its deadline does not count against a mirror.
   */
  query<Value>(attempt: MirrorAttempt<Value>, deadline: Deadline, options?: MirrorQueryOptions<Value>): Promise<Value>;
  /** Queries only the best mirror, and only once: for requests that must not be repeated. Rejects as `query` does. */
  queryOnce<Value>(attempt: MirrorAttempt<Value>, deadline: Deadline, except?: string): Promise<Value>;
  /** Sets a mirror aside whose response to a query begun at `startedMs` (monotonic) was behind another's. */
  fellBehind(origin: string, startedMs: number): void;
  /** Ends the background attempts. */
  close(): void;
}

// With jitter, so that callers whose requests failed together do not send them again together.
const RETRY_DELAY_MS = { min: 50, spread: 150 };

/** A group without mirrors: set them with `replace`. */
export function createMirrors(options: MirrorsOptions): Mirrors {
  const { name, clock, log, attemptTimeoutMs, observer, randomness } = options;
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

  const fellBehind = (mirror: string, startedMs: number): void =>
    failed(mirror, startedMs, new UpstreamFault("body", "its data is behind another mirror's"));

  const probe = async <Value>(
    mirror: string,
    attempt: MirrorAttempt<Value>,
    response: Promise<Value>,
    { isBehind = () => false }: MirrorQueryOptions<Value>,
  ): Promise<void> => {
    const startedMs = clock.monotonicMs();
    try {
      const value = await attempt(mirror, { signal: background.signal, timeoutMs: attemptTimeoutMs });
      const elapsedMs = clock.monotonicMs() - startedMs;
      if (await response.then((other) => isBehind(value, other)).catch(() => false)) {
        fellBehind(mirror, startedMs);
      } else {
        succeeded(mirror, clock.monotonicMs() - elapsedMs);
      }
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

  const raceAndRetry = async <Value>(
    attempt: MirrorAttempt<Value>,
    deadline: Deadline,
    order: readonly string[],
    isOnlyOne: boolean,
  ): Promise<Value> => {
    try {
      return await raceOf(attempt, deadline).run(order);
    } catch (thrown) {
      const delayMs = RETRY_DELAY_MS.min + randomness.unit() * RETRY_DELAY_MS.spread;
      const [first = ""] = order;
      if (
        !(isOnlyOne && thrown instanceof AllMirrorsFailed && mayPass(thrown.faults.get(first))) ||
        deadline.timeLeftMs() <= delayMs
      ) {
        throw thrown;
      }
      await pause(clock, delayMs, AbortSignal.any([deadline.signal, background.signal])).catch(() => {
        throw thrown;
      });
      return await raceOf(attempt, deadline).run([first]);
    }
  };

  return {
    replace(origins, reserves) {
      ranking.replace(origins, reserves);
      tellObserver();
    },
    queryOnce(attempt, deadline, except) {
      const { order, probes } = ranking.plan();
      // Mirrors are probed with the next request that may be sent twice.
      probes.forEach(ranking.probeEnded);
      return raceOf(attempt, deadline).run(order.filter((origin) => origin !== except).slice(0, 1));
    },
    query(attempt, deadline, mirrorOptions = {}) {
      const { except } = mirrorOptions;
      const { healthy } = ranking.counts();
      const { order, probes } = ranking.plan();
      const queried = order.filter((origin) => origin !== except);
      const isOnlyOne = except === undefined && (order.length === 1 || healthy === 1);
      const response = raceAndRetry(attempt, deadline, queried, isOnlyOne);
      for (const mirror of probes) {
        void probe(mirror, attempt, response, mirrorOptions);
      }
      return response;
    },
    fellBehind,
    close: () => background.abort(),
  };
}
