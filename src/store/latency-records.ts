// How long an account's calls took, by service and hour or day, as counts in latency buckets.
import type { ServiceName } from "../catalogue/service-names.ts";

const SHORTEST_MS = 0.25;
const BOUNDS = 18;

/** The upper bounds of the buckets, in milliseconds, each twice the one before. The last bucket has no bound, so it is not listed. */
export const CALL_LATENCY_BOUNDS_MS: readonly number[] = Array.from({ length: BOUNDS }, (_, power) => SHORTEST_MS * 2 ** power);

/** The index of the bucket of a call that took this long. */
export const latencyBucketOf = (durationMs: number): number =>
  Math.min(BOUNDS, Math.max(0, Math.ceil(Math.log2(durationMs / SHORTEST_MS))));

/** An account's calls to one service that started in one hour. */
export interface LatencyCount {
  readonly accountId: string;
  readonly service: ServiceName;
  /** UTC, `2026-11-21T14`. */
  readonly hour: string;
  /** How many calls fall into each latency bucket. */
  readonly latency: readonly number[];
}

/** What rows can be grouped by. */
export type LatencyDimension = "month" | "day" | "hour" | "service";

/** Which calls to add up, how they are grouped, and which page of the rows to return. */
export interface LatencyQuery {
  readonly accountId: string;
  /** All services if it is left out. */
  readonly service?: ServiceName | undefined;
  /** UTC, `2026-11-21`. */
  readonly fromDay: string;
  /** Inclusive. */
  readonly toDay: string;
  /** Each at most once. With `hour`, only calls from today and the seven days before are returned. */
  readonly groupBy: readonly LatencyDimension[];
  readonly limit: number;
  readonly offset: number;
}

/** One group of calls. Has only the fields that the calls were grouped by. */
export interface LatencyRow {
  readonly month?: string;
  readonly day?: string;
  /** `2026-11-21T14`, UTC. */
  readonly hour?: string;
  readonly service?: ServiceName;
  /** How many calls were measured. */
  readonly calls: number;
  /** How many of them fall into each latency bucket. */
  readonly latency: readonly number[];
}

/** A page of rows, and how many there are in total. */
export interface LatencyRows {
  readonly total: number;
  readonly rows: readonly LatencyRow[];
}
