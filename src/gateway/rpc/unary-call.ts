// One unary call as its handler and the interceptors see it: at once Connect's HandlerContext and its UnaryRequest. What a handler
// may never ask for (headers, signal, context values) is made when it is asked for: a call that uses none of it pays for none.
// Interceptors must hand on the request that they were given, not a spread copy of it, or the lazy parts are lost.
import type { DescMessage, DescMethod, DescMethodUnary, DescService, Message } from "@bufbuild/protobuf";
import type { ContextKey, ContextValues, HandlerContext, UnaryRequest } from "@connectrpc/connect";
import type { Admitted } from "../../guard/guard.ts";
import type { Exchange } from "../../http/exchange.ts";
import { Failure } from "../../problem/failure.ts";
import type { Problem } from "../../problem/problem.ts";
import type { Clock } from "../../runtime/clock.ts";

/** What no service and no interceptor may see, whatever it does with headers. */
export const HIDDEN_HEADERS: ReadonlySet<string> = new Set(["x-gateway-key", "authorization", "cookie"]);

// The request's headers as the web's Headers, without HTTP/2's pseudo-headers and without secrets.
function visibleHeaders(exchange: Exchange): Headers {
  const headers = new Headers();
  for (const [name, value] of Object.entries(exchange.headers)) {
    if (name.startsWith(":") || HIDDEN_HEADERS.has(name) || value === undefined) {
      continue;
    }
    for (const one of Array.isArray(value) ? value : [value]) {
      headers.append(name, one);
    }
  }
  return headers;
}

/** Context values that begin with what is known of the caller. */
export class CallValues implements ContextValues {
  readonly #admitted: Pick<Admitted, "caller">;
  // Made for whoever changes a value: handlers ask for their entitlements and no more.
  #changed: Map<symbol, unknown> | undefined;

  constructor(admitted: Pick<Admitted, "caller">) {
    this.#admitted = admitted;
  }

  get<Value>(key: ContextKey<Value>): Value {
    if (this.#changed?.has(key.id)) {
      return this.#changed.get(key.id) as Value;
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

/** The time that a call has. */
export interface CallTime {
  readonly clock: Clock;
  /** On the clock's monotonic time; undefined when the caller gave no deadline. */
  readonly untilMs: number | undefined;
}

/** One unary call. */
export class UnaryCall implements HandlerContext, UnaryRequest {
  readonly stream = false as const;
  readonly message: Message;
  readonly protocolName: string;
  // Private, because the secrets are in it.
  readonly #exchange: Exchange;
  readonly #method: { readonly desc: DescMethod };
  readonly #admitted: Pick<Admitted, "caller">;
  readonly #time: CallTime;
  #controller: AbortController | undefined;
  #ended: Problem | undefined;
  #requestHeader: Headers | undefined;
  #responseHeader: Headers | undefined;
  #responseTrailer: Headers | undefined;
  #values: ContextValues | undefined;

  constructor(
    exchange: Exchange,
    method: { readonly desc: DescMethod },
    admitted: Pick<Admitted, "caller">,
    protocolName: string,
    message: Message,
    time: CallTime,
  ) {
    this.protocolName = protocolName;
    this.#exchange = exchange;
    this.message = message;
    this.#method = method;
    this.#admitted = admitted;
    this.#time = time;
  }

  get method(): DescMethodUnary<DescMessage, DescMessage> {
    return this.#method.desc as DescMethodUnary<DescMessage, DescMessage>;
  }

  get service(): DescService {
    return this.#method.desc.parent;
  }

  get requestMethod(): string {
    return this.#exchange.method;
  }

  get url(): string {
    const { headers, isSecure, path, query } = this.#exchange;
    const authority = headers[":authority"] ?? headers.host ?? "localhost";
    return `${isSecure ? "https" : "http"}://${String(authority)}${path}${query === "" ? "" : `?${query}`}`;
  }

  get requestHeader(): Headers {
    this.#requestHeader ??= visibleHeaders(this.#exchange);
    return this.#requestHeader;
  }

  get header(): Headers {
    return this.requestHeader;
  }

  get responseHeader(): Headers {
    this.#responseHeader ??= new Headers();
    return this.#responseHeader;
  }

  get responseTrailer(): Headers {
    this.#responseTrailer ??= new Headers();
    return this.#responseTrailer;
  }

  /** What the handler has set, where it has set anything. */
  get headersSet(): Headers | undefined {
    return this.#responseHeader;
  }

  /** What the handler has set, where it has set anything. */
  get trailersSet(): Headers | undefined {
    return this.#responseTrailer;
  }

  /** Whether the handler has set anything. */
  get hasMetadata(): boolean {
    return this.#responseHeader !== undefined || this.#responseTrailer !== undefined;
  }

  get values(): ContextValues {
    this.#values ??= new CallValues(this.#admitted);
    return this.#values;
  }

  get contextValues(): ContextValues {
    return this.values;
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#ended !== undefined) {
        this.#controller.abort(new Failure(this.#ended));
      }
    }
    return this.#controller.signal;
  }

  timeoutMs(): number | undefined {
    const { clock, untilMs } = this.#time;
    return untilMs === undefined ? undefined : Math.max(0, untilMs - clock.monotonicMs());
  }

  /** Ends the call early: whoever listens to the signal hears why. */
  abort(problem: Problem): void {
    this.#ended = problem;
    this.#controller?.abort(new Failure(problem));
  }
}
