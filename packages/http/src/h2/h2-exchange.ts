// An exchange over one HTTP/2 stream. If the whole response can be sent at once, its head, body and trailers are written together.
import type { Peer } from "../client/peer.ts";
import { ExchangeBase } from "../exchange-base.ts";
import type { ResponseHeaders } from "../headers.ts";
import { DISCARDED_BYTES_MAX, LINGER_BYTES_MAX, LINGER_MS } from "../linger.ts";
import type { RequestBody } from "../request-body.ts";
import { bytesOf, type ResponseBody } from "../response-body.ts";
import { type PieceWriter, ResponseStream } from "../response-stream.ts";
import type { H2Stream, StreamOwner } from "./h2-stream.ts";
import { CANCEL, ENHANCE_YOUR_CALM, FRAME_BYTES_MAX, NO_ERROR } from "./protocol.ts";
import type { RequestFacts } from "./request-facts.ts";
import { checkTrailers } from "./response-encoder.ts";
import type { StreamConnection } from "./stream-connection.ts";

const NO_BYTES = Buffer.alloc(0);

export class H2Exchange extends ExchangeBase implements StreamOwner, PieceWriter {
  readonly httpVersion = 2;
  readonly facts: RequestFacts;
  readonly #connection: StreamConnection;
  readonly #stream: H2Stream;
  #responded = false;
  #expectsContinue: boolean;
  #onRoom: (() => void) | undefined;

  constructor(connection: StreamConnection, stream: H2Stream, facts: RequestFacts) {
    super(connection.context, connection.unsent, facts, facts.headers, facts.authority);
    this.facts = facts;
    this.#connection = connection;
    this.#stream = stream;
    this.#expectsContinue = facts.expectsContinue;
  }

