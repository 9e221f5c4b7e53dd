// The tables of usage: calls that are leased, counted, refused and logged.
import type { Generated, GeneratedAlways } from "kysely";
import type { Flag } from "./flag.ts";

/**
 * Calls of a month that nodes have leased, by account and service, so that a subscription that follows a cancelled one continues its count.
 */
export interface MonthLeasesTable {
  readonly account_id: string;
  /** For a key's cap, `key:` followed by the cap's id. */
  readonly service: string;
  readonly month: string;
  readonly leased: number;
  /** Calls that an operator has credited on top of the plan's. */
  readonly credited: Generated<number>;
  /** How many of the leased calls were never leased by a server, but counted as used because the database had lost its counts. */
  readonly raised: Generated<number>;
  /** Whether nothing more is leased, because the monthly usage continues in another account. */
  readonly closed: Generated<Flag>;
  /** The number of digits of `leased`, times ten, and its first digit; 0 below 1,000. */
  readonly magnitude: GeneratedAlways<number>;
}

/** One row for each time that calls were counted as used because the database had lost its counts. */
export interface QuotaRaisesTable {
  readonly id: string;
  readonly month: string;
  /** For how many seconds of a plan's rate each subscription is charged; 0 if it is charged by `percent`. */
  readonly seconds: number;
  /** The percentage of its monthly quota that each subscription is charged; 0 if it is charged by `seconds`. */
  readonly percent: number;
  readonly made_at_ms: number;
}

export interface UsageCountsTable {
  readonly account_id: string;
  readonly key_id: string;
  readonly service: string;
  readonly method: string;
  readonly day: string;
  readonly outcome: string;
  readonly calls: number;
}

/** Calls in the last few days by hour. The hours of a day add up to its counts above. */
export interface UsageHoursTable {
  readonly account_id: string;
  readonly key_id: string;
  readonly service: string;
  readonly method: string;
  /** UTC, `2026-11-21T14`. */
  readonly hour: string;
  readonly outcome: string;
  readonly calls: number;
}

/** Refused calls with keys that are known. */
export interface RefusalCountsTable {
  readonly account_id: string;
  /** Empty if an account had too many kinds of refusals in a day to count them by key. */
  readonly key_id: string;
  readonly service: string;
  readonly day: string;
  readonly reason: string;
  readonly calls: number;
  /** A plan with this many requests per second would have admitted all these calls; 0 if that is not known. */
  readonly rate_needed: number;
}

/** Refused calls in the last few days by hour. The hours of a day add up to its counts above. */
export interface RefusalHoursTable {
  readonly account_id: string;
  /** Empty as in the table above. */
  readonly key_id: string;
  readonly service: string;
  /** UTC, `2026-11-21T14`. */
  readonly hour: string;
  readonly reason: string;
  readonly calls: number;
}

/** Counts that servers have written and that have not been added to the tables above yet. */
export interface CountBatchesTable {
  /** From 0 to 63. All counts of an account are in the same bucket. */
  readonly bucket: number;
  /** A UUID. */
  readonly writer: string;
  /** The number of the writer's batch. */
  readonly number: number;
  readonly kind: "usage" | "refusals";
  readonly written_at_ms: number;
  /** How many counts the batch has. */
  readonly size: number;
  /** A JSON array. */
  readonly counts: string;
}

/** The last batch of each writer. */
export interface CountWritersTable {
  readonly writer: string;
  readonly number: number;
  readonly written_at_ms: number;
}

/** One row for each bucket. */
export interface CountBucketsTable {
  readonly bucket: number;
  readonly added_up_at_ms: number;
}

/** When each key was last used. */
export interface KeyUsesTable {
  readonly key_id: string;
  readonly account_id: string;
  readonly last_used_at_ms: number;
}

/** The call log: a bounded number of calls per second, for the last seven days. */
export interface LoggedCallsTable {
  readonly account_id: string;
  readonly started_at_ms: number;
  readonly id: string;
  readonly service: string;
  readonly method: string;
  readonly protocol: string;
  readonly http_status: number;
  readonly outcome: string;
  readonly refused: Flag;
  readonly dry_run: Flag;
  readonly duration_us: number;
  readonly request_bytes: number;
  readonly response_bytes: number;
  readonly request_id: string;
  readonly key_id: string;
  readonly key_last_four: string;
  /** How many of the account's calls in the same second are not in the log. */
  readonly left_out: number;
  /** The request message in JSON; null if it is not kept. */
  readonly parameters: string | null;
}

/** How long calls in the last few days took, by hour. The columns `took_0` to `took_18` count the calls in each latency bucket. */
export interface LatencyHoursTable {
  readonly account_id: string;
  /** UTC, `2026-11-21T14`. */
  readonly hour: string;
  readonly service: string;
  readonly [took: `took_${number}`]: number;
}

/** How long calls took, by day, in the same columns. */
export interface LatencyDaysTable {
  readonly account_id: string;
  readonly day: string;
  readonly service: string;
  readonly [took: `took_${number}`]: number;
}

/**
 * What servers measured in an hour, of calls to a service or of requests to its source. The columns `took_0` to `took_12` count them by
 * latency bucket.
 */
export interface HealthHoursTable {
  readonly hour: string;
  readonly service: string;
  readonly part: string;
  readonly calls: number;
  readonly failed: number;
  readonly refused: number;
  readonly [took: `took_${number}`]: number;
}
