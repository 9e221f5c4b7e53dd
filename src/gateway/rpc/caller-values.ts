// A call's context values: what is known of the caller, and whatever else is set on the way.
import type { ContextKey, ContextValues } from "@connectrpc/connect";
import type { Admitted } from "../../guard/guard.ts";
import type { Exchange } from "../../http/exchange.ts";
import { parseTraceContext, propagatedHeaders, propagatedHeadersKey } from "../../runtime/trace-context.ts";

/** Context values that begin with what is known of the caller. */
export class CallerValues implements ContextValues {
  readonly #admitted: Pick<Admitted, "caller">;
  readonly #exchange: Pick<Exchange, "headers" | "requestId">;
  // Made when a value is first set: most handlers only ask for their entitlements.
  #changed: Map<symbol, unknown> | undefined;

  /** `exchange` is the call's: what goes along with the requests that are made for it is read from its head when a handler asks. */
  constructor(admitted: Pick<Admitted, "caller">, exchange: Pick<Exchange, "headers" | "requestId">) {
    this.#admitted = admitted;
    this.#exchange = exchange;
  }

  get<Value>(key: ContextKey<Value>): Value {
    if (this.#changed?.has(key.id)) {
      return this.#changed.get(key.id) as Value;
    }
    if (key.id === propagatedHeadersKey.id) {
      const { headers, requestId } = this.#exchange;
      return propagatedHeaders(requestId, parseTraceContext(headers)) as Value;
    }
    const { caller } = this.#admitted;
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
