// One call as its handler sees it: Connect's HandlerContext. Headers, signal and context values are created on first use, so a
// call that needs none of them pays nothing.
import type { DescMethod, DescService } from "@bufbuild/protobuf";
import type { ContextKey, ContextValues, HandlerContext } from "@connectrpc/connect";
import type { Exchange } from "@quintet/http";
import type { Admitted } from "../../guard/guard.ts";
import { Failure } from "../../problem/failure.ts";
import type { Problem } from "../../problem/problem.ts";
import { callingAccountKey, upstreamRequestKey } from "../../runtime/calling-account.ts";
import type { Clock } from "../../runtime/clock.ts";
import { parseTraceContext, propagatedHeaders, propagatedHeadersKey, type TraceContext } from "../../runtime/trace-context.ts";
import type { RestStreamOperation, UnaryOperation } from "../operation.ts";
import type { HandlerMetadata } from "./response-metadata.ts";
import { visibleHeaders } from "./visible-headers.ts";

/** The parts of a call that its context values come from. */
interface CallWithValues {
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

/** The URL of the request. It is not parsed, so it may be invalid. */
export function urlOf({ authority = "localhost", isSecure, path, query }: Exchange): string {
  return `${isSecure ? "https" : "http"}://${authority}${path}${query === "" ? "" : `?${query}`}`;
}

const hasAny = (headers: Headers | undefined): boolean => headers !== undefined && headers.keys().next().done === false;

export class CallContext implements HandlerContext, HandlerMetadata {
  readonly protocolName: string;
  // Private, because its headers contain secrets.
  readonly #operation: UnaryOperation | RestStreamOperation;
  readonly #clock: Clock;
  readonly #untilMs: number | undefined;
  #controller: AbortController | undefined;
  #problem: Problem | undefined;
  #requestHeader: Headers | undefined;
  #responseHeader: Headers | undefined;
  #responseTrailer: Headers | undefined;
  #values: ContextValues | undefined;

  /** `untilMs` is the caller's deadline in monotonic time; undefined if there is none. */
  constructor(operation: UnaryOperation | RestStreamOperation, clock: Clock, untilMs: number | undefined) {
    this.protocolName = operation.codec.protocolName;
    this.#operation = operation;
    this.#clock = clock;
    this.#untilMs = untilMs;
  }

  get method(): DescMethod {
    return this.#operation.method.desc;
  }

  get service(): DescService {
    return this.method.parent;
  }

  get requestMethod(): string {
    return this.#operation.exchange.method;
  }

  get url(): string {
    return urlOf(this.#operation.exchange);
  }

  get requestHeader(): Headers {
    this.#requestHeader ??= visibleHeaders(this.#operation.exchange.headers);
    return this.#requestHeader;
  }

  get responseHeader(): Headers {
    this.#responseHeader ??= new Headers();
    return this.#responseHeader;
  }

  get responseTrailer(): Headers {
    this.#responseTrailer ??= new Headers();
    return this.#responseTrailer;
  }

  get headersSet(): Headers | undefined {
    return this.#responseHeader;
  }

  get trailersSet(): Headers | undefined {
    return this.#responseTrailer;
  }

  get hasMetadata(): boolean {
    return hasAny(this.#responseHeader) || hasAny(this.#responseTrailer);
  }

  get values(): ContextValues {
    this.#values ??= new CallerValues(this.#operation);
    return this.#values;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#problem !== undefined) {
        this.#controller.abort(new Failure(this.#problem));
      }
    }
    return this.#controller.signal;
  }

  timeoutMs(): number | undefined {
    return this.#untilMs === undefined ? undefined : Math.max(0, this.#untilMs - this.#clock.monotonicMs());
  }

  /** Tells the handler, through its signal, that the call has failed. */
  abort(problem: Problem): void {
    this.#problem = problem;
    this.#controller?.abort(new Failure(problem));
  }
}
