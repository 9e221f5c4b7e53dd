// What the store counts of calls: usage and refusals, how long calls took, the call log, and the health of services and sources.
import type { ServiceName } from "../catalogue/service-names.ts";
import type { Month } from "../runtime/calendar.ts";

/**
 * Names a batch of counts, so that it is added only once, however often it is tried. A writer numbers its batches in ascending
 * order and writes one at a time. A batch that is tried again has the same number and the same counts.
 */
export interface BatchId {
  /** A UUID that no other writer has. */
  readonly writer: string;
  /** At least 1. */
  readonly number: number;
}

/** Calls counted since the last flush. */
export interface UsageCount {
  readonly accountId: string;
  readonly keyId: string;
  readonly service: ServiceName;
  /** `quintet.farkle.v1.FarkleService/Score` */
  readonly method: string;
  /** UTC, `2026-11-21`. */
  readonly day: string;
  /** The hour of the day, from 0 to 23. */
  readonly hour: number;
  /** `OK` or a Reason. */
  readonly outcome: string;
  readonly calls: number;
}

/** Calls that were refused since the last flush. */
export interface RefusalCount {
  readonly accountId: string;
  readonly keyId: string;
  readonly service: ServiceName;
  /** UTC, `2026-11-21`. */
  readonly day: string;
  /** The hour of the day, from 0 to 23. */
  readonly hour: number;
  /** A `Reason`. */
  readonly reason: string;
  readonly calls: number;
  /** A plan with this many requests per second would have admitted all of them; 0 if that is not known. */
  readonly rateNeeded: number;
}

/** What rows of the usage history can be grouped by. */
export type UsageDimension = "month" | "day" | "hour" | "service" | "method" | "outcome" | "key";

/** A query for the usage history: which part of it, how it is grouped, and which page of the rows. */
export interface UsageQuery {
  readonly accountId: string;
  /** All services if it is left out. */
  readonly service?: ServiceName | undefined;
  /** UTC, `2026-11-21`. */
  readonly fromDay: string;
  /** Inclusive. */
  readonly toDay: string;
  /**
   * What the rows are grouped by, each at most once. Without grouping there is one row, or no row if there are no calls. With `hour`, only
   * calls from today and the seven days before are returned.
   */
  readonly groupBy: readonly UsageDimension[];
  /** The outcomes whose calls were refunded. Calls with any other outcome count against the quota. */
  readonly refunded: readonly string[];
  readonly limit: number;
  readonly offset: number;
  /** The maximum number of counts to add up. There is one for each day (or hour), method, key and outcome. */
  readonly countsMax: number;
}

/** A page of the usage history, and how many rows there are in total. */
export interface UsageRows {
  readonly total: number;
  readonly rows: readonly UsageRow[];
}

/** One group of calls. Has only the fields that the history was grouped by. */
export interface UsageRow {
  /** UTC, `2026-11`. */
  readonly month?: Month;
  readonly day?: string;
  /** UTC, `2026-11-21T14`. */
  readonly hour?: string;
  readonly service?: ServiceName;
  readonly method?: string;
  readonly outcome?: string;
  readonly keyId?: string;
  /** All calls, whatever their outcome. Exact up to 2^53. */
  readonly calls: number;
  /** Calls whose outcome is not `OK`. */
  readonly failed: number;
  /** Calls that count against the monthly quota. */
  readonly counted: number;
}

/** What counts of refusals can be grouped by. */
export type RefusalDimension = "month" | "day" | "hour" | "service" | "reason" | "key";

/** A query for refusals: which of them, how they are grouped, and which page of the rows. */
export interface RefusalQuery extends Omit<UsageQuery, "groupBy" | "refunded"> {
  /** What the rows are grouped by, each at most once. With `hour`, only refusals from today and the seven days before are returned. */
  readonly groupBy: readonly RefusalDimension[];
}

