// The sending half of a stream: what is queued to be sent, its window, and how the stream ends. The base class receives.
// https://www.rfc-editor.org/rfc/rfc9113#section-5

import { FRAME_BYTES_MAX, PROTOCOL_ERROR } from "./protocol.ts";
import { ReceivingStream } from "./receiving-stream.ts";
import type { StreamConnection } from "./stream-connection.ts";

const NO_BYTES = Buffer.alloc(0);

/** The events that a stream reports to its exchange. */
export interface StreamOwner {
  /** Called when `bytes` bytes have been sent. They completed pieces with `wholePieceBytes` bytes in total. */
  onSent(bytes: number, wholePieceBytes: number): void;
  /** Called when the body is wanted for the first time. */
  onBodyWanted(): void;
  /** Called when the response is complete while the peer is still sending. */
  onLocalClosed(): void;
  /** Called when the stream is closed; `isWhole` if the whole response was sent. */
  onClosed(isWhole: boolean): void;
}

export class H2Stream extends ReceivingStream {
  owner!: StreamOwner;
  sendWindow: number;
  /** True once the response is complete. */
  isLocalClosed = false;
  // The queued pieces of the response.
  readonly #waiting: Uint8Array[] = [];
  #offset = 0;
  #waitingBytes = 0;
  #isEnding = false;
  #trailers: Readonly<Record<string, string>> | undefined;

  constructor(
    connection: StreamConnection,
    id: number,
    windows: { readonly send: number; readonly receive: number },
    bytesAnnounced: number | undefined,
    hasBody: boolean,
  ) {
    super(connection, id, windows.receive, bytesAnnounced, hasBody);
    this.sendWindow = windows.send;
  }

  /** How many bytes of the response are queued. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Adds to the response, and sends what may be sent. */
  send(bytes: Uint8Array): void {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.byteLength;
    this.connection.sendQueue.add(this);
  }

  /** Ends the response, with optional trailers, once everything waiting has been sent. */
  sendEnd(trailers: Readonly<Record<string, string>> | undefined): void {
    this.#isEnding = true;
    this.#trailers = trailers;
    this.connection.sendQueue.add(this);
  }

  /** Sends a frame, as far as the windows allow. Returns true if more could be sent. */
  sendPart(): boolean {
    const { sendQueue, writer } = this.connection;
    const first = this.#waiting[0];
    if (first === undefined) {
      if (this.#isEnding) {
        this.#sendLast();
      }
      return false;
    }
    const wanted = Math.min(first.byteLength - this.#offset, FRAME_BYTES_MAX);
    const bytes = Math.min(wanted, sendQueue.window, this.sendWindow);
    if (bytes <= 0) {
      // The stream returns to the queue when its own window opens.
      return this.sendWindow > 0;
    }
    const end = this.#offset + bytes;
    const isLast = this.#isEnding && this.#trailers === undefined && bytes === this.#waitingBytes;
    writer.data(this.id, first, this.#offset, end, isLast);
    sendQueue.sent(bytes, bytes < wanted);
    this.sendWindow -= bytes;
    this.#waitingBytes -= bytes;
    this.#offset = end;
    const isWhole = end === first.byteLength;
    if (isWhole) {
      this.#waiting.shift();
      this.#offset = 0;
    }
    this.connection.flushSoon();
    this.owner.onSent(bytes, isWhole ? first.byteLength : 0);
    if (isLast) {
      this.closeLocal();
    }
    return !this.isClosed && !this.isLocalClosed && (this.#waitingBytes > 0 || this.#isEnding);
  }

  /** Changes the peer's window by `bytes`, which may be negative. */
  changeSendWindow(bytes: number): void {
    this.sendWindow += bytes;
    if (this.#waitingBytes > 0 && this.sendWindow > 0) {
      this.connection.sendQueue.add(this);
    }
  }

  /** Called when the last part of the response has been written. */
  closeLocal(): void {
    this.isLocalClosed = true;
    this.forgetLength();
    if (this.isMalformed) {
      this.connection.reset(this.id, PROTOCOL_ERROR);
    } else if (this.isRemoteClosed) {
      this.connection.finished(this.id);
    } else {
      this.owner.onLocalClosed();
    }
  }

  /** Releases everything. Called once, by the connection. */
  close(): void {
    this.isClosed = true;
    this.connection.sendQueue.remove(this);
    this.#waiting.length = 0;
    this.#waitingBytes = 0;
    this.closeBody();
    this.owner.onClosed(this.isLocalClosed);
  }

  #sendLast(): void {
    const { encoder, writer } = this.connection;
    if (this.#trailers === undefined) {
      writer.data(this.id, NO_BYTES, 0, 0, true);
    } else {
      encoder.trailers(this.id, this.#trailers);
    }
    this.connection.flushSoon();
    this.closeLocal();
  }

  protected override onBodyWanted(): void {
    this.owner.onBodyWanted();
  }
}
