// Who wants to hear of every call: metrics, the access log and traces. The gateway tells them where calls begin and end, and does nothing at all
// where nobody listens.
import type { CallerIdentity } from "../guard/keys/access.ts";
import type { Exchange } from "../http/exchange.ts";
import type { Reason } from "../problem/reason.ts";
import type { TraceContext } from "../runtime/trace-context.ts";
import type { ProtocolName } from "./rpc/codec.ts";
import type { Method } from "./rpc/method.ts";

/** A call, as far as it is known. */
export interface ObservedCall {
  readonly exchange: Exchange;
  readonly protocolName: ProtocolName;
  /** Undefined where the request names no method that there is. */
  readonly method: Method | undefined;
  /** Whether its caller only asks what would become of it. */
  readonly isDryRun: boolean;
  /** When its head was there, on the clock's monotonic time. */
  readonly startedMs: number;
  /** Whose key it is; undefined where that is not known, and for methods that need none. */
  readonly identity: CallerIdentity | undefined;
  /** The trace that goes along with the requests that are made for it, where that is not its caller's. Set by `within`. */
  trace?: TraceContext | undefined;
}

/** Hears of calls. Its functions must be quick, and never throw. */
export interface CallObserver {
  /** Runs an admitted call, where what it does is to be known as part of it. Calls `run` at once, and once. */
  within?(call: ObservedCall, run: () => void): void;
  /** An admitted call begins. `ended` is told of it too. */
  began(call: ObservedCall): void;
  /**
   * The call's answer has been sent, or its caller has gone. Every call ends once, those that were never admitted too: `isRefused` says that
   * the head alone was enough to refuse it.
   */
  ended(call: ObservedCall, outcome: "OK" | Reason, isRefused: boolean): void;
}

/** Who hears of a call that begins now; undefined where nobody does. It is asked for each call, so it does next to nothing. */
export type CurrentObserver = () => CallObserver | undefined;

/** One observer that tells all of them, of which one at most has `within`; undefined where there are none. */
export function tellAll(observers: readonly CallObserver[]): CallObserver | undefined {
  const [first, ...others] = observers;
  if (first === undefined || others.length === 0) {
    return first;
  }
  const within = observers.find((observer) => observer.within !== undefined)?.within;
  return {
    ...(within && { within }),
    began(call) {
      for (const observer of observers) {
        observer.began(call);
      }
    },
    ended(call, outcome, isRefused) {
      for (const observer of observers) {
        observer.ended(call, outcome, isRefused);
      }
    },
  };
}
