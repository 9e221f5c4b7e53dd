// An exchange over HTTP/1.1. Its answer waits for those of the requests before it. Where the body was not read, the connection is closed
// with the answer: nothing that follows is taken for a request.
import type { Peer } from "../client/peer.ts";
import { ExchangeBase } from "../exchange-base.ts";
import type { RequestHeaders, ResponseHeaders } from "../headers.ts";
import type { ListenerContext } from "../listener-context.ts";
import { RequestBody } from "../request-body.ts";
import type { ResponseStream } from "../response-stream.ts";
import type { Carrier } from "./carrier.ts";
import type { Part } from "./h1-output.ts";
import { H1ResponseStream } from "./h1-response-stream.ts";
import type { HeaderBlock } from "./header-block.ts";
import { sendPieces } from "./long-answer.ts";
import type { RequestLine } from "./request-line.ts";
import { CHUNKED, sendWhole } from "./whole-answer.ts";

const NO_LINE = { method: "", path: "", query: "" };
const NO_HEADERS: RequestHeaders = Object.freeze(Object.create(null));
const CONTINUE = "HTTP/1.1 100 Continue\r\n\r\n";
const CLOSE = "connection: close\r\n";

/** An exchange over HTTP/1.1. */
export class H1Exchange extends ExchangeBase {
  readonly httpVersion = 1;
  readonly body: RequestBody | undefined;
  readonly minorVersion: 0 | 1;
  /** The exchange of the connection's next request. */
  next: H1Exchange | undefined;
  readonly #carrier: Carrier;
  #responded = false;
  #isSilenceAllowed = false;
  // The answers before it are out.
  #hasTurn = false;
  // The answer is not made before that.
  #turn: PromiseWithResolvers<void> | undefined;
  // Parts that wait for the turn.
  #waiting: { readonly part: Part; readonly onSent: (() => void) | undefined }[] | undefined;
  #answerBytes = 0;
  #isFinished = false;
  #isHeldBack = false;
  #isBrokenOff = false;
  #expectsContinue: boolean;
  #closes = false;

