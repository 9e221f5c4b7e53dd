// What servers measure about the services and the sources that they read, by hour, for the status page.
import type { ServiceName } from "../catalogue/service-names.ts";

/** How long these measurements are kept, in days. */
export const HEALTH_KEPT_DAYS = 90;

/** The upper bounds of the latency buckets, in milliseconds. The last bucket has no bound, so it is not listed. */
export const LATENCY_BOUNDS_MS = [5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 10_000, 30_000] as const;

/** What is measured: calls to a service, or requests to the source that it reads. */
export interface HealthSubject {
  readonly service: ServiceName;
  readonly part: "calls" | "source";
}

/** Counts of one subject. */
export interface HealthSums {
  /** Calls or requests that could have succeeded: all except those that were refused because of the caller. */
  readonly calls: number;
  /** How many of them failed because of us or a source. */
  readonly failed: number;
  /** Calls that were refused because of the caller: their key, their plan or a limit. Not counted in `calls`. */
  readonly refused: number;
  /** How many calls fall into each latency bucket. Their sum may be less than `calls`. */
  readonly latency: readonly number[];
}

/** Counts of one subject in one hour, UTC, such as `2026-11-21T14`. */
export interface HealthCount extends HealthSubject, HealthSums {
  readonly hour: string;
}

/** Counts of one subject in a day or an hour. */
export interface HealthRow extends HealthSubject, HealthSums {
  /** `2026-11-21`, or `2026-11-21T14`. */
  readonly time: string;
}

/** Which counts to add up. */
export interface HealthQuery {
  /** The first hour, such as `2026-11-21T14`, or a day for all of its hours. */
  readonly fromHour: string;
  readonly by: "day" | "hour";
}
