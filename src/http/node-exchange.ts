// What exchanges over HTTP/1.1 and HTTP/2 have in common. The hot path runs through here, so everything that a call may not need is
// made when it is first asked for.
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Http2ServerResponse, ServerHttp2Stream } from "node:http2";
import { type BodyRoom, FIRST_BODY_BYTES, noRoomForBody } from "./body-budget.ts";
import { bodyTooLarge, cancelled, NO_BODY, readWholeBody } from "./body-reading.ts";
import type { Exchange } from "./exchange.ts";
import type { RequestHeaders, ResponseHeaders } from "./headers.ts";
import type { ListenerContext } from "./listener-context.ts";
import { NodeResponseStream } from "./node-response-stream.ts";
import { callersRequestId, splitTarget } from "./request-head.ts";
import type { ResponseStream } from "./response-stream.ts";
import { UnsentAnswer, type UnsentOfConnection } from "./unsent-responses.ts";

const NO_HEADERS: RequestHeaders = {};

/** The common half of an exchange. */
export abstract class NodeExchange implements Exchange {
  abstract readonly httpVersion: 1 | 2;
  abstract readonly isSecure: boolean;
  abstract readonly peer: string;
  abstract readonly hasBody: boolean;
  abstract readonly responded: boolean;
  abstract readonly authority: string | undefined;
  /** What an answer in pieces is written on. */
  protected abstract readonly response: ServerResponse | Http2ServerResponse;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  headers: RequestHeaders;
  protected readonly listenerContext: ListenerContext;
  readonly #connection: UnsentOfConnection;
  #unsent: UnsentAnswer | undefined;
  #requestId: string | undefined;
  #completed: boolean | undefined;
  #callbacks: ((completed: boolean) => void)[] | undefined;

  constructor(
    listenerContext: ListenerContext,
    connection: UnsentOfConnection,
    method: string,
    url: string,
    headers: RequestHeaders,
  ) {
    const { path, query } = splitTarget(url);
    this.listenerContext = listenerContext;
    this.#connection = connection;
    this.method = method;
    this.path = path;
    this.query = query;
    this.headers = headers;
    listenerContext.inFlight += 1;
  }

  abstract respond(
    status: number,
    headers: ResponseHeaders,
    body: Uint8Array | string,
    trailers?: Readonly<Record<string, string>>,
  ): void;

  abstract dismissBody(): Promise<void>;

  /** Tells a caller that waits for it to send the body. */
  protected abstract sendContinue(): void;

  /** From now on silence is no reason to close the connection. */
  protected abstract allowSilence(): void;

  /** Breaks off an answer of which nothing has left for the stall time. */
  protected abstract breakOff(): void;

  protected abstract readonly bodySource: IncomingMessage | ServerHttp2Stream;

  get requestId(): string {
    this.#requestId ??= callersRequestId(this.headers) ?? this.listenerContext.randomness.uuid();
    return this.#requestId;
  }

  /** What waits of the answer. */
  protected get unsent(): UnsentAnswer {
    this.#unsent ??= new UnsentAnswer(this.listenerContext.unsent, this.#connection, () => this.breakOff());
    return this.#unsent;
  }

  reserveBody(bodyBytesMax: number, isCallerKnown: boolean): BodyRoom | undefined {
    const { bodies, strangersBodies } = this.listenerContext;
    const announced = this.headers["content-length"];
    const bytes = announced === undefined ? FIRST_BODY_BYTES : Number(announced) || 0;
    return (isCallerKnown ? bodies : strangersBodies).reserve(Math.min(bytes, bodyBytesMax));
  }

  readBody(bodyBytesMax: number, isCallerKnown: boolean): Promise<Uint8Array> {
    if (!this.hasBody) {
      return Promise.resolve(NO_BODY);
    }
    const announced = this.headers["content-length"];
    if (announced !== undefined && Number(announced) > bodyBytesMax) {
      return Promise.reject(bodyTooLarge(bodyBytesMax));
    }
    const room = this.reserveBody(bodyBytesMax, isCallerKnown);
    if (room === undefined) {
      return Promise.reject(noRoomForBody());
    }
    this.sendContinue();
    const { clock, limits } = this.listenerContext;
    return readWholeBody(this.bodySource, { bytesMax: bodyBytesMax, timeoutMs: limits.bodyTimeoutMs, room, clock });
  }

  async *bodyChunks(): AsyncGenerator<Uint8Array> {
    if (!this.hasBody) {
      return;
    }
    this.sendContinue();
    this.allowSilence();
    const source = this.bodySource;
    try {
      // A request that is destroyed half-read takes its answer with it.
      yield* source.iterator({ destroyOnReturn: false }) as AsyncIterable<Uint8Array>;
    } catch {
      throw cancelled();
    }
    // A stream that is reset without an error ends like a whole one.
    if (source.aborted) {
      throw cancelled();
    }
  }

  openResponse(status: number, headers: ResponseHeaders, signal?: AbortSignal): ResponseStream {
    // HTTP/1.1's and HTTP/2's have in common what is used here, which their types do not show.
    const response = this.response as ServerResponse;
    if (this.#completed === undefined) {
      this.allowSilence();
      response.writeHead(status, { ...headers, "x-request-id": this.requestId });
    }
    return new NodeResponseStream(response, this, signal);
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

  /** Ends the exchange; only the first call counts. */
  protected ended(completed: boolean): void {
    if (this.#completed !== undefined) {
      return;
    }
    this.#completed = completed;
    this.#unsent?.end();
    this.listenerContext.inFlight -= 1;
    if (completed) {
      this.listenerContext.answered += 1;
    }
    const callbacks = this.#callbacks;
    // A closed stream is taken for alive by the collector until its next thorough round, and with it what hangs on this exchange: a
    // fifth more calls a second over HTTP/2 for letting go of it here.
    this.#callbacks = undefined;
    this.headers = NO_HEADERS;
    if (callbacks !== undefined) {
      for (const callback of callbacks) {
        callback(completed);
      }
    }
  }
}

/** Whether an answer may have a body, and so a length: 204 and 304 may not. https://www.rfc-editor.org/rfc/rfc9110#section-6.4.1 */
export const statusHasBody = (status: number): boolean => status !== 204 && status !== 304;

/** The bytes that a body takes on the wire. */
export const bodyLength = (body: Uint8Array | string): number =>
  typeof body === "string" ? Buffer.byteLength(body) : body.byteLength;