  /** Without `line` or `block` where they could not be read. */
  constructor(
    listenerContext: ListenerContext,
    carrier: Carrier,
    line: RequestLine | undefined,
    block: HeaderBlock | undefined,
    body: HeaderBlock["body"],
  ) {
    super(listenerContext, carrier.unsent, line ?? NO_LINE, block?.headers ?? NO_HEADERS, line?.authority ?? block?.headers.host);
    this.#carrier = carrier;
    this.minorVersion = line?.minorVersion ?? 1;
    // A caller of HTTP/1.0 does not know what it is told: https://www.rfc-editor.org/rfc/rfc9110#section-10.1.1
    this.#expectsContinue = this.minorVersion === 1 && (block?.expectsContinue ?? false);
    this.body = body === 0 ? undefined : new RequestBody(() => this.#wantBody());
  }

  get isSecure(): boolean {
    return this.#carrier.isSecure;
  }

  protected get peer(): Peer {
    return this.#carrier.peer;
  }

  get responded(): boolean {
    return this.#responded;
  }

  /** Whether nothing need move on the connection for the sake of this exchange. */
  get isSilenceAllowed(): boolean {
    return this.#isSilenceAllowed;
  }

  /** Whether the connection closes with the answer. */
  get closes(): boolean {
    return this.#closes;
  }

  /** Whether all of the answer has been handed over. */
  get isFinished(): boolean {
    return this.#isFinished;
  }

  respond(status: number, headers: ResponseHeaders, body: Uint8Array | string, trailers?: Readonly<Record<string, string>>): void {
    if (this.#responded || this.hasEnded) {
      return;
    }
    sendWhole(this, status, headers, body, trailers);
  }

  openResponse(status: number, headers: ResponseHeaders, signal?: AbortSignal): ResponseStream {
    const isChunked = this.minorVersion === 1;
    const stream = new H1ResponseStream(this, this.unsent, { isChunked, hasBody: this.method !== "HEAD" }, signal);
    if (!this.#responded && !this.hasEnded) {
      this.#isSilenceAllowed = true;
      // How long it becomes is known when it has ended, whatever its headers say.
      const { "content-length": _, ...own } = headers;
      this.send(this.#head(status, own, isChunked ? CHUNKED : "", !isChunked));
      this.#carrier.flushSoon();
    }
    return stream;
  }

  // What waits may wait behind this answer, so the one whose turn it is always has room.
  whenRoom(): Promise<void> | undefined {
    if (this.#hasTurn || this.#carrier.unsent.hasRoom) {
      return undefined;
    }
    this.#turn ??= Promise.withResolvers();
    return this.#turn.promise;
  }

  // The answer has its own way and need not wait for the body; the next request on the connection does.
  async dismissBody(): Promise<void> {
    this.#carrier.dismissBody(this);
  }

  /** Whether more may be written without waiting. */
  get hasRoom(): boolean {
    return this.#hasTurn && this.#carrier.hasRoom;
  }

  /** Adds to the answer. */
  send(part: Part, onSent?: () => void): void {
    this.#answerBytes += part.length;
    if (this.#hasTurn) {
      this.#carrier.send(part, onSent);
    } else {
      this.#waiting ??= [];
      this.#waiting.push({ part, onSent });
    }
  }

  /** Has what was added written, if it is this exchange's turn. */
  flush(): void {
    if (this.#hasTurn) {
      this.#carrier.flush();
    }
  }

  /** Adds the last part of the answer. */
  finish(part: Part): void {
    this.#isFinished = true;
    this.send(part, () => this.#left());
    if (this.#hasTurn) {
      this.#carrier.finished(this);
    } else {
      this.holdBack();
    }
  }

  /**
   * Makes the head of an answer that is there whole; `framing` is the header lines that say how its body is framed. The connection closes
   * with it where the request's body has not come. Throws a TypeError, with nothing sent, where a header cannot be sent.
   */
  wholeHead(status: number, headers: ResponseHeaders, framing: string): string {
    return this.#head(status, headers, framing, !this.#isBodyDone());
  }

  /** Sends the last bytes of the answer, which are more than one piece. */
  finishInPieces(body: Uint8Array): void {
    this.#isHeldBack = true;
    if (this.unsent.waitForEnd(body.length)) {
      sendPieces(this, body, (bytes) => this.unsent.left(bytes));
    } else {
      this.refuseToSend();
    }
  }

  /** Header lines of trailers. */
  trailerLines(trailers: Readonly<Record<string, string>>): string {
    return this.#carrier.heads.lines(trailers);
  }

  /** It is this exchange's turn to be answered. */
  takeTurn(): void {
    this.#hasTurn = true;
    this.#turn?.resolve();
    if (this.#isBrokenOff) {
      this.#carrier.cut();
      return;
    }
    if (this.body?.isWanted) {
      this.#sendContinue();
    }
    const waiting = this.#waiting;
    if (waiting !== undefined) {
      this.#waiting = undefined;
      for (const { part, onSent } of waiting) {
        this.#carrier.send(part, onSent);
      }
    }
  }

  /** An answer that cannot leave at once is counted among those that wait to be read. */
  holdBack(): void {
    if (!this.#isHeldBack && !this.hasEnded) {
      this.#isHeldBack = true;
      if (!this.unsent.waitForEnd(this.#answerBytes)) {
        this.refuseToSend();
      }
    }
  }

  /** The connection is closed. */
  abandon(): void {
    this.body?.fail();
    this.end(false);
  }

  /** The answer that has begun cannot be ended: its caller is to see that it is not whole. */
  reset(): void {
    this.#isBrokenOff = true;
    this.breakOff();
  }

  /** More waits on the connection than may. */
  refuseToSend(): void {
    this.#carrier.cut();
  }

  protected allowSilence(): void {
    this.#isSilenceAllowed = true;
  }

  protected breakOff(): void {
    // What waits behind another answer is not what is unread.
    if (this.#hasTurn) {
      this.#carrier.cut();
    }
  }

  #left(): void {
    this.end(true);
    this.#carrier.left();
  }

  // Where it has come, nothing is in the way of the next request.
  #isBodyDone(): boolean {
    // Who is refused is not told to continue.
    this.#expectsContinue = false;
    return this.body === undefined || this.#carrier.skipBody(this);
  }

  #head(status: number, headers: ResponseHeaders, framing: string, mustClose: boolean): string {
    const { heads, keepAliveLines } = this.#carrier;
    // First, because it throws where a header cannot be sent.
    const lines = heads.lines(headers);
    this.#responded = true;
    this.status = status;
    this.#closes = this.#carrier.closesWith(this, mustClose);
    const kept = this.#closes ? CLOSE : keepAliveLines;
    return `${heads.statusLine(status)}${lines}${framing}x-request-id: ${this.requestId}\r\n${heads.lastLines(kept)}`;
  }

  #wantBody(): void {
    if (this.#hasTurn) {
      this.#sendContinue();
    }
    this.#carrier.readBody(this);
  }

  #sendContinue(): void {
    if (this.#expectsContinue && !this.#responded) {
      this.#expectsContinue = false;
      this.#carrier.send(CONTINUE);
      this.#carrier.flush();
    }
  }
}
