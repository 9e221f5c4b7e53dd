// The context values of a call: what is known about the caller, and whatever else is set along the way.
import type { ContextKey, ContextValues } from "@connectrpc/connect";
import type { Admitted } from "../../guard/guard.ts";
import type { Exchange } from "../../http/exchange.ts";
import { callingAccountKey, upstreamRequestKey } from "../../runtime/calling-account.ts";
import { parseTraceContext, propagatedHeaders, propagatedHeadersKey, type TraceContext } from "../../runtime/trace-context.ts";

/** The parts of a call that its context values come from. */
export interface CallWithValues {
  readonly admitted: Pick<Admitted, "caller" | "identity" | "chargeRequest">;
  readonly exchange: Pick<Exchange, "headers" | "requestId">;
  /** Our own trace; undefined if the call belongs to its caller's trace or to none. */
  readonly trace?: TraceContext | undefined;
}

/** Context values that start with what is known about the caller. */
export class CallerValues implements ContextValues {
  readonly #call: CallWithValues;
  // Created when a value is first set: most handlers only read the caller's entitlements and never set a value.
  #changed: Map<symbol, unknown> | undefined;

  /** The propagated headers are read from the call's head only when a handler asks. */
  constructor(call: CallWithValues) {
    this.#call = call;
  }

  get<Value>(key: ContextKey<Value>): Value {
    if (this.#changed?.has(key.id)) {
      return this.#changed.get(key.id) as Value;
    }
    if (key.id === propagatedHeadersKey.id) {
      const { exchange, trace } = this.#call;
      return propagatedHeaders(exchange.requestId, trace ?? parseTraceContext(exchange.headers)) as Value;
    }
    const { admitted } = this.#call;
    const { caller, identity } = admitted;
    if (key.id === upstreamRequestKey.id) {
      return (() => admitted.chargeRequest?.()) as Value;
    }
    if (key.id === callingAccountKey.id) {
      return identity?.accountId as Value;
    }
    return key.id === caller.key.id ? (caller.value as Value) : key.defaultValue;
  }

  set<Value>(key: ContextKey<Value>, value: Value): this {
    this.#changed ??= new Map();
    this.#changed.set(key.id, value);
    return this;
  }

  delete(key: ContextKey<unknown>): this {
    return this.set(key, key.defaultValue);
  }
}
