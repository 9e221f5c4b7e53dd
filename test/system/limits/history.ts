// The record of a run: every call with its answer, everything that was done to the servers meanwhile, and what the stores held in the
// end. All times are milliseconds of one monotonic clock of the machine, which harness and nodes share.
import type { Reason } from "../../../src/problem/reason.ts";
import type { Month } from "../../../src/store/records.ts";

/** The protocols that calls are made in. */
export const PROTOCOLS = ["rest", "connect", "grpc-web", "grpc"] as const;

/** One of them. */
export type Protocol = (typeof PROTOCOLS)[number];

/** How a call ended for its caller. `lost`: no answer came, so it is unknown whether it was admitted. */
export type Outcome = "OK" | Reason | "lost";

/** One call. It was decided on at some moment from `startMs` to `endMs`. */
export interface CallRecord {
  readonly node: string;
  readonly subscription: string;
  readonly key: string;
  readonly protocol: Protocol;
  readonly startMs: number;
  readonly endMs: number;
  readonly outcome: Outcome;
  /** The month in which the answer says that it was counted; undefined where it does not say. */
  readonly month: Month | undefined;
}

/** A limit under test. */
export interface Subscription {
  readonly name: string;
  readonly callsPerMonth: number;
  readonly requestsPerSecond: number;
  /** The most calls that a process may hold and not have spent. */
  readonly leaseMax: number;
  /** Whether it was called in the end, with the stores healthy, until every node refused. */
  readonly usedUp: boolean;
}

/** What happened beside the calls. */
export type Event =
  | { readonly kind: "node started"; readonly node: string; readonly atMs: number }
  | { readonly kind: "node killed"; readonly node: string; readonly atMs: number }
  | { readonly kind: "worker killed"; readonly node: string; readonly atMs: number }
  /** The database failed nodes: it was stopped, silent, or connections to it were cut. */
  | { readonly kind: "database failed"; readonly fromMs: number; readonly untilMs: number }
  /** A node admitted its share of each rate out of its own buckets, as one of so many nodes. */
  | {
      readonly kind: "rate shared out";
      readonly node: string;
      readonly fromMs: number;
      readonly untilMs: number;
      readonly nodes: number;
    }
  /** A node's month became another at some moment in between. */
  | { readonly kind: "month changed"; readonly node: string; readonly fromMs: number; readonly untilMs: number };

/** What the store says that nodes have taken of a month. */
export interface Taken {
  readonly subscription: string;
  readonly month: Month;
  readonly calls: number;
}

/** What the usage history says of a month. */
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
  /** Whether nodes count the second together; otherwise there is one node at a time. */
  readonly sharedRate: boolean;
  /** The most calls that were under way at one node at once. */
  readonly callersPerNode: number;
  readonly calls: readonly CallRecord[];
  readonly events: readonly Event[];
  /** When all nodes had stopped. */
  readonly taken: readonly Taken[];
  readonly usage: readonly UsageRow[];
  /** The month in which the run ended. */
  readonly lastMonth: Month;
}

/** What an outcome says of a call. `kept`: admitted, and counts. `refunded`: admitted, and does not count. `unknown`: may be any of these. */
export type Meaning = "kept" | "refunded" | "refused" | "unknown";

const REFUNDED = new Set<Outcome>(["UPSTREAM_FAILED", "DEADLINE_EXCEEDED"]);
const REFUSED = new Set<Outcome>(["RATE_LIMITED", "QUOTA_EXCEEDED", "LIMITS_UNAVAILABLE", "SHUTTING_DOWN"]);

/** What an outcome means; undefined where no call of a run should end so. */
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
