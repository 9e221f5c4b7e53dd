// Flow control: how many bytes of bodies each side may send on the connection and on each stream.
// https://www.rfc-editor.org/rfc/rfc9113#section-5.2
import { ConnectionError } from "./connection-error.ts";
import type { ConnectionLife } from "./connection-life.ts";
import type { ConnectionOutput } from "./connection-output.ts";
import type { FlowFrameHandler } from "./frame-checks.ts";
import type { OpenStreams } from "./open-streams.ts";
import { FLOW_CONTROL_ERROR, PROTOCOL_ERROR, STREAM_WINDOW_BYTES, WINDOW_BYTES_DEFAULT, WINDOW_BYTES_MAX } from "./protocol.ts";

/** The windows of one connection. */
export class FlowControl implements FlowFrameHandler {
  /** How much of each response the peer accepts initially. */
  sendWindow = WINDOW_BYTES_DEFAULT;
  /** How much of each request body we accept initially. Our setting takes effect once the peer has acknowledged it. */
  receiveWindow = WINDOW_BYTES_DEFAULT;
  readonly #streams: OpenStreams;
  readonly #output: ConnectionOutput;
  readonly #life: ConnectionLife;
  #connectionWindow = WINDOW_BYTES_DEFAULT;
  #uncredited = 0;

  constructor(streams: OpenStreams, output: ConnectionOutput, life: ConnectionLife) {
    this.#streams = streams;
    this.#output = output;
    this.#life = life;
  }

  /** How many bytes of bodies have not been read yet. */
  get heldBytes(): number {
    return WINDOW_BYTES_DEFAULT - this.#connectionWindow - this.#uncredited;
  }

  /** Stops counting these bytes of bodies against the connection's window. */
  credit(bytes: number): void {
    this.#uncredited += bytes;
    if (this.#uncredited >= WINDOW_BYTES_DEFAULT / 2 && this.#life.phase !== "closing") {
      this.#output.writer.windowUpdate(0, this.#uncredited);
      this.#connectionWindow += this.#uncredited;
      this.#uncredited = 0;
      this.#output.flushSoon();
    }
  }

  handleData(streamId: number, bytes: Buffer, from: number, to: number, frameBytes: number, endsStream: boolean): void {
    const streams = this.#streams;
    const stream = streams.findOpened(streamId);
    this.#connectionWindow -= frameBytes;
    if (this.#connectionWindow < 0) {
      throw new ConnectionError(FLOW_CONTROL_ERROR, "more DATA than the connection's window allows");
    }
    if (stream === undefined || stream.isRemoteClosed) {
      this.credit(frameBytes);
      streams.refuseFrame(streamId, stream);
      return;
    }
    stream.receiveWindow -= frameBytes;
    if (stream.receiveWindow < 0) {
      this.credit(frameBytes);
      streams.resetForFault(stream, FLOW_CONTROL_ERROR);
      return;
    }
    stream.receive(bytes, from, to, frameBytes);
    if (stream.isOverLong) {
      streams.failBody(stream, "The body is longer than content-length says.");
    }
    if (endsStream) {
      streams.endRequest(stream);
    }
  }

  handleWindowUpdate(streamId: number, increment: number): void {
    if (streamId === 0) {
      this.#widen(increment);
      return;
    }
    const stream = this.#streams.findOpened(streamId);
    if (stream === undefined) {
      return;
    }
    if (increment === 0) {
      this.#streams.resetForFault(stream, PROTOCOL_ERROR);
    } else if (stream.sendWindow + increment > WINDOW_BYTES_MAX) {
      this.#streams.resetForFault(stream, FLOW_CONTROL_ERROR);
    } else {
      stream.changeSendWindow(increment);
    }
  }

  /** Sets how many bytes of each response the peer accepts before it opens the window further. Throws a ConnectionError. */
  setSendWindow(bytes: number): void {
    const change = bytes - this.sendWindow;
    this.sendWindow = bytes;
    for (const stream of this.#streams.all()) {
      if (stream.sendWindow + change > WINDOW_BYTES_MAX) {
        throw new ConnectionError(FLOW_CONTROL_ERROR, "a stream's window exceeds the maximum");
      }
      stream.changeSendWindow(change);
    }
  }

  /** Called when the peer has acknowledged our settings: from now on it keeps to our window. */
  settingsAcknowledged(): void {
    const change = STREAM_WINDOW_BYTES - this.receiveWindow;
    this.receiveWindow = STREAM_WINDOW_BYTES;
    for (const stream of this.#streams.all()) {
      stream.receiveWindow += change;
    }
  }

  #widen(increment: number): void {
    const { sendQueue } = this.#output;
    if (increment === 0) {
      throw new ConnectionError(PROTOCOL_ERROR, "a window update of 0");
    }
    sendQueue.window += increment;
    if (sendQueue.window > WINDOW_BYTES_MAX) {
      throw new ConnectionError(FLOW_CONTROL_ERROR, "the connection's window exceeds the maximum");
    }
  }
}
