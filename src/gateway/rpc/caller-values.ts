// A call's context values: what is known of the caller, and whatever else is set on the way.
import type { ContextKey, ContextValues } from "@connectrpc/connect";
import type { Admitted } from "../../guard/guard.ts";
import type { Exchange } from "../../http/exchange.ts";
import { parseTraceContext, propagatedHeaders, propagatedHeadersKey, type TraceContext } from "../../runtime/trace-context.ts";

/** What they are told of a call. */
export interface CallOfValues {
  readonly admitted: Pick<Admitted, "caller">;
  readonly exchange: Pick<Exchange, "headers" | "requestId">;
  /** The trace of ours that it belongs to; undefined where it belongs to its caller's, if any. */
  readonly trace?: TraceContext | undefined;
}

/** Context values that begin with what is known of the caller. */
export class CallerValues implements ContextValues {
  readonly #call: CallOfValues;
  // Made when a value is first set: most handlers only ask for their entitlements.
  #changed: Map<symbol, unknown> | undefined;

  /** What goes along with the requests that are made for the call is read from its head when a handler asks. */
  constructor(call: CallOfValues) {
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
    const { caller } = this.#call.admitted;
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
