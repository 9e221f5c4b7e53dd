// Observers of calls: metrics, the access log and traces. The gateway notifies them when calls begin and end, at no cost when there is no
// observer.
import type { Message } from "@bufbuild/protobuf";
import type { Exchange } from "@quintet/http";
import type { CallerIdentity } from "../guard/keys/access.ts";
import type { Reason } from "../problem/reason.ts";
import type { TraceContext } from "../runtime/trace-context.ts";
import type { ProtocolName } from "./rpc/codec.ts";
import type { Method } from "./rpc/method.ts";

/** A request, and the call in it if that is known. */
export interface ObservedCall {
  readonly exchange: Exchange;
  readonly protocolName: ProtocolName;
  /** Undefined if the request names no existing method. */
  readonly method: Method | undefined;
  readonly isDryRun: boolean;
  /** When its head arrived, in monotonic time. */
  readonly startedMs: number;
  /** The owner of the key; undefined if unknown, and for methods that need no key. */
  readonly identity: CallerIdentity | undefined;
  /** The request message; undefined if it has not been read, and for streams in RPC protocols. */
  readonly input?: Message | undefined;
  /** The trace passed on with upstream requests of the call, if it is not the caller's. Set by `within`. */
  trace?: TraceContext | undefined;
}

/** Observes calls. Its functions must be quick and never throw. */
export interface CallObserver {
  /** Runs an admitted call, so that everything it does is recorded as part of it. Calls `run` once, immediately. */
  within?(call: ObservedCall, run: () => void): void;
  /** Called when an admitted call begins. `ended` will be called for it too. */
  started(call: ObservedCall): void;
  /**
   * Called when the response has been sent or the caller has disconnected: once per call, including calls that were never admitted.
   * `isRefused`: the call was refused because of its head, before its body was read.
   */
  ended(call: ObservedCall, outcome: "OK" | Reason, isRefused: boolean): void;
}

/** The observer of a call that begins now; undefined if there is none. Called for each call, so it must be fast. */
export type CurrentObserver = () => CallObserver | undefined;

/** Combines observers into one; undefined if there are none. At most one of them may have `within`. */
export function combineObservers(observers: readonly CallObserver[]): CallObserver | undefined {
  const [first, ...others] = observers;
  if (first === undefined || others.length === 0) {
    return first;
  }
  const within = observers.find((observer) => observer.within !== undefined)?.within;
  return {
    ...(within && { within }),
    started(call) {
      for (const observer of observers) {
        observer.started(call);
      }
    },
    ended(call, outcome, isRefused) {
      for (const observer of observers) {
        observer.ended(call, outcome, isRefused);
      }
    },
  };
}
