// An exchange over HTTP/1.1. Its response waits for the responses to earlier requests. If the request body was not read, the connection
// closes after the response, so that nothing in the body is mistaken for a request.
import type { Peer } from "../client/peer.ts";
import { ExchangeBase } from "../exchange-base.ts";
import type { RequestHeaders, ResponseHeaders } from "../headers.ts";
import { DISCARDED_BYTES_MAX, LINGER_MS } from "../linger.ts";
import type { ListenerContext } from "../listener-context.ts";
import { RequestBody } from "../request-body.ts";
import type { ResponseBody } from "../response-body.ts";
import { ResponseStream } from "../response-stream.ts";
import { ChunkWriter } from "./chunk-writer.ts";
import type { ExchangeConnection } from "./exchange-connection.ts";
import type { Part } from "./h1-output.ts";
import type { HeaderBlock } from "./header-block.ts";
import { sendPieces } from "./long-response.ts";
import type { RequestLine } from "./request-line.ts";
import { CHUNKED, sendWhole } from "./whole-response.ts";

const NO_LINE = { method: "", path: "", query: "" };
const NO_HEADERS: RequestHeaders = Object.freeze(Object.create(null));
const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";
const CLOSE = "connection: close\r\n";

export class H1Exchange extends ExchangeBase {
  readonly httpVersion = 1;
  readonly body: RequestBody | undefined;
  readonly minorVersion: 0 | 1;
  /** The exchange of the connection's next request. */
  next: H1Exchange | undefined;
  readonly #connection: ExchangeConnection;
  #responded = false;
  #isSilenceAllowed = false;
  // Whether all earlier responses have been sent.
  #hasTurn = false;
  // Resolved when it is this exchange's turn.
  #turn: PromiseWithResolvers<void> | undefined;
  // Output that is kept until it is this exchange's turn.
  #waiting: { readonly part: Part; readonly onSent: (() => void) | undefined }[] | undefined;
  #responseBytes = 0;
  #isFinished = false;
  #isHeldBack = false;
  #isAborted = false;
  #expectsContinue: boolean;
  #closes = false;

