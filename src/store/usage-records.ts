// The records of usage that the store keeps and returns: calls and refusals as they are counted, and the queries for them.
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
