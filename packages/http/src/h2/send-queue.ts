// Decides which stream of a connection sends next. Streams take turns of one frame, within both windows and as long as the socket
// accepts bytes, so that a long response does not block others. https://www.rfc-editor.org/rfc/rfc9113#section-5.2
import type { Socket } from "node:net";
import type { FrameWriter } from "./frame-writer.ts";
import { WINDOW_BYTES_DEFAULT } from "./protocol.ts";

/** How much is passed to the socket at once. The rest is kept until that has been sent. */
const TURN_BYTES_MAX = 64 * 1024;
/** A shorter frame, cut by a window, does not prove that the peer reads: it may be draining the response byte by byte. */
const CUT_FRAME_BYTES_MIN = 1024;
/** How many DATA frames are remembered: their window updates may arrive much later. */
const FRAMES_REMEMBERED_MAX = 10_000;

export interface SendingStream {
  /** How many bytes the peer accepts on the stream. */
  readonly sendWindow: number;
  /** How many bytes are queued. */
  readonly waitingBytes: number;
  /** Sends a frame, as far as the windows allow. Returns true if more could be sent. */
  sendPart(): boolean;
}

// Shared by all connections on which no stream has waited yet. Never changed.
const NO_STREAMS = new Set<SendingStream>();

/** The streams of one connection that have something to send. */
export class SendQueue {
  /** How many bytes the peer accepts on the connection. */
  window = WINDOW_BYTES_DEFAULT;
  readonly #socket: Socket;
  readonly #writer: FrameWriter;
  #streams = NO_STREAMS;
  #framesSent = 0;

  constructor(socket: Socket, writer: FrameWriter) {
    this.#socket = socket;
    this.#writer = writer;
  }

  /** Whether no stream has anything to send. */
  get isEmpty(): boolean {
    return this.#streams.size === 0;
  }

  /** Whether a stream could send something if the socket accepts it. */
  get isWaiting(): boolean {
    return this.#streams.size > 0 && this.window > 0;
  }

  /** Whether writing should stop for now: the socket has not sent what it was given, or this turn has written its share. */
  get isFull(): boolean {
    return this.#socket.writableNeedDrain || this.#writer.pendingBytes >= TURN_BYTES_MAX;
  }

  /**
   * Whether a stream may send this many bytes at once: no other stream waits, both windows have room, and the socket accepts them.
   */
  maySend(stream: SendingStream, bytes: number): boolean {
    return this.#streams.size === 0 && bytes <= this.window && bytes <= stream.sendWindow && !this.isFull;
  }

  /** Called when a DATA frame was written. `isCut` if a window cut it short. */
  sent(bytes: number, isCut: boolean): void {
    this.window -= bytes;
    if ((!isCut || bytes >= CUT_FRAME_BYTES_MIN) && this.#framesSent < FRAMES_REMEMBERED_MAX) {
      this.#framesSent += 1;
    }
  }

  /** Forgets up to `max` written DATA frames and returns how many. Frames that a window has cut to almost nothing do not count. */
  takeFramesSent(max: number): number {
    const count = Math.min(this.#framesSent, max);
    this.#framesSent -= count;
    return count;
  }

  add(stream: SendingStream): void {
    if (this.#streams === NO_STREAMS) {
      this.#streams = new Set();
    }
    this.#streams.add(stream);
  }

  remove(stream: SendingStream): void {
    this.#streams.delete(stream);
  }

  /** Sends as much as possible. */
  pump(): void {
    for (const stream of this.#streams) {
      if (this.isFull) {
        return;
      }
      this.#streams.delete(stream);
      if (stream.sendPart()) {
        // The stream goes to the end of the queue; this loop comes back to it.
        this.#streams.add(stream);
        if (this.window <= 0) {
          this.#pumpEnds();
          return;
        }
      }
    }
  }

  // Ending a response needs no window.
  #pumpEnds(): void {
    for (const stream of [...this.#streams]) {
      if (stream.waitingBytes === 0) {
        this.#streams.delete(stream);
        stream.sendPart();
      }
    }
  }
}
