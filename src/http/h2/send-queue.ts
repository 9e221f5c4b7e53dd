// Which stream of a connection sends next. Streams take turns of one frame, within the windows of both and as long as the socket takes bytes, so
// that a long answer keeps no other waiting. https://www.rfc-editor.org/rfc/rfc9113#section-5.2
import type { Socket } from "node:net";
import type { FrameWriter } from "./frame-writer.ts";
import { WINDOW_BYTES_DEFAULT } from "./protocol.ts";

/** What is handed to the socket at once. Of what is longer, the rest waits until that has left. */
const TURN_BYTES_MAX = 64 * 1024;
/** A shorter frame that a window has cut is no sign that its peer reads: it may be one that lets an answer out octet by octet. */
const CUT_FRAME_BYTES_MIN = 1024;
/** DATA frames that are remembered: what a peer reads of them may come back as window updates much later. */
const FRAMES_REMEMBERED_MAX = 10_000;

/** A stream, as far as it sends. */
export interface SendingStream {
  /** What the peer takes on the stream. */
  readonly sendWindow: number;
  /** Bytes that wait to be sent. */
  readonly waitingBytes: number;
  /** Sends a frame, as far as the windows allow. True where there is more that could be sent. */
  sendPart(): boolean;
}

// Of all connections where no stream has waited yet. Nothing is added to it.
const NO_STREAMS = new Set<SendingStream>();

/** The streams of one connection that have something to send. */
export class SendQueue {
  /** What the peer takes on the connection. */
  window = WINDOW_BYTES_DEFAULT;
  readonly #socket: Socket;
  readonly #writer: FrameWriter;
  #streams = NO_STREAMS;
  #framesSent = 0;

  constructor(socket: Socket, writer: FrameWriter) {
    this.#socket = socket;
    this.#writer = writer;
  }

  /** Whether any stream has something to send. */
  get isEmpty(): boolean {
    return this.#streams.size === 0;
  }

  /** Whether a stream could send something if the socket takes it. */
  get isWaiting(): boolean {
    return this.#streams.size > 0 && this.window > 0;
  }

  /** Whether nothing more should be written for now: the socket has not sent what it was given, or this turn has written its share. */
  get isFull(): boolean {
    return this.#socket.writableNeedDrain || this.#writer.pendingBytes >= TURN_BYTES_MAX;
  }

  /** Whether this many bytes of a stream may be sent at once: no other stream waits, both windows have room, and the socket takes them. */
  maySend(stream: SendingStream, bytes: number): boolean {
    return this.#streams.size === 0 && bytes <= this.window && bytes <= stream.sendWindow && !this.isFull;
  }

  /** A DATA frame has been written. `isCut` where a window had no room for more. */
  sent(bytes: number, isCut: boolean): void {
    this.window -= bytes;
    if ((!isCut || bytes >= CUT_FRAME_BYTES_MIN) && this.#framesSent < FRAMES_REMEMBERED_MAX) {
      this.#framesSent += 1;
    }
  }

  /** Forgets up to `max` DATA frames that were written, and tells how many. Those that a window has cut to almost nothing do not count. */
  takeFramesSent(max: number): number {
    const count = Math.min(this.#framesSent, max);
    this.#framesSent -= count;
    return count;
  }

  /** The stream has something to send. */
  add(stream: SendingStream): void {
    if (this.#streams === NO_STREAMS) {
      this.#streams = new Set();
    }
    this.#streams.add(stream);
  }

  remove(stream: SendingStream): void {
    this.#streams.delete(stream);
  }

  /** Sends as much as may be sent. */
  pump(): void {
    for (const stream of this.#streams) {
      if (this.isFull) {
        return;
      }
      this.#streams.delete(stream);
      if (stream.sendPart()) {
        // Behind the others; the loop comes to it again.
        this.#streams.add(stream);
        if (this.window <= 0) {
          this.#pumpEnds();
          return;
        }
      }
    }
  }

  // The end of an answer needs no window.
  #pumpEnds(): void {
    for (const stream of [...this.#streams]) {
      if (stream.waitingBytes === 0) {
        this.#streams.delete(stream);
        stream.sendPart();
      }
    }
  }
}
