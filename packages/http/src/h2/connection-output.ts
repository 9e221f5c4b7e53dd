// Decides when a connection's output goes to its socket: once at the end of each turn, for all responses of that turn.
import type { Socket } from "node:net";
import type { ListenerContext } from "../listener-context.ts";
import type { PacedInput } from "../paced-input.ts";
import { FrameWriter } from "./frame-writer.ts";
import { SendQueue } from "./send-queue.ts";

/** When the socket holds more than this unsent, nothing more is read: responses could not be sent either. */
const SOCKET_UNSENT_BYTES_MAX = 128 * 1024;

export class ConnectionOutput {
  readonly writer: FrameWriter;
  readonly sendQueue: SendQueue;
  readonly #socket: Socket;
  readonly #socketInput: PacedInput;
  readonly #context: ListenerContext;
  #isFlushDue = false;
  #isHeld = false;
  #cancelStall: (() => void) | undefined;

  constructor(socket: Socket, socketInput: PacedInput, context: ListenerContext) {
    this.#socket = socket;
    this.#socketInput = socketInput;
    this.#context = context;
    this.writer = new FrameWriter(socket);
    this.sendQueue = new SendQueue(socket, this.writer);
  }

  /** At the end of this turn, sends what was written, and as much of the queued data as the window allows. */
  flushSoon(): void {
    if (!this.#isFlushDue && !this.#isHeld) {
      this.#isFlushDue = true;
      process.nextTick(this.#flush);
    }
  }

  /** Holds output back while a chunk is being read, so that its responses are sent together. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Called when the chunk has been read. If `isComplete`, every request in it has its response, and there is nothing to wait for. */
  release(isComplete: boolean): void {
    this.#isHeld = false;
    const hasBytes = this.writer.pendingBytes > 0 || !this.sendQueue.isEmpty;
    if (hasBytes && isComplete) {
      this.#flush();
    } else if (hasBytes && !this.#isFlushDue) {
      // Runs after all promises that are already settled, so that their responses are included.
      this.#isFlushDue = true;
      queueMicrotask(() => process.nextTick(this.#flush));
    }
    if (this.#socket.writableLength > SOCKET_UNSENT_BYTES_MAX) {
      this.#socketInput.pause();
    }
  }

  /** Called when the socket accepts bytes again. */
  drained(): void {
    this.end();
    this.#flush();
    if (this.#socket.writableLength <= SOCKET_UNSENT_BYTES_MAX) {
      this.#socketInput.resume();
    }
  }

  /** Stops waiting for the socket, which is closed. */
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
      // The socket accepted everything. Other connections get their turn before more is written.
      this.#isFlushDue = true;
      setImmediate(this.#flush);
    }
  };
}