  /** `line` or `block` is undefined if it could not be read. */
  constructor(
    listenerContext: ListenerContext,
    connection: ExchangeConnection,
    line: RequestLine | undefined,
    block: HeaderBlock | undefined,
    body: HeaderBlock["body"],
  ) {
    super(
      listenerContext,
      connection.unsent,
      line ?? NO_LINE,
      block?.headers ?? NO_HEADERS,
      line?.authority ?? block?.headers.host,
    );
    this.#connection = connection;
    this.minorVersion = line?.minorVersion ?? 1;
    // HTTP/1.0 callers do not understand `100 Continue`: https://www.rfc-editor.org/rfc/rfc9110#section-10.1.1
    this.#expectsContinue = this.minorVersion === 1 && (block?.expectsContinue ?? false);
    this.body = body === 0 ? undefined : new RequestBody(() => this.#wantBody());
  }

  get isSecure(): boolean {
    return this.#connection.isSecure;
  }

  protected get peer(): Peer {
    return this.#connection.peer;
  }

  get responded(): boolean {
    return this.#responded;
  }

  /** Whether the connection may be silent during this exchange. */
  get isSilenceAllowed(): boolean {
    return this.#isSilenceAllowed;
  }

  /** Whether the connection closes after the response. */
  get closes(): boolean {
    return this.#closes;
  }

  /** Whether the response is finished. */
  get isFinished(): boolean {
    return this.#isFinished;
  }

  respond(status: number, headers: ResponseHeaders, body: ResponseBody, trailers?: Readonly<Record<string, string>>): void {
    if (this.#responded || this.hasEnded) {
      return;
    }
    sendWhole(this, status, headers, body, trailers);
  }

  openResponse(status: number, headers: ResponseHeaders, signal?: AbortSignal): ResponseStream {
    const isChunked = this.minorVersion === 1;
    const hasBody = this.method !== "HEAD";
    const stream = new ResponseStream(new ChunkWriter(this, this.unsent, { isChunked, hasBody }), hasBody, signal);
    if (!this.#responded && !this.hasEnded) {
      this.#isSilenceAllowed = true;
      // The length is known only at the end, whatever the headers say.
      const { "content-length": _, ...own } = headers;
      this.send(this.#head(status, own, isChunked ? CHUNKED : "", !isChunked));
      this.#connection.flushSoon();
    }
    return stream;
  }

  // Other responses may wait behind this one, so the exchange whose turn it is always has room.
  whenRoom(): Promise<void> | undefined {
    if (this.#hasTurn || this.#connection.unsent.hasRoom) {
      return undefined;
    }
    this.#turn ??= Promise.withResolvers();
    return this.#turn.promise;
  }

  // Waits until a body of announced length has arrived: a Go client stops sending the body when the response begins, and then closes the
  // connection, which may cut the response short. Does not wait for a body of unknown length, because its sender may be waiting for the
  // response.
  async discardBody(): Promise<void> {
    const { body } = this;
    if (body !== undefined && !body.hasEnded && !this.#responded && this.headers["content-length"] !== undefined) {
      await new Promise<void>((resolve) => {
        const cancelTimer = this.listenerContext.clock.after(LINGER_MS, resolve);
        body.discard(DISCARDED_BYTES_MAX, () => {
          cancelTimer();
          resolve();
        });
      });
    }
    this.#connection.discardBody(this);
  }

  /** Whether more may be written without waiting. */
  get hasRoom(): boolean {
    return this.#hasTurn && this.#connection.hasRoom;
  }

  send(part: Part, onSent?: () => void): void {
    this.#responseBytes += part.length;
    if (this.#hasTurn) {
      this.#connection.send(part, onSent);
    } else {
      this.#waiting ??= [];
      this.#waiting.push({ part, onSent });
    }
  }

  /** Writes what was added, if it is this exchange's turn. */
  flush(): void {
    if (this.#hasTurn) {
      this.#connection.flush();
    }
  }

  /** Adds the last part of the response. */
  finish(part: Part): void {
    this.#isFinished = true;
    this.send(part, () => this.#onSent());
    if (this.#hasTurn) {
      this.#connection.finished(this);
    } else {
      this.holdBack();
    }
  }

  /**
   * Builds the head of a complete response; `framing` is the header lines that delimit its body. The connection closes after it if
   * the request body has not arrived. If a header cannot be sent, throws a TypeError and sends nothing.
   */
  wholeHead(status: number, headers: ResponseHeaders, framing: string): string {
    return this.#head(status, headers, framing, !this.#isBodyDone());
  }

  /** Sends the last bytes of the response in several pieces. */
  finishInPieces(body: Uint8Array): void {
    this.#isHeldBack = true;
    if (this.unsent.waitForEnd(body.length)) {
      sendPieces(this, body, (bytes) => this.unsent.sent(bytes));
    } else {
      this.refuseToSend();
    }
  }

  trailerLines(trailers: Readonly<Record<string, string>>): string {
    return this.#connection.heads.lines(trailers);
  }

  /** Called when it is this exchange's turn to respond. */
  takeTurn(): void {
    this.#hasTurn = true;
    this.#turn?.resolve();
    if (this.#isAborted) {
      this.#connection.disconnect();
      return;
    }
    if (this.body?.isWanted) {
      this.#sendContinue();
    }
    const waiting = this.#waiting;
    if (waiting !== undefined) {
      this.#waiting = undefined;
      for (const { part, onSent } of waiting) {
        this.#connection.send(part, onSent);
      }
    }
  }

  /** Counts the response as unread, because it cannot be sent at once. */
  holdBack(): void {
    if (!this.#isHeldBack && !this.hasEnded) {
      this.#isHeldBack = true;
      if (!this.unsent.waitForEnd(this.#responseBytes)) {
        this.refuseToSend();
      }
    }
  }

  abandon(): void {
    this.body?.fail();
    this.end(false);
  }

  /** Aborts a response that has started and cannot be completed, so that the caller sees that it is incomplete. */
  reset(): void {
    this.#isAborted = true;
    this.abortResponse();
  }

  /** Cuts the connection, because more bytes of its responses are unread than allowed. */
  refuseToSend(): void {
    this.#connection.disconnect();
  }

  protected allowSilence(): void {
    this.#isSilenceAllowed = true;
  }

  protected abortResponse(): void {
    // A response that is waiting for an earlier one does not count as unread.
    if (this.#hasTurn) {
      this.#connection.disconnect();
    }
  }

  #onSent(): void {
    this.end(true);
    this.#connection.responseSent();
  }

  // Once the body has arrived, the next request can be read.
  #isBodyDone(): boolean {
    // A refused caller gets no `100 Continue`.
    this.#expectsContinue = false;
    return this.body === undefined || this.#connection.skipBody(this);
  }

  #head(status: number, headers: ResponseHeaders, framing: string, mustClose: boolean): string {
    const { heads, keepAliveLines } = this.#connection;
    // This comes first, because it throws if a header cannot be sent.
    const lines = heads.lines(headers);
    this.#responded = true;
    this.status = status;
    this.#closes = this.#connection.closesWith(this, mustClose);
    const kept = this.#closes ? CLOSE : keepAliveLines;
    return `${heads.statusLine(status)}${lines}${framing}x-request-id: ${this.requestId}\r\n${heads.lastLines(kept)}`;
  }

  #wantBody(): void {
    if (this.#hasTurn) {
      this.#sendContinue();
    }
    this.#connection.readBody(this);
  }

  #sendContinue(): void {
    if (this.#expectsContinue && !this.#responded) {
      this.#expectsContinue = false;
      this.#connection.send(CONTINUE);
      this.#connection.flush();
    }
  }
}
