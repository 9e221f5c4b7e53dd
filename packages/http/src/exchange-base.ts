// The part that HTTP/1.1 and HTTP/2 exchanges have in common. Every call runs through this code, so objects that only some calls need are
// created on first use.

import type { Client } from "./client/client.ts";
import type { Peer } from "./client/peer.ts";
import type { Exchange } from "./exchange.ts";
import type { RequestHeaders, ResponseHeaders } from "./headers.ts";
import type { ListenerContext } from "./listener-context.ts";
import { type BodyRoom, bodyTooLarge, FIRST_BODY_BYTES, NO_BODY, noRoomForBody, type RequestBody } from "./request-body.ts";
import { callersRequestId } from "./request-head.ts";
import type { ResponseBody } from "./response-body.ts";
import type { ResponseStream } from "./response-stream.ts";
import { type UnsentOfConnection, UnsentResponse } from "./unsent-responses.ts";

interface RequestTarget {
  readonly method: string;
  readonly path: string;
  readonly query: string;
}

export abstract class ExchangeBase implements Exchange {
  abstract readonly httpVersion: 1 | 2;
  abstract readonly isSecure: boolean;
  protected abstract readonly peer: Peer;
  abstract readonly responded: boolean;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly authority: string | undefined;
  readonly headers: RequestHeaders;
  status = 0;
  responseBodyBytes = 0;
  protected readonly listenerContext: ListenerContext;
  /** Undefined if the request has no body. */
  protected abstract readonly body: RequestBody | undefined;
  readonly #connection: UnsentOfConnection;
  #unsent: UnsentResponse | undefined;
  #requestId: string | undefined;
  #client: Client | undefined;
  #completed: boolean | undefined;
  #callbacks: ((completed: boolean) => void)[] | undefined;

  constructor(
    listenerContext: ListenerContext,
    connection: UnsentOfConnection,
    { method, path, query }: RequestTarget,
    headers: RequestHeaders,
    authority: string | undefined,
  ) {
    this.listenerContext = listenerContext;
    this.#connection = connection;
    this.method = method;
    this.path = path;
    this.query = query;
    this.headers = headers;
    this.authority = authority;
    listenerContext.inFlight += 1;
  }

  abstract respond(status: number, headers: ResponseHeaders, body: ResponseBody, trailers?: Readonly<Record<string, string>>): void;

  abstract openResponse(status: number, headers: ResponseHeaders, signal?: AbortSignal): ResponseStream;

  abstract discardBody(): Promise<void>;

  abstract whenRoom(): Promise<void> | undefined;

  /** From now on, the connection is not closed when it is silent. */
  protected abstract allowSilence(): void;

  /** Aborts a response that has sent nothing for the stall timeout. */
  protected abstract abortResponse(): void;

  get hasBody(): boolean {
    return this.body !== undefined;
  }

  get requestBodyBytes(): number {
    return this.body?.bytes ?? 0;
  }

  get client(): Client {
    this.#client ??= this.peer.clientOf(this.headers);
    return this.#client;
  }

  get requestId(): string {
    this.#requestId ??= callersRequestId(this.headers) ?? this.listenerContext.randomness.uuid();
    return this.#requestId;
  }

  /** True once `onEnd` has been called. */
  get hasEnded(): boolean {
    return this.#completed !== undefined;
  }

  /** The part of the response that has not been sent. */
  protected get unsent(): UnsentResponse {
    this.#unsent ??= new UnsentResponse(this.listenerContext.unsent, this.#connection, () => this.abortResponse());
    return this.#unsent;
  }

  reserveBody(bodyBytesMax: number, isCallerKnown: boolean): BodyRoom | undefined {
    const { bodies, unauthenticatedBodies } = this.listenerContext;
    const announced = this.headers["content-length"];
    const bytes = announced === undefined ? FIRST_BODY_BYTES : Number(announced) || 0;
    return (isCallerKnown ? bodies : unauthenticatedBodies).reserve(Math.min(bytes, bodyBytesMax));
  }

  readBody(bodyBytesMax: number, isCallerKnown: boolean, framingBytesMax = 0): Uint8Array | Promise<Uint8Array> {
    const { body } = this;
    if (body === undefined) {
      return NO_BODY;
    }
    const announced = this.headers["content-length"];
    if (announced !== undefined && Number(announced) > bodyBytesMax + framingBytesMax) {
      return Promise.reject(bodyTooLarge(bodyBytesMax));
    }
    const room = this.reserveBody(bodyBytesMax + framingBytesMax, isCallerKnown);
    if (room === undefined) {
      return Promise.reject(noRoomForBody());
    }
    const { clock, limits } = this.listenerContext;
    return body.readWhole({ bytesMax: bodyBytesMax, framingBytesMax, timeoutMs: limits.bodyTimeoutMs, room, clock });
  }

  async *bodyChunks(): AsyncGenerator<Uint8Array> {
    if (this.body !== undefined) {
      this.allowSilence();
      yield* this.body.chunks();
    }
  }

  onEnd(callback: (completed: boolean) => void): void {
    if (this.#completed !== undefined) {
      callback(this.#completed);
    } else if (this.#callbacks === undefined) {
      this.#callbacks = [callback];
    } else {
      this.#callbacks.push(callback);
    }
  }

  /** Ends the exchange. Only the first call has an effect. */
  protected end(completed: boolean): void {
    if (this.#completed !== undefined) {
      return;
    }
    this.#completed = completed;
    this.#unsent?.end();
    this.listenerContext.inFlight -= 1;
    if (completed) {
      this.listenerContext.responded += 1;
    }
    const callbacks = this.#callbacks;
    this.#callbacks = undefined;
    if (callbacks !== undefined) {
      for (const callback of callbacks) {
        callback(completed);
      }
    }
  }
}