/** A page of refusals, and how many rows there are in total. */
export interface RefusalRows {
  readonly total: number;
  readonly rows: readonly RefusalRow[];
}

/** One group of refused calls. Has only the fields that they were grouped by. */
export interface RefusalRow {
  readonly month?: Month;
  readonly day?: string;
  /** UTC, `2026-11-21T14`. */
  readonly hour?: string;
  readonly service?: ServiceName;
  /** A `Reason`. */
  readonly reason?: string;
  /** Empty for calls that were counted without their key. */
  readonly keyId?: string;
  readonly calls: number;
  /** The largest `rateNeeded` of them; 0 if grouped by hour, because it is not kept by hour. */
  readonly rateNeeded: number;
}

export interface TopAccountsQuery extends Pick<UsageQuery, "service" | "fromDay" | "toDay" | "refunded"> {
  /** How many accounts to return. */
  readonly limit: number;
}

/** Calls to a service, by one account or by all. */
export interface ServiceCalls {
  readonly service: ServiceName;
  /** All calls, whatever their outcome. */
  readonly calls: number;
  /** Calls that count against the monthly quota. */
  readonly counted: number;
}

export interface TopAccounts {
  /** The usage of all accounts, by service; services without calls are left out. */
  readonly services: readonly (ServiceCalls & { readonly accounts: number })[];
  /** The accounts with the most calls, busiest first, each with its services by name. */
  readonly accounts: readonly {
    readonly accountId: string;
    /** Null if the account no longer exists. */
    readonly accountName: string | null;
    readonly services: readonly ServiceCalls[];
  }[];
}

/** How long a call stays in the log, in days. */
export const CALLS_KEPT_DAYS = 7;

/** What is recorded about a call besides how it ended. */
export interface CallFacts {
  /** When the request's head was complete, in milliseconds since the Unix epoch. */
  readonly startedAtMs: number;
  readonly service: ServiceName;
  /** The full name, such as `quintet.farkle.v1.FarkleService/Score`. */
  readonly method: string;
  readonly protocol: "rest" | "connect" | "grpc" | "grpc-web" | "mcp";
  /** The HTTP status of the response; 0 if none was sent. */
  readonly httpStatus: number;
  readonly isDryRun: boolean;
  readonly durationMs: number;
  readonly requestBytes: number;
  readonly responseBytes: number;
  readonly requestId: string;
  readonly keyId: string;
  readonly keyLastFour: string;
}

/** A call in the log. Plain values, because it is sent between threads. */
export interface LoggedCall extends CallFacts {
  readonly accountId: string;
  /** Identifies the call among all calls of all servers. */
  readonly id: string;
  /** `OK` or a Reason. */
  readonly outcome: string;
  /** Whether it was refused because of its key, its subscription or a limit. */
  readonly isRefused: boolean;
  /** How many of the account's calls in the same second, on the same server thread, are not in the log. */
  readonly leftOut: number;
  /** The request message in JSON; undefined if it was not read, or is not kept. */
  readonly parameters: string | undefined;
}

/** The position of a call in the log. */
export type CallCursor = Pick<LoggedCall, "startedAtMs" | "id">;

/** Which calls of an account to list, newest first. */
export interface CallQuery {
  readonly accountId: string;
  /** Only older calls than this one; undefined for all. */
  readonly before: CallCursor | undefined;
  readonly limit: number;
  /** Filters; each matches every call if it is undefined. */
  readonly requestId: string | undefined;
  readonly keyId: string | undefined;
  readonly service: string | undefined;
  readonly method: string | undefined;
  readonly outcome: string | undefined;
  readonly result: "succeeded" | "failed" | "refused" | undefined;
  readonly sinceMs: number | undefined;
  readonly untilMs: number | undefined;
}

/** A page of the log. */
export interface CallPage {
  readonly calls: readonly LoggedCall[];
  /** Where the next page begins; undefined if there is none. */
  readonly next: CallCursor | undefined;
}

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
