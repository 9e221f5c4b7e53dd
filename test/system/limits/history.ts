// The record of a run: every call with its response, everything that was done to the servers, and what the stores held in the end. All
// times are milliseconds of the machine's monotonic clock, which the harness and the nodes share.
import type { Reason } from "../../../src/problem/reason.ts";
import type { Month } from "../../../src/runtime/calendar.ts";

/** The protocols that calls are made in. */
export const PROTOCOLS = ["rest", "connect", "grpc-web", "grpc"] as const;

/** One of them. */
export type Protocol = (typeof PROTOCOLS)[number];

/** How a call ended for its caller. `lost`: no response arrived, so nobody knows whether it was admitted. */
export type Outcome = "OK" | Reason | "lost";

/** One call. It was decided on at some time from `startMs` to `endMs`. */
export interface CallRecord {
  readonly node: string;
  readonly subscription: string;
  readonly key: string;
  readonly protocol: Protocol;
  readonly startMs: number;
  readonly endMs: number;
  readonly outcome: Outcome;
  /** The month in which the call was counted, according to the response; undefined if that does not say. */
  readonly month: Month | undefined;
}

/** A limit under test. */
export interface Subscription {
  readonly name: string;
  readonly callsPerMonth: number;
  readonly requestsPerSecond: number;
  /** The most unspent calls that a process may hold. */
  readonly leaseMax: number;
  /** Whether it was called at the end, with healthy stores, until every node refused. */
  readonly usedUp: boolean;
}

/** What happened besides the calls. */
export type Event =
  | { readonly kind: "node started"; readonly node: string; readonly atMs: number }
  | { readonly kind: "node killed"; readonly node: string; readonly atMs: number }
  | { readonly kind: "worker killed"; readonly node: string; readonly atMs: number }
  /** The database failed nodes: it was stopped, silent, or connections to it were cut. */
  | { readonly kind: "database failed"; readonly fromMs: number; readonly untilMs: number }
  /** A node admitted its share of each rate from its own buckets, as one of this many nodes. */
  | {
      readonly kind: "rate shared out";
      readonly node: string;
      readonly fromMs: number;
      readonly untilMs: number;
      readonly nodes: number;
    }
  /** A node's month changed at some time in between. */
  | { readonly kind: "month changed"; readonly node: string; readonly fromMs: number; readonly untilMs: number };

/** The calls of a month that nodes have leased, according to the store. */
export interface Taken {
  readonly subscription: string;
  readonly month: Month;
  readonly calls: number;
}

/** A month in the usage history. */
export interface UsageRow {
  readonly subscription: string;
  readonly key: string;
  readonly month: Month;
  readonly outcome: string;
  readonly calls: number;
}

/** A run. */
export interface History {
  readonly subscriptions: readonly Subscription[];
  /** Whether nodes share the rate; otherwise there is only one node at a time. */
  readonly sharedRate: boolean;
  /** The most calls in progress on one node at the same time. */
  readonly callersPerNode: number;
  readonly calls: readonly CallRecord[];
  readonly events: readonly Event[];
  /** When all nodes had stopped. */
  readonly taken: readonly Taken[];
  readonly usage: readonly UsageRow[];
  /** The month in which the run ended. */
  readonly lastMonth: Month;
}

/**
 * What an outcome means for a call. `kept`: admitted, and counts. `refunded`: admitted, and does not count. `unknown`: could be either.
 */
export type Meaning = "kept" | "refunded" | "refused" | "unknown";

const REFUNDED = new Set<Outcome>(["UPSTREAM_FAILED", "DEADLINE_EXCEEDED"]);
const REFUSED = new Set<Outcome>(["RATE_LIMITED", "QUOTA_EXCEEDED", "LIMITS_UNAVAILABLE", "SHUTTING_DOWN"]);

/** What an outcome means; undefined if no call of a run should end so. */
export function meaningOf(outcome: Outcome): Meaning | undefined {
  if (outcome === "lost") {
    return "unknown";
  }
  if (outcome === "OK" || outcome === "INVALID_ARGUMENT") {
    return "kept";
  }
  if (REFUNDED.has(outcome)) {
    return "refunded";
  }
  return REFUSED.has(outcome) ? "refused" : undefined;
}
