// Sends identical concurrent requests once. Each caller keeps its own deadline and may leave at any time; the request itself
// continues while any of them waits, and is aborted when the last one has disconnected.
import type { Clock } from "../runtime/clock.ts";
import type { PropagatedHeaders } from "../runtime/trace-context.ts";
import { UpstreamFault } from "./fault.ts";
import type { UpstreamCall } from "./upstream.ts";

/** A request that one or more callers wait for. */
export interface Flight {
  /** Aborts when no caller waits any more. */
  readonly signal: AbortSignal;
  /** How long the most patient of its callers will still wait, in milliseconds. */
  timeLeftMs(): number;
  /** The headers passed on with it: the first caller's. */
  readonly propagated: PropagatedHeaders | undefined;
  /** The account that it is sent for: the first caller's. */
  readonly account: string | undefined;
  /** Called when it is sent: the first caller's. */
  readonly onSend?: (() => void) | undefined;
}

export interface Flights {
  /**
   * Waits for the request identified by `key`, and starts it if it is not in progress. Rejects as the request does, or with an
   * UpstreamFault "timeout" if this caller's time is up or its signal aborts.
   */
  join<Value>(key: string, call: UpstreamCall, start: (flight: Flight) => Promise<Value>): Promise<Value>;
  /** Aborts all requests; their callers get the fault. */
  abortAll(fault: UpstreamFault): void;
}

interface Entry extends Flight {
  readonly controller: AbortController;
  readonly outcome: Promise<unknown>;
  waiting: number;
  untilMs: number;
}

export function createFlights(clock: Clock): Flights {
  const entries = new Map<string, Entry>();

  const forget = (key: string, entry: Entry): void => {
    if (entries.get(key) === entry) {
      entries.delete(key);
    }
  };

  const begin = (
    key: string,
    { propagated, account, onSend }: UpstreamCall,
    start: (flight: Flight) => Promise<unknown>,
  ): Entry => {
    const controller = new AbortController();
    const outcome = Promise.withResolvers<unknown>();
    const entry: Entry = {
      controller,
      signal: controller.signal,
      propagated,
      account,
      onSend,
      outcome: outcome.promise,
      waiting: 0,
      untilMs: 0,
      timeLeftMs: () => entry.untilMs - clock.monotonicMs(),
    };
    entries.set(key, entry);
    // Aborting rejects at once, whatever the request is doing at that moment.
    controller.signal.addEventListener("abort", () => outcome.reject(controller.signal.reason), { once: true });
    // Started a tick later, when the first caller's deadline is known.
    queueMicrotask(() => {
      start(entry)
        .finally(() => forget(key, entry))
        .then(outcome.resolve, outcome.reject);
    });
    return entry;
  };

  const wait = (key: string, entry: Entry, call: UpstreamCall): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const stop = (): void => {
        cancelTimer();
        call.signal.removeEventListener("abort", onAbort);
      };
      const leave = (fault: UpstreamFault): void => {
        stop();
        entry.waiting -= 1;
        if (entry.waiting === 0) {
          forget(key, entry);
          entry.controller.abort(fault);
        }
        reject(fault);
      };
      const onAbort = (): void => leave(new UpstreamFault("timeout", "the caller has disconnected", { cause: call.signal.reason }));
      const cancelTimer = clock.after(call.timeoutMs, () =>
        leave(new UpstreamFault("timeout", `no response within ${Math.round(call.timeoutMs)} ms`)),
      );
      call.signal.addEventListener("abort", onAbort, { once: true });
      entry.outcome.finally(stop).then(resolve, reject);
    });

  return {
    async join<Value>(key: string, call: UpstreamCall, start: (flight: Flight) => Promise<Value>): Promise<Value> {
      if (call.signal.aborted) {
        throw new UpstreamFault("timeout", "the caller has disconnected", { cause: call.signal.reason });
      }
      if (call.timeoutMs <= 0) {
        throw new UpstreamFault("timeout", "no time is left");
      }
      const entry = entries.get(key) ?? begin(key, call, start);
      entry.waiting += 1;
      entry.untilMs = Math.max(entry.untilMs, clock.monotonicMs() + call.timeoutMs);
      // The entries are untyped because one map holds them all. A key always has the same `start`, and so the same type.
      return (await wait(key, entry, call)) as Value;
    },
    abortAll(fault) {
      for (const [key, entry] of entries) {
        forget(key, entry);
        entry.controller.abort(fault);
      }
    },
  };
}
