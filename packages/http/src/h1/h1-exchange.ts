// An exchange over HTTP/1.1. Its response waits for the responses to earlier requests. If the request body was not read, the connection
// closes after the response, so that nothing in the body is mistaken for a request.
import type { Peer } from "../client/peer.ts";
import { ExchangeBase } from "../exchange-base.ts";
import type { RequestHeaders, ResponseHeaders } from "../headers.ts";
import { DISCARDED_BYTES_MAX, LINGER_MS } from "../linger.ts";
import type { ListenerContext } from "../listener-context.ts";
import { RequestBody } from "../request-body.ts";
import { bytesOf, type ResponseBody, sized } from "../response-body.ts";
import { type PieceWriter, ResponseStream } from "../response-stream.ts";
import type { UnsentResponse } from "../unsent-responses.ts";
import type { ExchangeConnection } from "./exchange-connection.ts";
import type { Part } from "./h1-output.ts";
import type { RequestLine } from "./head-reader.ts";
import type { HeaderBlock } from "./header-block.ts";

/** Bodies longer than this are sent in pieces of this length. */
const PIECE_BYTES = 64 * 1024;

/** The part of a connection's output that a long response needs. */
interface Sender {
  send(part: Part, onSent?: () => void): void;
  flush(): void;
  finish(part: Part): void;
}

/** Sends a body of more than one piece. `onFlushed` is called with the length of each piece but the last, once that piece has been sent. */
function sendPieces(sender: Sender, body: Uint8Array, onFlushed: (bytes: number) => void): void {
  let offset = 0;
  const sendNext = (): void => {
    // A loop instead of recursion, for as long as the system takes each piece at once.
    for (let hasLeft = true; hasLeft; ) {
      const piece = body.subarray(offset, offset + PIECE_BYTES);
      offset += piece.length;
      if (offset === body.length) {
        sender.finish(piece);
        return;
      }
      let isAtOnce = true;
      hasLeft = false;
      sender.send(piece, () => {
        hasLeft = true;
        onFlushed(piece.length);
        if (!isAtOnce) {
          sendNext();
        }
      });
      sender.flush();
      isAtOnce = false;
    }
  };
  sendNext();
}

/** The header line for a body whose length is not announced. */
const CHUNKED = "transfer-encoding: chunked\r\n";

interface RespondingExchange {
  readonly method: string;
  readonly minorVersion: 0 | 1;
  responseBodyBytes: number;
  wholeHead(status: number, headers: ResponseHeaders, framing: string): string;
  trailerLines(trailers: Readonly<Record<string, string>>): string;
  send(part: Part): void;
  finish(part: Part): void;
  finishInPieces(body: Uint8Array): void;
}

/**
 * Sends the response. HTTP/1.0 callers get no trailers. If a header or trailer cannot be sent, throws a TypeError and sends
 * nothing.
 */
function sendWhole(
  exchange: RespondingExchange,
  status: number,
  headers: ResponseHeaders,
  body: ResponseBody,
  trailers: Readonly<Record<string, string>> | undefined,
): void {
  if (trailers !== undefined && exchange.minorVersion === 1) {
    sendWithTrailers(exchange, status, headers, body, trailers);
    return;
  }
  // 204 and 304 have neither body nor length: https://www.rfc-editor.org/rfc/rfc9110#section-6.4.1
  const mayHaveBody = status !== 204 && status !== 304;
  const text = body instanceof Uint8Array ? undefined : typeof body === "string" ? sized(body) : body;
  const length = text === undefined ? (body as Uint8Array).byteLength : text.bytes;
  const head = exchange.wholeHead(status, headers, mayHaveBody ? `content-length: ${length}\r\n` : "");
  if (!mayHaveBody || length === 0 || exchange.method === "HEAD") {
    exchange.finish(head);
    return;
  }
  exchange.responseBodyBytes = length;
  if (length > PIECE_BYTES) {
    exchange.send(head);
    exchange.finishInPieces(bytesOf(body));
  } else if (text?.text.length === length) {
    // ASCII: each character is one byte.
    exchange.finish(head + text.text);
  } else {
    exchange.send(head);
    exchange.finish(bytesOf(body));
  }
}

function sendWithTrailers(
  exchange: RespondingExchange,
  status: number,
  headers: ResponseHeaders,
  body: ResponseBody,
  trailers: Readonly<Record<string, string>>,
): void {
  const end = `0\r\n${exchange.trailerLines(trailers)}\r\n`;
  const head = exchange.wholeHead(status, headers, `trailer: ${Object.keys(trailers).join(", ")}\r\n${CHUNKED}`);
  if (exchange.method === "HEAD") {
    exchange.finish(head);
    return;
  }
  exchange.send(head);
  const bytes = bytesOf(body);
  if (bytes.length > 0) {
    exchange.responseBodyBytes = bytes.length;
    exchange.send(`${bytes.length.toString(16)}\r\n`);
    exchange.send(bytes);
    exchange.send("\r\n");
  }
  exchange.finish(end);
}

/** What a chunk writer needs from its exchange. */
interface Exchange {
  readonly hasRoom: boolean;
  responseBodyBytes: number;
  onEnd(callback: (completed: boolean) => void): void;
  send(part: Part, onSent?: () => void): void;
  flush(): void;
  finish(part: Part): void;
  trailerLines(trailers: Readonly<Record<string, string>>): string;
  refuseToSend(): void;
  reset(): void;
}

/** How the response is framed, and whether it has a body at all. */
interface Framing {
  readonly isChunked: boolean;
  readonly hasBody: boolean;
}

class ChunkWriter implements PieceWriter {
  readonly #exchange: Exchange;
  readonly #unsent: UnsentResponse;
  readonly #framing: Framing;

  constructor(exchange: Exchange, unsent: UnsentResponse, framing: Framing) {
    this.#exchange = exchange;
    this.#unsent = unsent;
    this.#framing = framing;
  }

  onEnd(callback: (completed: boolean) => void): void {
    this.#exchange.onEnd(callback);
  }

  sendPiece(piece: Uint8Array, onRoom: () => void): boolean {
    const exchange = this.#exchange;
    if (!this.#unsent.wait(piece.length)) {
      exchange.refuseToSend();
      return exchange.hasRoom;
    }
    exchange.responseBodyBytes += piece.length;
    const { isChunked } = this.#framing;
    if (isChunked) {
      exchange.send(`${piece.length.toString(16)}\r\n`);
    }
    exchange.send(piece);
    exchange.send(isChunked ? "\r\n" : "", () => {
      this.#unsent.sent(piece.length);
      onRoom();
    });
    exchange.flush();
    return exchange.hasRoom;
  }

  finishPieces(trailers: Readonly<Record<string, string>> | undefined): void {
    const { isChunked, hasBody } = this.#framing;
    const last = isChunked && hasBody ? `0\r\n${this.#exchange.trailerLines(trailers ?? {})}\r\n` : "";
    this.#unsent.waitForEnd(0);
    this.#exchange.finish(last);
  }

  reset(): void {
    this.#exchange.reset();
  }
}

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

  // Other responses may wait behind this one, so the exchange whose turn it is waits only for those before it to be sent.
  whenRoom(): Promise<void> | undefined {
    if (this.#connection.unsent.hasRoom) {
      return undefined;
    }
    if (this.#hasTurn) {
      return new Promise((resolve) => {
        this.#connection.send("", resolve);
        this.#connection.flushSoon();
      });
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
