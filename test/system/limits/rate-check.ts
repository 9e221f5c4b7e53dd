// The rate's guarantee, checked on a record: no time window admitted more calls than the rate times its length plus the burst, and one burst
// more for each time that Redis failed. A call was admitted between its start and its end, so all calls completely inside a window were
// admitted in it.
import { type CallRecord, type History, meaningOf, type Subscription } from "./history.ts";

/** The most that two of the machine's clocks drift apart in a run: Redis uses the time of day, and the record the monotonic clock. */
const DRIFT_MS = 2;

/** For how long after Redis can be used again its buckets may make up for what they lost. */
const BACK_MS = 1000;

/** What is wrong with the rates, in sentences: for each subscription, the window with the largest excess. */
export function checkRates(history: History): string[] {
  return history.subscriptions.flatMap((subscription) => {
    const admitted = history.calls.filter((call) => call.subscription === subscription.name && isAdmitted(call));
    // With fewer calls than a burst, nothing can exceed the rate.
    const worst = admitted.length > subscription.requestsPerSecond ? worstWindow(admitted, subscription, history) : undefined;
    return worst === undefined || worst.over <= 0 ? [] : [sentence(subscription, worst)];
  });
}

interface Window {
  readonly fromMs: number;
  readonly untilMs: number;
  readonly calls: number;
  readonly allowed: number;
  readonly over: number;
}

const isAdmitted = ({ outcome }: CallRecord): boolean => ["kept", "refunded"].includes(meaningOf(outcome) ?? "");

const sentence = ({ name, requestsPerSecond }: Subscription, { fromMs, untilMs, calls, allowed }: Window): string =>
  `over the rate: ${name} admitted ${calls} calls in ${(untilMs - fromMs).toFixed(1)} ms at ${requestsPerSecond}/s, ` +
  `where ${allowed.toFixed(1)} are allowed`;

// Every window that could be the worst begins with a call's start and ends with a call's end.
function worstWindow(admitted: readonly CallRecord[], subscription: Subscription, history: History): Window | undefined {
  const byEnd = admitted.toSorted((a, b) => a.endMs - b.endMs);
  const extras = extrasOf(subscription, history);
  let worst: Window | undefined;
  for (const { startMs: fromMs } of admitted) {
    let calls = 0;
    for (const { startMs, endMs: untilMs } of byEnd) {
      if (startMs < fromMs) {
        continue;
      }
      calls++;
      const plain = plainAllowance(subscription, fromMs, untilMs);
      if (calls > plain) {
        const allowed = plain + extras.reduce((sum, extra) => sum + extra(fromMs, untilMs), 0);
        if (worst === undefined || calls - allowed > worst.over) {
          worst = { fromMs, untilMs, calls, allowed, over: calls - allowed };
        }
      }
    }
  }
  return worst;
}

const plainAllowance = ({ requestsPerSecond }: Subscription, fromMs: number, untilMs: number): number =>
  requestsPerSecond + (requestsPerSecond * (untilMs - fromMs + DRIFT_MS)) / 1000;

type Extra = (fromMs: number, untilMs: number) => number;

/**
 * A window's extra allowance: a burst if the only node was started in it, with full buckets, or if a node could not use Redis; and that
 * node's share of the rate as long as it could not.
 */
const extrasOf = ({ requestsPerSecond }: Subscription, { events, sharedRate }: History): Extra[] =>
  events.flatMap((event): Extra[] => {
    switch (event.kind) {
      case "node started":
        return sharedRate ? [] : [(fromMs, untilMs) => (event.atMs >= fromMs && event.atMs <= untilMs ? requestsPerSecond : 0)];
      case "rate shared out":
        return [
          (fromMs, untilMs) => {
            const aloneMs = Math.min(untilMs, event.untilMs) - Math.max(fromMs, event.fromMs);
            return aloneMs < -BACK_MS ? 0 : requestsPerSecond * (1 + Math.max(0, aloneMs) / 1000 / event.nodes);
          },
        ];
      default:
        return [];
    }
  });
