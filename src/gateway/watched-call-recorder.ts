// Records the calls of accounts that are being watched. Calls are passed on in batches every tenth of a second, with a limit per account.
// While no account is watched, no call gets here.
import type { CallBatch, CallRecord } from "../account/watch/call-record.ts";
import type { WatchedAccounts } from "../account/watch/watched-accounts.ts";
import type { ServiceName } from "../catalogue/service-names.ts";
import type { Reason } from "../problem/reason.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Randomness } from "../runtime/randomness.ts";
import { type CallObserver, type CurrentObserver, combineObservers, type ObservedCall } from "./call-observer.ts";

const HANDED_ON_EVERY_MS = 100;
const CALLS_OF_AN_ACCOUNT_MAX = 100;
const ACCOUNTS_MAX = 500;

interface WatchedCallRecorderOptions {
  /** The data services, by their full names. */
  readonly services: ReadonlyMap<string, ServiceName>;
  readonly watched: WatchedAccounts;
  readonly handOn: (batches: readonly CallBatch[]) => void;
  readonly clock: Clock;
  readonly randomness: Pick<Randomness, "uuid">;
}

export function createWatchedCallRecorder({
  services,
  watched,
  handOn,
  clock,
  randomness,
}: WatchedCallRecorderOptions): CallObserver {
  let batches = new Map<string, { accountId: string; calls: CallRecord[]; leftOut: number }>();
  // The beginning of the ids of this worker's calls.
  let prefix: string | undefined;
  let lastId = 0;
  const idsOfStreams = new WeakMap<ObservedCall, string>();

  const nextId = (): string => {
    prefix ??= randomness.uuid();
    lastId += 1;
    return `${prefix}-${lastId}`;
  };

  const flush = (): void => {
    const full = batches;
    batches = new Map();
    handOn([...full.values()]);
  };

  const record = (call: ObservedCall, make: () => CallRecord | undefined): void => {
    const accountId = call.identity?.accountId;
    if (accountId === undefined || !watched.mayHave(accountId)) {
      return;
    }
    if (batches.size === 0) {
      clock.after(HANDED_ON_EVERY_MS, flush);
    }
    let batch = batches.get(accountId);
    if (batch === undefined) {
      if (batches.size >= ACCOUNTS_MAX) {
        return;
      }
      batch = { accountId, calls: [], leftOut: 0 };
      batches.set(accountId, batch);
    }
    const made = batch.calls.length < CALLS_OF_AN_ACCOUNT_MAX ? make() : undefined;
    if (made === undefined) {
      batch.leftOut += 1;
    } else {
      batch.calls.push(made);
    }
  };

  return {
    began(call) {
      if (call.method?.desc.methodKind === "server_streaming") {
        record(call, () => {
          const id = nextId();
          idsOfStreams.set(call, id);
          return recordOf(call, { id, outcome: undefined, isRefused: false });
        });
      }
    },
    ended(call, outcome, isRefused) {
      record(call, () => recordOf(call, { id: idsOfStreams.get(call) ?? nextId(), outcome, isRefused }));
    },
  };

  function recordOf(
    { exchange, method, protocolName: protocol, isDryRun, identity, startedMs }: ObservedCall,
    known: { readonly id: string; readonly outcome: "OK" | Reason | undefined; readonly isRefused: boolean },
  ): CallRecord | undefined {
    const service = method && services.get(method.desc.parent.typeName);
    if (method === undefined || service === undefined || identity === undefined) {
      return undefined;
    }
    const elapsedMs = clock.monotonicMs() - startedMs;
    return {
      ...known,
      startedAtMs: Math.round(clock.nowMs() - elapsedMs),
      service,
      method: method.fullName,
      protocol,
      isDryRun,
      httpStatus: exchange.status,
      durationMs: known.outcome === undefined ? 0 : Math.round(elapsedMs * 1000) / 1000,
      requestBytes: exchange.requestBodyBytes,
      responseBytes: exchange.responseBodyBytes,
      requestId: exchange.requestId,
      keyId: identity.keyId,
      keyLastFour: identity.keyLastFour,
    };
  }
}

/** The permanent observers, plus the recorder while any account is watched. */
export function whileWatched(
  always: CallObserver | undefined,
  recorder: CallObserver,
  watched: Pick<WatchedAccounts, "isAny">,
): CurrentObserver {
  const both = combineObservers(always === undefined ? [recorder] : [always, recorder]);
  return () => (watched.isAny ? both : always);
}
