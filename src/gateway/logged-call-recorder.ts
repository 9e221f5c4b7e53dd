// Chooses the calls that go into the log of their account, and passes them on once a second. The number per second is bounded, for the
// worker and for each account. An account's calls that succeeded, that failed and that were refused are bounded separately, so that a flood
// of one kind does not hide the others. The last logged call of a second says how many calls were left out.
import { toJsonString } from "@bufbuild/protobuf";
import type { ServiceName } from "../catalogue/service-names.ts";
import type { Clock } from "../runtime/clock.ts";
import type { Randomness } from "../runtime/randomness.ts";
import type { CallFacts, LoggedCall } from "../store/usage-records.ts";
import type { CallObserver, ObservedCall } from "./call-observer.ts";

const FORWARD_INTERVAL_MS = 1000;
// How much of the worker's limit one account may use, for each kind of outcome.
const ACCOUNT_SHARE = 1 / 4;
const ACCOUNTS_MAX = 10_000;
const PARAMETER_CHARACTERS_MAX = 2000;

interface LoggedCallRecorderOptions {
  readonly services: DataServices;
  /** The most calls per second that go into the log. */
  readonly callsPerSecondMax: number;
  readonly passOn: (calls: readonly LoggedCall[]) => void;
  readonly clock: Clock;
  readonly idOf: GetCallId;
}

export interface LoggedCallRecorder extends CallObserver {
  /** Passes on the calls so far. */
  flush(): void;
}

// A call whose second is not over yet, so that `leftOut` may still grow.
type NewCall = Omit<LoggedCall, "leftOut"> & { leftOut: number };

// How many calls of an account have been logged and left out in the current second.
interface Second {
  succeeded: number;
  failed: number;
  refused: number;
  leftOut: number;
  /** The last logged call; undefined if there is none. */
  last: NewCall | undefined;
}

const newSecond = (leftOut = 0): Second => ({ succeeded: 0, failed: 0, refused: 0, leftOut, last: undefined });

export function createLoggedCallRecorder(options: LoggedCallRecorderOptions): LoggedCallRecorder {
  const { services, callsPerSecondMax, passOn, clock, idOf } = options;
  const perAccountMax = Math.max(1, Math.floor(callsPerSecondMax * ACCOUNT_SHARE));
  let seconds = new Map<string, Second>();
  let calls: NewCall[] = [];
  let cancelFlush: (() => void) | undefined;

  const flush = (): void => {
    cancelFlush?.();
    cancelFlush = undefined;
    const full = calls;
    const ended = seconds;
    calls = [];
    seconds = new Map();
    for (const [accountId, { last, leftOut }] of ended) {
      if (last !== undefined) {
        last.leftOut = leftOut;
      } else if (leftOut > 0) {
        // No call of the account was logged in that second, so its next logged call reports the number.
        seconds.set(accountId, newSecond(leftOut));
      }
    }
    if (full.length > 0) {
      passOn(full);
    }
  };

  const secondOf = (accountId: string): Second | undefined => {
    const known = seconds.get(accountId);
    if (known !== undefined || seconds.size >= ACCOUNTS_MAX) {
      return known;
    }
    const second = newSecond();
    seconds.set(accountId, second);
    return second;
  };

  return {
    started() {},
    ended(call, outcome, isRefused) {
      const accountId = call.identity?.accountId;
      if (accountId === undefined) {
        return;
      }
      const second = secondOf(accountId);
      if (second === undefined) {
        return;
      }
      cancelFlush ??= clock.after(FORWARD_INTERVAL_MS, flush);
      const kind = isRefused ? "refused" : outcome === "OK" ? "succeeded" : "failed";
      if (second[kind] >= perAccountMax || calls.length >= callsPerSecondMax) {
        second.leftOut += 1;
        return;
      }
      const facts = callFactsOf(call, services, clock);
      if (facts !== undefined) {
        second[kind] += 1;
        const logged = { ...facts, accountId, id: idOf(call), outcome, isRefused, leftOut: 0, parameters: parametersOf(call) };
        second.last = logged;
        calls.push(logged);
      }
    },
    flush,
  };
}

// The request message as JSON; undefined if the message was not read. Long JSON is truncated.
function parametersOf({ method, input }: ObservedCall): string | undefined {
  if (method === undefined || input === undefined) {
    return undefined;
  }
  const json = toJsonString(method.desc.input, input);
  return json.length > PARAMETER_CHARACTERS_MAX ? `${json.slice(0, PARAMETER_CHARACTERS_MAX)}…` : json;
}

/** The data services, by their full names. */
export type DataServices = ReadonlyMap<string, ServiceName>;

/** The facts of a call; undefined unless it is a call to a data service with a known key. */
export function callFactsOf(
  { exchange, method, protocolName: protocol, isDryRun, identity, startedMs }: ObservedCall,
  services: DataServices,
  clock: Pick<Clock, "nowMs" | "monotonicMs">,
): CallFacts | undefined {
  const service = method && services.get(method.desc.parent.typeName);
  if (method === undefined || service === undefined || identity === undefined) {
    return undefined;
  }
  const elapsedMs = clock.monotonicMs() - startedMs;
  return {
    startedAtMs: Math.round(clock.nowMs() - elapsedMs),
    service,
    method: method.fullName,
    protocol,
    isDryRun,
    httpStatus: exchange.status,
    durationMs: Math.round(elapsedMs * 1000) / 1000,
    requestBytes: exchange.requestBodyBytes,
    responseBytes: exchange.responseBodyBytes,
    requestId: exchange.requestId,
    keyId: identity.keyId,
    keyLastFour: identity.keyLastFour,
  };
}

/** Returns the id of a call: always the same for one call, and unique among the calls in all workers. */
export type GetCallId = (call: ObservedCall) => string;

/** The ids of a worker's calls. Each is created when it is first needed. */
export function createCallIds(randomness: Pick<Randomness, "uuid">): GetCallId {
  const ids = new WeakMap<ObservedCall, string>();
  let prefix: string | undefined;
  let last = 0;
  return (call) => {
    const known = ids.get(call);
    if (known !== undefined) {
      return known;
    }
    prefix ??= randomness.uuid();
    last += 1;
    const id = `${prefix}-${last}`;
    ids.set(call, id);
    return id;
  };
}