  get streamId(): number {
    return this.#stream.id;
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

  protected get body(): RequestBody | undefined {
    return this.#stream.body;
  }

  respond(status: number, headers: ResponseHeaders, body: ResponseBody, trailers?: Readonly<Record<string, string>>): void {
    const stream = this.#stream;
    if (this.#responded || stream.isClosed) {
      return;
    }
    if (trailers !== undefined) {
      checkTrailers(trailers);
    }
    const bytes = bytesOf(body);
    const length = bytes.byteLength;
    // 204 and 304 have neither body nor length: https://www.rfc-editor.org/rfc/rfc9110#section-6.4.1
    const mayHaveBody = status !== 204 && status !== 304;
    const isSent = mayHaveBody && length > 0 && this.method !== "HEAD";
    const isAtOnce = length <= FRAME_BYTES_MAX && this.#connection.sendQueue.maySend(stream, length);
    if (!isAtOnce && (isSent || trailers !== undefined) && !this.unsent.waitForEnd(length)) {
      this.refuseToSend();
    }
    if (stream.isClosed) {
      return;
    }
    const isHeadOnly = !isSent && trailers === undefined;
    this.#writeHead(status, headers, trailers === undefined && mayHaveBody ? length : undefined, isHeadOnly);
    this.responseBodyBytes = isSent ? length : 0;
    if (isHeadOnly) {
      this.#closeLocal();
    } else if (isAtOnce) {
      this.#sendAtOnce(isSent ? bytes : NO_BYTES, trailers);
    } else {
      if (isSent) {
        stream.send(bytes);
      }
      stream.sendEnd(trailers);
      this.#connection.flushSoon();
    }
  }

  openResponse(status: number, headers: ResponseHeaders, signal?: AbortSignal): ResponseStream {
    const stream = new ResponseStream(this, this.method !== "HEAD", signal);
    if (!this.#responded && !this.#stream.isClosed) {
      this.#writeHead(status, headers, undefined, false);
    }
    return stream;
  }

  whenRoom(): Promise<void> | undefined {
    return this.#connection.unsent.whenRoom();
  }

  // Waits until a body that was announced as large has arrived: a Go client stops sending when it sees the end of the response.
  async discardBody(): Promise<void> {
    const stream = this.#stream;
    const announced = this.facts.bodyBytes ?? 0;
    stream.forgetLength();
    if (!stream.isClosed && !stream.isRemoteClosed && announced > LINGER_BYTES_MAX) {
      await new Promise<void>((resolve) => this.#discardBody(DISCARDED_BYTES_MAX, resolve));
    }
  }

  sendPiece(piece: Uint8Array, onRoom: () => void): boolean {
    const stream = this.#stream;
    this.#onRoom = onRoom;
    const length = piece.byteLength;
    if (stream.isClosed) {
      return true;
    }
    this.responseBodyBytes += length;
    const { sendQueue } = this.#connection;
    if (length <= FRAME_BYTES_MAX && stream.waitingBytes === 0 && sendQueue.maySend(stream, length)) {
      this.#writeData(piece, false);
      return true;
    }
    if (!this.unsent.wait(length)) {
      this.refuseToSend();
      return true;
    }
    stream.send(piece);
    this.#connection.flushSoon();
    return false;
  }

  finishPieces(trailers: Readonly<Record<string, string>> | undefined): void {
    const stream = this.#stream;
    if (trailers !== undefined) {
      checkTrailers(trailers);
    }
    if (stream.isClosed) {
      return;
    }
    const { sendQueue } = this.#connection;
    if (stream.waitingBytes === 0 && sendQueue.maySend(stream, 0)) {
      this.#sendAtOnce(NO_BYTES, trailers);
    } else {
      this.unsent.waitForEnd(0);
      stream.sendEnd(trailers);
      this.#connection.flushSoon();
    }
  }

  reset(): void {
    this.#connection.reset(this.#stream.id, CANCEL);
  }

  /** Called when too much is already queued on the connection. */
  refuseToSend(): void {
    this.#connection.reset(this.#stream.id, ENHANCE_YOUR_CALM);
  }

  onSent(bytes: number, wholePieceBytes: number): void {
    this.unsent.sent(bytes, wholePieceBytes);
    if (this.#stream.waitingBytes === 0) {
      this.#onRoom?.();
    }
  }

  onBodyWanted(): void {
    if (this.#expectsContinue && !this.#responded && !this.#stream.isRemoteClosed) {
      this.#connection.encoder.informational(this.#stream.id);
      this.#connection.flushSoon();
    }
    this.#expectsContinue = false;
  }

  onLocalClosed(): void {
    this.unsent.end();
    this.#stopCallerSending();
  }

  onClosed(isWhole: boolean): void {
    this.end(isWhole);
  }

  protected allowSilence(): void {
    // Only unsent responses have a timeout here.
  }

  protected abortResponse(): void {
    this.#connection.abortResponse(this.#stream.id);
  }

  #writeHead(status: number, headers: ResponseHeaders, length: number | undefined, isLast: boolean): void {
    const { encoder, context } = this.#connection;
    encoder.head(this.#stream.id, status, headers, { requestId: this.requestId, length, date: context.date.text }, isLast);
    this.#responded = true;
    this.status = status;
    this.#stream.forgetLength();
    this.#connection.flushSoon();
  }

  #sendAtOnce(bytes: Uint8Array, trailers: Readonly<Record<string, string>> | undefined): void {
    if (bytes.byteLength > 0 || trailers === undefined) {
      this.#writeData(bytes, trailers === undefined);
    }
    if (trailers !== undefined) {
      this.#connection.encoder.trailers(this.#stream.id, trailers);
      this.#connection.flushSoon();
    }
    this.#closeLocal();
  }

  #writeData(bytes: Uint8Array, isLast: boolean): void {
    const { writer, sendQueue } = this.#connection;
    const length = bytes.byteLength;
    writer.data(this.#stream.id, bytes, 0, length, isLast);
    sendQueue.sent(length, false);
    this.#stream.sendWindow -= length;
    this.#connection.flushSoon();
  }

  #closeLocal(): void {
    this.#stream.closeLocal();
  }

  // Tells a caller that keeps sending to stop, without an error: https://www.rfc-editor.org/rfc/rfc9113#section-8.1. A small
  // body is read and discarded first, because grpc-js mistakes a reset right after the response for the result of the call.
  #stopCallerSending(): void {
    const stream = this.#stream;
    if (!stream.isRemoteClosed && !stream.isClosed) {
      this.#discardBody(LINGER_BYTES_MAX, () => {
        if (!stream.isRemoteClosed) {
          this.#connection.reset(stream.id, NO_ERROR);
        }
      });
    }
  }

  // Calls back when this much of the body or all of it has arrived, or when the time for it is up.
  #discardBody(bytesMax: number, onDiscarded: () => void): void {
    const cancelTimer = this.#connection.context.clock.after(LINGER_MS, onDiscarded);
    this.#stream.discardBody(bytesMax, () => {
      cancelTimer();
      onDiscarded();
    });
  }
}
