// The receiving half of a stream: the part of the request body that has arrived, and the window for more. Bytes that nobody will read
// are discarded. https://www.rfc-editor.org/rfc/rfc9113#section-5.2

import { copyOf } from "../paced-input.ts";
import { RequestBody } from "../request-body.ts";
import { TransportError } from "../transport-fault.ts";
import { STREAM_WINDOW_BYTES } from "./protocol.ts";
import type { StreamConnection } from "./stream-connection.ts";

/** The window is reopened when this much of it has been used. */
const CREDIT_BYTES_MIN = STREAM_WINDOW_BYTES / 2;
const NO_BYTES = Buffer.alloc(0);

/** The receiving half of a stream. A base class rather than a separate object, to save an object per call. */
export abstract class ReceivingStream {
  readonly id: number;
  /** Undefined if the request has no body. */
  readonly body: RequestBody | undefined;
  receiveWindow: number;
  /** Whether the peer has sent the whole request. */
  isRemoteClosed: boolean;
  isClosed = false;
  /** Whether the peer has broken the protocol in the body or the trailers. The stream is reset after its response, which says how. */
  isMalformed = false;
  protected readonly connection: StreamConnection;
  #bytesAnnounced: number | undefined;
  #bytesReceived = 0;
  // Bytes of the body that no reader wants yet.
  #held: Buffer = NO_BYTES;
  #heldBytes = 0;
  #uncredited = 0;
  #onDiscarded: (() => void) | undefined;
  #isUnwanted = false;

  constructor(
    connection: StreamConnection,
    id: number,
    receiveWindow: number,
    bytesAnnounced: number | undefined,
    hasBody: boolean,
  ) {
    this.connection = connection;
    this.id = id;
    this.receiveWindow = receiveWindow;
    this.isRemoteClosed = !hasBody;
    this.#bytesAnnounced = bytesAnnounced;
    this.body = hasBody ? new RequestBody(() => this.#feed()) : undefined;
  }

  /** Called when a reader wants the body for the first time, or its next piece. */
  protected abstract onBodyWanted(): void;

  /** Takes the borrowed payload of a DATA frame. `frameBytes` is how much of the windows it uses up, including padding. */
  receive(bytes: Buffer, start: number, end: number, frameBytes: number): void {
    const length = end - start;
    this.#bytesReceived += length;
    this.#credit(frameBytes - length);
    if (length === 0) {
      return;
    }
    if (this.#isUnwanted) {
      this.connection.credit(length);
    } else if (this.#heldBytes === 0 && this.body?.isWanted) {
      this.#push(copyOf(bytes, start, end));
    } else {
      this.#hold(bytes, start, end);
    }
  }

  /** Called when the peer has sent the whole request. Returns false if its length is not as announced and no response was sent yet. */
  receiveEnd(): boolean {
    this.isRemoteClosed = true;
    if (this.#bytesAnnounced !== undefined && this.#bytesAnnounced !== this.#bytesReceived) {
      return false;
    }
    if (this.#heldBytes === 0) {
      this.#endBody();
    }
    return true;
  }

  /** Fails the body with the peer's fault, and discards what still arrives of it. */
  failBody(message: string): void {
    this.isMalformed = true;
    this.endBody();
    this.body?.fail(new TransportError({ reason: "MALFORMED_REQUEST", message }));
    this.#settleDiscard();
  }

  /** Whether more has arrived than was announced. */
  get isOverLong(): boolean {
    return this.#bytesAnnounced !== undefined && this.#bytesReceived > this.#bytesAnnounced;
  }

  /** Forgets the announced length, because the response does not depend on it. */
  forgetLength(): void {
    this.#bytesAnnounced = undefined;
  }

  /** Reads and discards this many bytes of the body. Calls `onDiscarded` when they have arrived, or the body has ended. */
  discardBody(bytesMax: number, onDiscarded: () => void): void {
    this.#onDiscarded = onDiscarded;
    this.body?.discard(bytesMax);
    this.#checkDiscarded();
  }

  /** Discards the rest of the body. */
  endBody(): void {
    this.#isUnwanted = true;
    this.#dropHeld();
  }

  /** Releases the body and everything that is waiting for it. */
  protected closeBody(): void {
    this.endBody();
    if (!this.isRemoteClosed || this.body?.hasEnded === false) {
      this.body?.fail();
    }
    this.#settleDiscard();
  }

  // Called when a reader wants the body, or its next piece.
  #feed(): void {
    this.onBodyWanted();
    if (this.#heldBytes > 0) {
      const held = this.#held.subarray(0, this.#heldBytes);
      this.#held = NO_BYTES;
      this.#heldBytes = 0;
      this.#push(held);
    }
    if (this.isRemoteClosed && this.#heldBytes === 0) {
      this.#endBody();
    }
  }

  #push(piece: Buffer): void {
    this.body?.push(piece);
    this.connection.credit(piece.byteLength);
    this.#creditStream(piece.byteLength);
    this.#checkDiscarded();
  }

  #hold(bytes: Buffer, start: number, end: number): void {
    const needed = this.#heldBytes + end - start;
    if (this.#heldBytes === 0) {
      this.#held = copyOf(bytes, start, end);
    } else {
      if (needed > this.#held.length) {
        const larger = Buffer.allocUnsafe(Math.max(needed, 2 * this.#held.length));
        this.#held.copy(larger, 0, 0, this.#heldBytes);
        this.#held = larger;
      }
      bytes.copy(this.#held, this.#heldBytes, start, end);
    }
    this.#heldBytes = needed;
  }

  #dropHeld(): void {
    if (this.#heldBytes > 0) {
      this.connection.credit(this.#heldBytes);
      this.#held = NO_BYTES;
      this.#heldBytes = 0;
    }
  }

  #endBody(): void {
    this.body?.end();
    this.#settleDiscard();
  }

  #checkDiscarded(): void {
    if (this.#onDiscarded !== undefined && (this.body === undefined || this.body.hasEnded || !this.body.isWanted)) {
      this.#settleDiscard();
    }
  }

  #settleDiscard(): void {
    const onDiscarded = this.#onDiscarded;
    this.#onDiscarded = undefined;
    onDiscarded?.();
  }

  #credit(bytes: number): void {
    if (bytes > 0) {
      this.connection.credit(bytes);
      this.#creditStream(bytes);
    }
  }

  #creditStream(bytes: number): void {
    this.#uncredited += bytes;
    if (this.#uncredited >= CREDIT_BYTES_MIN && !this.isRemoteClosed && !this.isClosed && !this.#isUnwanted) {
      this.connection.writer.windowUpdate(this.id, this.#uncredited);
      this.connection.flushSoon();
      this.receiveWindow += this.#uncredited;
      this.#uncredited = 0;
    }
  }
}
