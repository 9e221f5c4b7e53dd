// When what a connection has written is handed to its socket: once at the end of each turn, for all that the turn has answered.
import type { Socket } from "node:net";
import type { ListenerContext } from "../listener-context.ts";
import { FrameWriter } from "./frame-writer.ts";
import { SendQueue } from "./send-queue.ts";

/** More than this that the socket has not taken, and nothing is read any more: what would be answered could not be heard. */
const UNTAKEN_BYTES_MAX = 128 * 1024;

/** What one connection sends. */
export class ConnectionOutput {
  readonly writer: FrameWriter;
  readonly sendQueue: SendQueue;
  readonly #socket: Socket;
  readonly #context: ListenerContext;
  #isFlushDue = false;
  #isHeld = false;
  #cancelStall: (() => void) | undefined;

  constructor(socket: Socket, context: ListenerContext) {
    this.#socket = socket;
    this.#context = context;
    this.writer = new FrameWriter(socket);
    this.sendQueue = new SendQueue(socket, this.writer);
  }

  /** What was written, and what waits to be sent, leaves at the end of this turn, as far as the windows allow. */
  flushSoon(): void {
    if (!this.#isFlushDue && !this.#isHeld) {
      this.#isFlushDue = true;
      process.nextTick(this.#flush);
    }
  }

  /** A chunk is read now, whose answers leave together. */
  hold(): void {
    this.#isHeld = true;
  }

  /** The chunk has been read. Where all of it `isAnswered` there is nothing to wait for. */
  release(isAnswered: boolean): void {
    this.#isHeld = false;
    const hasBytes = this.writer.pendingBytes > 0 || !this.sendQueue.isEmpty;
    if (hasBytes && isAnswered) {
      this.#flush();
    } else if (hasBytes && !this.#isFlushDue) {
      // Behind all promises that are settled by now, whose answers leave with it.
      this.#isFlushDue = true;
      queueMicrotask(() => process.nextTick(this.#flush));
    }
    if (this.#socket.writableLength > UNTAKEN_BYTES_MAX) {
      this.#socket.pause();
    }
  }

  /** The socket takes bytes again. */
  drained(): void {
    this.end();
    this.#flush();
    if (this.#socket.writableLength <= UNTAKEN_BYTES_MAX) {
      this.#socket.resume();
    }
  }

  /** The socket is closed: nobody waits for it any more. */
  end(): void {
    this.#cancelStall?.();
    this.#cancelStall = undefined;
  }

  readonly #flush = (): void => {
    this.#isFlushDue = false;
    const socket = this.#socket;
    if (socket.destroyed) {
      return;
    }
    this.sendQueue.pump();
    this.writer.flush();
    if (socket.writableNeedDrain) {
      const { clock, limits } = this.#context;
      this.#cancelStall ??= clock.after(limits.stallTimeoutMs, () => socket.destroy());
    } else if (this.sendQueue.isWaiting && !this.#isFlushDue) {
      // The socket has taken all of it; others have their turn first.
      this.#isFlushDue = true;
      setImmediate(this.#flush);
    }
  };
}
