// Records calls by accounts that are being watched. Calls are passed on in batches every tenth of a second, with a limit per account. While
// no account is watched, no call gets here.
import type { CallBatch, CallRecord } from "../account/watch/call-record.ts";
import type { WatchedAccounts } from "../account/watch/watched-accounts.ts";
import type { Reason } from "../problem/reason.ts";
import type { Clock } from "../runtime/clock.ts";
import { type CallObserver, type CurrentObserver, combineObservers, type ObservedCall } from "./call-observer.ts";
import { callFactsOf, type DataServices, type GetCallId } from "./logged-call-recorder.ts";

const FORWARD_INTERVAL_MS = 100;
const CALLS_PER_ACCOUNT_MAX = 100;
const ACCOUNTS_MAX = 500;

interface WatchedCallRecorderOptions {
  readonly services: DataServices;
  readonly watched: WatchedAccounts;
  readonly passOn: (batches: readonly CallBatch[]) => void;
  readonly clock: Clock;
  readonly idOf: GetCallId;
}

export function createWatchedCallRecorder({ services, watched, passOn, clock, idOf }: WatchedCallRecorderOptions): CallObserver {
  let batches = new Map<string, { accountId: string; calls: CallRecord[]; leftOut: number }>();

  const flush = (): void => {
    const full = batches;
    batches = new Map();
    passOn([...full.values()]);
  };

  const record = (call: ObservedCall, make: () => CallRecord | undefined): void => {
    const accountId = call.identity?.accountId;
    if (accountId === undefined || !watched.mayHave(accountId)) {
      return;
    }
    if (batches.size === 0) {
      clock.after(FORWARD_INTERVAL_MS, flush);
    }
    let batch = batches.get(accountId);
    if (batch === undefined) {
      if (batches.size >= ACCOUNTS_MAX) {
        return;
      }
      batch = { accountId, calls: [], leftOut: 0 };
      batches.set(accountId, batch);
    }
    const created = batch.calls.length < CALLS_PER_ACCOUNT_MAX ? make() : undefined;
    if (created === undefined) {
      batch.leftOut += 1;
    } else {
      batch.calls.push(created);
    }
  };

  return {
    started(call) {
      if (call.method?.desc.methodKind === "server_streaming") {
        record(call, () => recordOf(call, { id: idOf(call), outcome: undefined, isRefused: false }));
      }
    },
    ended(call, outcome, isRefused) {
      record(call, () => recordOf(call, { id: idOf(call), outcome, isRefused }));
    },
  };

  function recordOf(
    call: ObservedCall,
    known: { readonly id: string; readonly outcome: "OK" | Reason | undefined; readonly isRefused: boolean },
  ): CallRecord | undefined {
    const facts = callFactsOf(call, services, clock);
    return facts && { ...facts, ...known, ...(known.outcome === undefined && { durationMs: 0 }) };
  }
}

/** The permanent observers, plus the recorder while any account is watched. */
export function whileWatched(
  always: CallObserver | undefined,
  recorder: CallObserver,
  watched: Pick<WatchedAccounts, "hasAny">,
): CurrentObserver {
  const both = combineObservers(always === undefined ? [recorder] : [always, recorder]);
  return () => (watched.hasAny ? both : always);
}
