// Keeps one set of daily data fresh: reads it at the first call and then in the background, and keeps the last good reading. Callers
// share a reading in progress. A reading that failed, or found no recent day, is not repeated at once, however many callers want the data.
import type { Clock } from "../../../runtime/clock.ts";
import type { Log } from "../../../runtime/log.ts";
import type { Randomness } from "../../../runtime/randomness.ts";
import type { Deadline } from "../../../upstream/deadline.ts";
import { UpstreamFault } from "../../../upstream/fault.ts";
import type { UpstreamObserver } from "../../../upstream/upstream-observer.ts";
import { type Day, dayOfMs } from "../day.ts";

/** How many days old the newest day of an indicator may be. */
export const AGE_DAYS_MAX = 4;

/** One set of daily data. */
export interface Feed<Data> {
  /**
   * Returns the data: at once if its newest day is recent, otherwise after a new reading, and old data if there is no newer. Without any
   * data, it rejects with the error of the reading, or with an UpstreamFault "timeout" if the deadline passes or the caller cancels. The
   * reading continues for other callers.
   */
  get(deadline: Deadline): Promise<Data>;
  /** Stops reading, and waits for the reading in progress. */
  close(): Promise<void>;
}

interface FeedOptions<Data> {
  /** Its name in the log. */
  readonly name: string;
  /** Reads the data up to `yesterday`. If there is data already, only the newest days need to be read again. */
  readonly read: (held: Data | undefined, yesterday: Day, signal: AbortSignal) => Promise<Data>;
  /** The newest day in the data. */
  readonly newestDay: (data: Data) => Day | undefined;
  /** The last day with complete data: with several sources, the last that all of them have. */
  readonly completeDay: (data: Data) => Day | undefined;
  readonly clock: Clock;
  readonly randomness: Randomness;
  readonly log: Log;
  readonly observer?: UpstreamObserver | undefined;
}

// Sources publish a day minutes to hours after it ends. Until then they are queried at this interval. Their corrections of the newest days
// are read with the next day.
const CHECK_EVERY_MS = 15 * 60_000;
// Keeps processes that started together from reading together.
const CHECK_SPREAD_MS = 60_000;
// The shortest time between two readings started by callers while there is no recent data.
const RETRY_AFTER_MS = 15_000;

interface Attempt {
  readonly startedAtMs: number;
  readonly failure?: unknown;
}

/** Reads nothing before the first call. */
export function createFeed<Data>(options: FeedOptions<Data>): Feed<Data> {
  const { clock, log, name } = options;
  const closing = new AbortController();
  let held: Data | undefined;
  let last: Attempt | undefined;
  let inFlight: Promise<Data> | undefined;
  let cancelCheck: (() => void) | undefined;

  const today = (): Day => dayOfMs(clock.nowMs());
  const isRecent = (data: Data): boolean => today() - (options.newestDay(data) ?? Number.NEGATIVE_INFINITY) <= AGE_DAYS_MAX;

  const readNow = async (): Promise<Data> => {
    held = await options.read(held, today() - 1, closing.signal);
    return held;
  };

  const refresh = (): Promise<Data> => {
    if (inFlight === undefined) {
      const startedAtMs = clock.monotonicMs();
      last = { startedAtMs };
      inFlight = readNow()
        .catch((failure: unknown) => {
          last = { startedAtMs, failure };
          log.warn({ feed: name, error: failure instanceof Error ? failure.message : "unknown" }, "bitcoin data could not be read");
          throw failure;
        })
        .finally(() => {
          inFlight = undefined;
        });
    }
    return inFlight;
  };

  const keepFresh = (): void => {
    cancelCheck = clock.after(CHECK_EVERY_MS + options.randomness.unit() * CHECK_SPREAD_MS, () => {
      const complete = held === undefined ? undefined : options.completeDay(held);
      if (complete === undefined || complete < today() - 1) {
        // The failure has been logged, and the old data stays in use.
        refresh().catch(() => {});
      }
      keepFresh();
    });
  };

  return {
    async get(deadline) {
      if (closing.signal.aborted) {
        throw new UpstreamFault("connect", "closed");
      }
      const isHit = held !== undefined && isRecent(held);
      options.observer?.lookedUp(isHit);
      if (held !== undefined && isHit) {
        return held;
      }
      if (cancelCheck === undefined) {
        keepFresh();
      }
      try {
        if (inFlight === undefined && last !== undefined && clock.monotonicMs() - last.startedAtMs < RETRY_AFTER_MS) {
          throw last.failure;
        }
        return await waitFor(refresh(), deadline, clock);
      } catch (failure) {
        if (held === undefined) {
          throw failure;
        }
        return held;
      }
    },
    async close() {
      closing.abort(new UpstreamFault("connect", "closed"));
      cancelCheck?.();
      await inFlight?.catch(() => {});
    },
  };
}

function waitFor<Data>(outcome: Promise<Data>, { signal, timeLeftMs }: Deadline, clock: Clock): Promise<Data> {
  return new Promise((resolve, reject) => {
    const leave = (): void => reject(new UpstreamFault("timeout", "the caller's time is up", { cause: signal.reason }));
    const cancelTimer = clock.after(timeLeftMs(), leave);
    signal.addEventListener("abort", leave, { once: true });
    if (signal.aborted) {
      leave();
    }
    outcome
      .finally(() => {
        cancelTimer();
        signal.removeEventListener("abort", leave);
      })
      .then(resolve, reject);
  });
}
