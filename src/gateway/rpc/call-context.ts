// One call as its handler sees it: Connect's HandlerContext. Headers, signal and context values are created on first use, so a
// call that needs none of them pays nothing.
import type { DescMethod, DescService } from "@bufbuild/protobuf";
import type { ContextValues, HandlerContext } from "@connectrpc/connect";
import type { Exchange } from "../../http/exchange.ts";
import { Failure } from "../../problem/failure.ts";
import type { Problem } from "../../problem/problem.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { RestStreamOperation, UnaryOperation } from "../operation.ts";
import { CallerValues } from "./caller-values.ts";
import type { HandlerMetadata } from "./response-metadata.ts";
import { visibleHeaders } from "./visible-headers.ts";

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
