// Measures how long customers' calls take, by account, service and hour. This costs a call nothing: its duration is in the call log
// anyway. A process has one recorder, next to its store. Once a minute, or less often if there are thousands of customers, it writes the
// new measurements in batches.
import type { ServiceName } from "../catalogue/service-names.ts";
import { startBackgroundJob } from "../runtime/background-job.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { Store } from "../store/store.ts";
import { CALL_LATENCY_BOUNDS_MS, type LatencyCount, type LoggedCall, latencyBucketOf } from "../store/usage-records.ts";

const EVERY_MS = 60_000;
// If there are many counts, they are written a few minutes later, so that each row stands for several calls.
const COUNTS_PER_MINUTE_OF_DELAY = 1000;
const DELAY_MINUTES_MAX = 4;
// On the embedded database, leases have to wait while a batch is written.
const BATCH_MAX = 500;
const BATCH_PAUSE_MS = 100;
// How many counts are kept: about 12 MB. If the database is unreachable for so long that there would be more, those are not measured.
const COUNTS_MAX = 50_000;
const HOUR_MS = 3_600_000;
const HOUR_CHARACTERS = 13;

interface LatencyRecorderOptions {
  readonly store: Pick<Store, "addLatency">;
  /** The full names of the methods whose calls last as long as the caller wants. */
  readonly streams: ReadonlySet<string>;
  readonly clock: Pick<Clock, "after">;
  readonly log: Log;
}

// An account's calls to one service in one hour, counted from the epoch.
interface Count {
  readonly accountId: string;
  readonly service: ServiceName;
  readonly hour: number;
  readonly latency: number[];
}

export class LatencyRecorder {
  readonly #options: LatencyRecorderOptions;
  // An account has few counts, one for each service and hour.
  #counts = new Map<string, Count[]>();
  #size = 0;
  #minutesWaited = 0;
  readonly #end: () => Promise<void>;

  /** Begins to write. */
  constructor(options: LatencyRecorderOptions) {
    this.#options = options;
    this.#end = startBackgroundJob({
      ...options,
      everyMs: EVERY_MS,
      pauseMs: BATCH_PAUSE_MS,
      failure: "The response times of calls cannot be written; they are kept and will be retried",
      work: async () => {
        if (this.#minutesWaited < this.#delayMinutes) {
          this.#minutesWaited += 1;
          return false;
        }
        const hasMore = await this.#writeSome();
        this.#minutesWaited = hasMore ? DELAY_MINUTES_MAX : 0;
        return hasMore;
      },
    });
  }

  /** Counts how long calls took, except refused calls, dry runs and streams. */
  logged(calls: readonly LoggedCall[]): void {
    for (const { accountId, service, method, startedAtMs, durationMs, isRefused, isDryRun } of calls) {
      if (!isRefused && !isDryRun && !this.#options.streams.has(method)) {
        const latency = this.#latencyOf(accountId, service, Math.floor(startedAtMs / HOUR_MS));
        const bucket = latencyBucketOf(durationMs);
        if (latency !== undefined) {
          latency[bucket] = (latency[bucket] ?? 0) + 1;
        }
      }
    }
  }

  /** Writes what is left, once. Never rejects. */
  async close(): Promise<void> {
    await this.#end();
    try {
      while (await this.#writeSome()) {}
    } catch (error) {
      this.#options.log.warn({ err: error }, "The response times of the last minute's calls are lost");
    }
  }

  // Writes without delay once half of the memory is used: the other half is for calls that end while it writes.
  get #delayMinutes(): number {
    return this.#size >= COUNTS_MAX / 2 ? 0 : Math.min(DELAY_MINUTES_MAX, Math.floor(this.#size / COUNTS_PER_MINUTE_OF_DELAY));
  }

  // Returns whether there is more.
  async #writeSome(): Promise<boolean> {
    const batch = this.#take();
    if (batch.length === 0) {
      return false;
    }
    try {
      await this.#options.store.addLatency(batch.map(recordOf));
    } catch (error) {
      for (const { accountId, service, hour, latency } of batch) {
        const into = this.#latencyOf(accountId, service, hour);
        if (into !== undefined) {
          for (const [bucket, calls] of latency.entries()) {
            into[bucket] = (into[bucket] ?? 0) + calls;
          }
        }
      }
      throw error;
    }
    return this.#size > 0;
  }

  #take(): readonly Count[] {
    const batch: Count[] = [];
    for (const [accountId, counts] of this.#counts) {
      batch.push(...counts);
      this.#counts.delete(accountId);
      if (batch.length >= BATCH_MAX) {
        break;
      }
    }
    this.#size -= batch.length;
    return batch;
  }

  // The counts of an account's calls in an hour; undefined if there is no room for more.
  #latencyOf(accountId: string, service: ServiceName, hour: number): number[] | undefined {
    const counts = this.#counts.get(accountId);
    const found = counts?.find((one) => one.service === service && one.hour === hour);
    if (found !== undefined || this.#size >= COUNTS_MAX) {
      return found?.latency;
    }
    const count = { accountId, service, hour, latency: Array.from({ length: CALL_LATENCY_BOUNDS_MS.length + 1 }, () => 0) };
    if (counts === undefined) {
      this.#counts.set(accountId, [count]);
    } else {
      counts.push(count);
    }
    this.#size += 1;
    return count.latency;
  }
}

const recordOf = ({ hour, ...count }: Count): LatencyCount => ({
  ...count,
  hour: new Date(hour * HOUR_MS).toISOString().slice(0, HOUR_CHARACTERS),
});
