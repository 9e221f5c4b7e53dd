// One stream: what has come of its body and is let in, what waits to be sent, and the windows of both.
// https://www.rfc-editor.org/rfc/rfc9113#section-5
import { FIRST_BODY_BYTES } from "../body-budget.ts";
import { RequestBody } from "../request-body.ts";
import type { Carrier } from "./carrier.ts";
import { FRAME_BYTES_MAX } from "./protocol.ts";

/** The window grows again when so much of it has been taken. */
const CREDIT_BYTES_MIN = FIRST_BODY_BYTES / 2;
/** A piece of a body up to this length is copied out of the chunk that it came in, so that it does not hold the chunk. */
const COPIED_BYTES_MAX = 4 * 1024;
const NO_BYTES = Buffer.alloc(0);

/** Whoever is at the other end of the stream, for whom the exchange speaks. */
export interface StreamOwner {
  /** So many bytes have left. */
  onSent(bytes: number): void;
  /** The body is wanted for the first time. */
  onBodyWanted(): void;
  /** All of the answer has been handed over, and the peer is still sending. */
  onLocalClosed(): void;
  /** The stream is closed; `isWhole` where all of the answer was sent. */
  onClosed(isWhole: boolean): void;
}

/** One stream. */
export class H2Stream {
  readonly id: number;
  /** Undefined where the request has none. */
  readonly body: RequestBody | undefined;
  owner!: StreamOwner;
  sendWindow: number;
  receiveWindow: number;
  /** The peer has sent all of the request. */
  isRemoteClosed: boolean;
  /** All of the answer has been handed over. */
  isLocalClosed = false;
  isClosed = false;
  readonly #carrier: Carrier;
  #bytesAnnounced: number | undefined;
  #bytesReceived = 0;
  // Of the body, what nobody wants yet.
  #held: Buffer = NO_BYTES;
  #heldBytes = 0;
  #uncredited = 0;
  #onDismissed: (() => void) | undefined;
  #isUnwanted = false;
  // Of the answer.
  readonly #waiting: Uint8Array[] = [];
  #offset = 0;
  #waitingBytes = 0;
  #isEnding = false;
  #trailers: Readonly<Record<string, string>> | undefined;

