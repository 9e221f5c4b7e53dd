// The exchange of a tool call, inside the HTTP exchange of the message that contains it. Everything about the caller comes from the outer
// exchange; only the response goes back to the endpoint, which sends it inside its own message.
import type { BodyRoom } from "../../http/body-budget.ts";
import type { Client } from "../../http/client/client.ts";
import type { Exchange } from "../../http/exchange.ts";
import type { RequestHeaders, ResponseHeaders } from "../../http/headers.ts";
import type { ResponseStream } from "../../http/response-stream.ts";

export class ToolExchange implements Exchange {
  readonly hasBody = false;
  responded = false;
  readonly #outer: Exchange;
  readonly #onRespond: (headers: ResponseHeaders) => void;

  /** `onRespond` is called once, with the headers of the response. */
  constructor(outer: Exchange, onRespond: (headers: ResponseHeaders) => void) {
    this.#outer = outer;
    this.#onRespond = onRespond;
  }

  get httpVersion(): 1 | 2 {
    return this.#outer.httpVersion;
  }

  get isSecure(): boolean {
    return this.#outer.isSecure;
  }

  get client(): Client {
    return this.#outer.client;
  }

  get method(): string {
    return this.#outer.method;
  }

  get path(): string {
    return this.#outer.path;
  }

  get query(): string {
    return this.#outer.query;
  }

  get authority(): string | undefined {
    return this.#outer.authority;
  }

  get headers(): RequestHeaders {
    return this.#outer.headers;
  }

  get requestId(): string {
    return this.#outer.requestId;
  }

  get status(): number {
    return this.#outer.status;
  }

  get requestBodyBytes(): number {
    return this.#outer.requestBodyBytes;
  }

  get responseBodyBytes(): number {
    return this.#outer.responseBodyBytes;
  }

  readBody(): Uint8Array {
    return new Uint8Array();
  }

  async *bodyChunks(): AsyncGenerator<Uint8Array> {}

  reserveBody(bodyBytesMax: number, isCallerKnown: boolean): BodyRoom | undefined {
    return this.#outer.reserveBody(bodyBytesMax, isCallerKnown);
  }

  whenRoom(): Promise<void> | undefined {
    return this.#outer.whenRoom();
  }

  respond(_status: number, headers: ResponseHeaders): void {
    if (!this.responded) {
      this.responded = true;
      this.#onRespond(headers);
    }
  }

  openResponse(): ResponseStream {
    throw new Error("a tool call has no streamed response");
  }

  async discardBody(): Promise<void> {}

  onEnd(callback: (completed: boolean) => void): void {
    this.#outer.onEnd(callback);
  }
}
