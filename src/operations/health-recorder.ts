// Measures the services and the sources that they read, for the status page. This costs calls nothing: the recorder counts usage that is on
// its way to the database anyway, and reads the memory in which workers count their upstream requests. A process has one recorder, next to
// its store. It writes once a minute, at most a row for each service and source.
import type { ServiceName } from "../catalogue/service-names.ts";
import { REASONS } from "../problem/reason.ts";
import { startBackgroundJob } from "../runtime/background-job.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { GuardStore, Store } from "../store/store.ts";
import {
  type HealthCount,
  type HealthSubject,
  LATENCY_BOUNDS_MS,
  type LoggedCall,
  type RefusalCount,
  type UsageCount,
} from "../store/usage-records.ts";
import { type SourceCounts, sourceCounts } from "./metrics/source-counts.ts";
import type { MetricsMemory } from "./metrics/worker-metrics.ts";

const EVERY_MS = 60_000;
// How many counts are kept while the database is unreachable: enough for several days of all services.
const COUNTS_MAX = 1000;

interface HealthRecorderOptions {
  readonly store: Pick<Store, "addHealth">;
  /** The memory in which each worker counts. */
  readonly metrics: readonly MetricsMemory[];
  /** The full names of the methods whose calls last as long as the caller wants. */
  readonly streams: ReadonlySet<string>;
  readonly clock: Pick<Clock, "after" | "nowMs">;
  readonly log: Log;
}

type Count = { -readonly [Name in keyof HealthCount]: HealthCount[Name] } & { latency: number[] };

/** Whether a call with this outcome failed because of us or of a source. */
const isOurFault = (outcome: string): boolean => {
  const { fault } = (REASONS as Readonly<Record<string, { readonly fault: string } | undefined>>)[outcome] ?? {};
  return fault === "server" || fault === "upstream";
};

const hourAt = (ms: number): string => new Date(ms).toISOString().slice(0, 13);
const hourOf = ({ day, hour }: Pick<UsageCount, "day" | "hour">): string => `${day}T${String(hour).padStart(2, "0")}`;

export class HealthRecorder {
  readonly #options: HealthRecorderOptions;
  #counts = new Map<string, Count>();
  #sources: ReadonlyMap<ServiceName, SourceCounts>;
  readonly #end: () => Promise<void>;
  #calls = 0;

  constructor(options: HealthRecorderOptions) {
    this.#options = options;
    this.#sources = sourceCounts(options.metrics);
    this.#end = startBackgroundJob({
      ...options,
      everyMs: EVERY_MS,
      pauseMs: 0,
      failure: "Measurements of the services cannot be written; they are kept and will be retried",
      work: () => this.#write(),
    });
  }

  /** How many calls were admitted since the start. */
  get calls(): number {
    return this.#calls;
  }

  /** Wraps the store that guards use, and counts the usage and refusals that they write. */
  watching(store: GuardStore): GuardStore {
    return {
      ...store,
      addUsage: async (counts, id) => {
        await store.addUsage(counts, id);
        this.#used(counts);
      },
      addRefusals: async (counts, id) => {
        await store.addRefusals(counts, id);
        this.#refused(counts);
      },
    };
  }

  /** Counts how long calls took. Only calls in the call log are measured. */
  logged(calls: readonly LoggedCall[]): void {
    for (const { service, method, startedAtMs, durationMs, isRefused, isDryRun } of calls) {
      if (!isRefused && !isDryRun && !this.#options.streams.has(method)) {
        const latency = this.#countOf({ service, part: "calls" }, hourAt(startedAtMs))?.latency;
        const found = LATENCY_BOUNDS_MS.findIndex((bound) => durationMs <= bound);
        const bucket = found < 0 ? LATENCY_BOUNDS_MS.length : found;
        latency?.splice(bucket, 1, (latency[bucket] ?? 0) + 1);
      }
    }
  }

  /** Writes what is left, once. Never rejects. */
  async close(): Promise<void> {
    await this.#end();
    try {
      await this.#write();
    } catch (error) {
      this.#options.log.warn({ err: error }, "The last minute of service measurements is lost");
    }
  }

  #used(counts: readonly UsageCount[]): void {
    for (const { calls, outcome, service, ...at } of counts) {
      this.#calls += calls;
      const count = calls === 0 ? undefined : this.#countOf({ service, part: "calls" }, hourOf(at));
      if (count !== undefined) {
        count.calls += calls;
        count.failed += isOurFault(outcome) ? calls : 0;
      }
    }
  }

  #refused(counts: readonly RefusalCount[]): void {
    for (const { calls, reason, service, ...at } of counts) {
      const count = this.#countOf({ service, part: "calls" }, hourOf(at));
      if (count !== undefined && isOurFault(reason)) {
        count.calls += calls;
        count.failed += calls;
      } else if (count !== undefined) {
        count.refused += calls;
      }
    }
  }

  // Adds the requests to sources that workers have counted since the last time.
  #readSources(): void {
    const read = sourceCounts(this.#options.metrics);
    for (const [service, { sent, failed, latency }] of read) {
      const before = this.#sources.get(service);
      const more = sent - (before?.sent ?? 0);
      const count = more === 0 ? undefined : this.#countOf({ service, part: "source" }, hourAt(this.#options.clock.nowMs()));
      if (count !== undefined) {
        count.calls += more;
        count.failed += failed - (before?.failed ?? 0);
        count.latency = latency.map((value, bucket) => value - (before?.latency[bucket] ?? 0) + (count.latency[bucket] ?? 0));
      }
    }
    this.#sources = read;
  }

  async #write(): Promise<boolean> {
    this.#readSources();
    const counts = this.#counts;
    this.#counts = new Map();
    try {
      await this.#options.store.addHealth([...counts.values()]);
    } catch (error) {
      for (const count of counts.values()) {
        this.#add(count);
      }
      throw error;
    }
    return false;
  }

  #add(count: Count): void {
    const into = this.#countOf(count, count.hour);
    if (into !== undefined) {
      into.calls += count.calls;
      into.failed += count.failed;
      into.refused += count.refused;
      into.latency = into.latency.map((value, bucket) => value + (count.latency[bucket] ?? 0));
    }
  }

  // The count of a service's calls or source in an hour; undefined if there is no room for one more.
  #countOf({ service, part }: HealthSubject, hour: string): Count | undefined {
    const name = `${hour} ${service} ${part}`;
    const found = this.#counts.get(name);
    if (found !== undefined || this.#counts.size >= COUNTS_MAX) {
      return found;
    }
    const latency = Array.from({ length: LATENCY_BOUNDS_MS.length + 1 }, () => 0);
    const count = { service, part, hour, calls: 0, failed: 0, refused: 0, latency };
    this.#counts.set(name, count);
    return count;
  }
}