  constructor(
    carrier: Carrier,
    id: number,
    windows: { readonly send: number; readonly receive: number },
    bytesAnnounced: number | undefined,
    hasBody: boolean,
  ) {
    this.#carrier = carrier;
    this.id = id;
    this.sendWindow = windows.send;
    this.receiveWindow = windows.receive;
    this.isRemoteClosed = !hasBody;
    this.#bytesAnnounced = bytesAnnounced;
    this.body = hasBody ? new RequestBody(() => this.#feed()) : undefined;
  }

  /** Bytes of the answer that wait to be sent. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Takes a DATA frame's payload. `frameBytes` is what it counts against the windows, with its padding. */
  receive(bytes: Buffer, start: number, end: number, frameBytes: number): void {
    const length = end - start;
    this.#bytesReceived += length;
    this.#credit(frameBytes - length);
    if (length === 0) {
      return;
    }
    if (this.#isUnwanted) {
      this.#carrier.credit(length);
    } else if (this.#heldBytes === 0 && this.body?.isWanted) {
      this.#push(copied(bytes, start, end));
    } else {
      this.#hold(bytes, start, end);
    }
  }

  /** The peer has sent all of it. False where that is not as long as was announced, and nobody has answered yet. */
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

  /** Whether more has come than was announced. */
  get isOverLong(): boolean {
    return this.#bytesAnnounced !== undefined && this.#bytesReceived > this.#bytesAnnounced;
  }

  /** The length that was announced does not matter any more: the answer does not depend on it. */
  forgetLength(): void {
    this.#bytesAnnounced = undefined;
  }

  /** Lets in and throws away so much of the body, and calls back when that has come, or all of it. */
  dismissBody(bytesMax: number, onDismissed: () => void): void {
    this.#onDismissed = onDismissed;
    this.body?.discard(bytesMax);
    this.#lookForDismissed();
  }

  /** Nothing more of the body is let in. */
  endBody(): void {
    this.#isUnwanted = true;
    this.#dropHeld();
  }

  /** Adds to the answer, and sends what may be sent. */
  send(bytes: Uint8Array): void {
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.byteLength;
    this.#carrier.sendQueue.add(this);
  }

  /** Ends the answer, with trailers where there are some, when what waits has been sent. */
  sendEnd(trailers: Readonly<Record<string, string>> | undefined): void {
    this.#isEnding = true;
    this.#trailers = trailers;
    this.#carrier.sendQueue.add(this);
  }

  /** Sends a frame, as far as the windows allow. True where there is more that could be sent. */
  sendPart(): boolean {
    const { sendQueue, writer } = this.#carrier;
    const first = this.#waiting[0];
    if (first === undefined) {
      if (this.#isEnding) {
        this.#sendLast();
      }
      return false;
    }
    const bytes = Math.min(first.byteLength - this.#offset, FRAME_BYTES_MAX, sendQueue.window, this.sendWindow);
    if (bytes <= 0) {
      // Its own window brings it back, when it opens.
      return this.sendWindow > 0;
    }
    const end = this.#offset + bytes;
    const isLast = this.#isEnding && this.#trailers === undefined && bytes === this.#waitingBytes;
    writer.data(this.id, first, this.#offset, end, isLast);
    sendQueue.window -= bytes;
    this.sendWindow -= bytes;
    this.#waitingBytes -= bytes;
    this.#offset = end;
    if (end === first.byteLength) {
      this.#waiting.shift();
      this.#offset = 0;
    }
    this.#carrier.flushSoon();
    this.owner.onSent(bytes);
    if (isLast) {
      this.closeLocal();
    }
    return !this.isClosed && !this.isLocalClosed && (this.#waitingBytes > 0 || this.#isEnding);
  }

  /** The peer takes so many bytes more, or fewer. */
  changeSendWindow(bytes: number): void {
    this.sendWindow += bytes;
    if (this.#waitingBytes > 0 && this.sendWindow > 0) {
      this.#carrier.sendQueue.add(this);
    }
  }

  /** The last of the answer has been written. */
  closeLocal(): void {
    this.isLocalClosed = true;
    this.forgetLength();
    if (this.isRemoteClosed) {
      this.#carrier.finished(this.id);
    } else {
      this.owner.onLocalClosed();
    }
  }

  /** Lets go of everything. Called once, by the connection. */
  close(): void {
    this.isClosed = true;
    this.#carrier.sendQueue.remove(this);
    this.#waiting.length = 0;
    this.#waitingBytes = 0;
    this.endBody();
    if (!this.isRemoteClosed || this.body?.hasEnded === false) {
      this.body?.fail();
    }
    this.#settleDismissal();
    this.owner.onClosed(this.isLocalClosed);
  }

  #sendLast(): void {
    const { encoder, writer } = this.#carrier;
    if (this.#trailers === undefined) {
      writer.data(this.id, NO_BYTES, 0, 0, true);
    } else {
      encoder.trailers(this.id, this.#trailers);
    }
    this.#carrier.flushSoon();
    this.closeLocal();
  }

  // Somebody wants the body, or the next piece of it.
  #feed(): void {
    this.owner.onBodyWanted();
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
    this.#carrier.credit(piece.byteLength);
    this.#creditStream(piece.byteLength);
    this.#lookForDismissed();
  }

  #hold(bytes: Buffer, start: number, end: number): void {
    const needed = this.#heldBytes + end - start;
    if (this.#heldBytes === 0 && needed > COPIED_BYTES_MAX) {
      this.#held = bytes.subarray(start, end);
    } else {
      if (needed > this.#held.length) {
        const larger = Buffer.allocUnsafe(this.#heldBytes === 0 ? needed : Math.max(needed, 2 * this.#held.length));
        this.#held.copy(larger, 0, 0, this.#heldBytes);
        this.#held = larger;
      }
      bytes.copy(this.#held, this.#heldBytes, start, end);
    }
    this.#heldBytes = needed;
  }

  #dropHeld(): void {
    if (this.#heldBytes > 0) {
      this.#carrier.credit(this.#heldBytes);
      this.#held = NO_BYTES;
      this.#heldBytes = 0;
    }
  }

  #endBody(): void {
    this.body?.end();
    this.#settleDismissal();
  }

  #lookForDismissed(): void {
    if (this.#onDismissed !== undefined && (this.body === undefined || this.body.hasEnded || !this.body.isWanted)) {
      this.#settleDismissal();
    }
  }

  #settleDismissal(): void {
    const onDismissed = this.#onDismissed;
    this.#onDismissed = undefined;
    onDismissed?.();
  }

  #credit(bytes: number): void {
    if (bytes > 0) {
      this.#carrier.credit(bytes);
      this.#creditStream(bytes);
    }
  }

  #creditStream(bytes: number): void {
    this.#uncredited += bytes;
    if (this.#uncredited >= CREDIT_BYTES_MIN && !this.isRemoteClosed && !this.isClosed && !this.#isUnwanted) {
      this.#carrier.writer.windowUpdate(this.id, this.#uncredited);
      this.#carrier.flushSoon();
      this.receiveWindow += this.#uncredited;
      this.#uncredited = 0;
    }
  }
}

const copied = (bytes: Buffer, start: number, end: number): Buffer =>
  end - start > COPIED_BYTES_MAX ? bytes.subarray(start, end) : Buffer.from(bytes.subarray(start, end));
