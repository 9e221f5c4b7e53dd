// The quota's guarantees, checked on a record: never more calls than the quota, none admitted without a lease, and none lost except what
// failures may lose.
import type { Month } from "../../../src/runtime/calendar.ts";
import { type CallRecord, type Event, type History, meaningOf, type Subscription } from "./history.ts";

/** The counts of a subscription's month. */
export interface MonthCount {
  readonly subscription: string;
  readonly month: Month;
  readonly quota: number;
  /** Calls whose response says that they count. */
  readonly kept: number;
  /** Calls that may count too: their response was lost, or their refund may have come too late. */
  readonly possible: number;
  /** Calls that nodes leased from the store. */
  readonly taken: number;
  /** The most that the failures of the run may have lost. */
  readonly mayBeLost: number;
  /** Whether it was called until every node refused. */
  readonly usedUp: boolean;
}

// While the database fails, a node retries this often, and may lose one call each time.
const PROBE_EVERY_MS = 1000;

/** Counts each month that has any calls. */
export function countMonths(history: History): MonthCount[] {
  return history.subscriptions.flatMap((subscription) => {
    const calls = history.calls.filter((call) => call.subscription === subscription.name);
    const taken = history.taken.filter((one) => one.subscription === subscription.name);
    const months = new Set([...calls.flatMap(({ month }) => month ?? []), ...taken.map(({ month }) => month)]);
    return [...months].toSorted().map((month) => ({
      subscription: subscription.name,
      month,
      quota: subscription.callsPerMonth,
      kept: calls.filter((call) => call.month === month && meaningOf(call.outcome) === "kept").length,
      possible: calls.filter((call) => mayCount(call, month, history.events)).length,
      taken: taken.find((one) => one.month === month)?.calls ?? 0,
      mayBeLost: mayBeLost(subscription, history),
      usedUp: subscription.usedUp && month === history.lastMonth,
    }));
  });
}

/** What is wrong with the months, in sentences. */
export function checkMonths(history: History): string[] {
  return countMonths(history).flatMap((count) => {
    const { subscription, month, quota, kept, possible, taken, mayBeLost } = count;
    const of = `${subscription} in ${month}`;
    const wrong: string[] = [];
    if (kept > quota) {
      wrong.push(`over the quota: ${of} admitted ${kept} calls of ${quota}`);
    }
    if (taken > quota) {
      wrong.push(`over the quota: of ${of} nodes took ${taken} calls of ${quota}`);
    }
    if (kept > taken) {
      wrong.push(`admitted without a lease: ${of} admitted ${kept} calls, and nodes took ${taken}`);
    }
    if (taken - kept > mayBeLost + possible) {
      wrong.push(`lost too many: of ${of} nodes took ${taken}, ${kept} were admitted, and ${mayBeLost} + ${possible} may be lost`);
    }
    if (count.usedUp && quota - kept > mayBeLost + possible) {
      wrong.push(`under the quota: ${of} admitted ${kept} calls of ${quota}, and ${mayBeLost} + ${possible} may be lost`);
    }
    return wrong;
  });
}

// A refund is lost when the month changes, or the process dies, before it is made.
function mayCount(call: CallRecord, month: Month, events: readonly Event[]): boolean {
  switch (meaningOf(call.outcome)) {
    case "unknown":
      return true;
    case "refunded":
      return call.month === month && events.some((event) => event.kind === "month changed" && during(call, event));
    default:
      return false;
  }
}

const during = (call: CallRecord, { node, fromMs, untilMs }: Extract<Event, { kind: "month changed" }>): boolean =>
  call.node === node && call.startMs <= untilMs && call.endMs >= fromMs;

/**
 * A process that dies, or sees the month change, loses what it holds: a lease, and any refunds that it was returning. A thread that dies
 * loses at most the call that it was taking. A database that fails loses one lease of each node, because the grant was not confirmed, one
 * call for each retry of the node, and any refunds that were being returned. There are never more refunds on their way back than calls in
 * progress at once: a node leases more only when it has less than a lease.
 */
function mayBeLost({ name, leaseMax }: Subscription, { calls, events, callersPerNode }: History): number {
  const refunded = calls.filter(({ subscription, outcome }) => subscription === name && meaningOf(outcome) === "refunded");
  const beingReturned = (node: string, atMs: number): number =>
    Math.min(callersPerNode, refunded.filter((call) => call.node === node && call.startMs <= atMs).length);
  const nodes = new Set(events.flatMap((event) => (event.kind === "node started" ? event.node : []))).size;
  return events.reduce((sum, event) => {
    switch (event.kind) {
      case "node killed":
        return sum + leaseMax + beingReturned(event.node, event.atMs);
      case "month changed":
        return sum + leaseMax + beingReturned(event.node, event.untilMs);
      case "worker killed":
        return sum + 1;
      case "database failed":
        return sum + nodes * (leaseMax + callersPerNode + 1 + Math.ceil((event.untilMs - event.fromMs) / PROBE_EVERY_MS));
      default:
        return sum;
    }
  }, 0);
}
