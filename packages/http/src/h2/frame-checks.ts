// Checks each frame on its own, whatever the state of its stream: length, stream id, padding, order. Passes valid frames to the handlers
// of their kind. https://www.rfc-editor.org/rfc/rfc9113#section-6
import type { ConnectionBudgets } from "./connection-budgets.ts";
import { ConnectionError } from "./connection-error.ts";
import { readUint31 } from "./frame-reader.ts";
import { OpenHeaderBlock } from "./header-blocks.ts";
import * as h2 from "./protocol.ts";

/** Handles header blocks. Like those of the other handlers, its methods may throw a ConnectionError. */
export interface HeaderBlockHandler {
  /** Called with each whole header block. */
  handleBlock(streamId: number, endsStream: boolean, bytes: Buffer, from: number, to: number): void;
}

/** Handles bodies and window updates. */
export interface FlowFrameHandler {
  /** Called with part of a body. `frameBytes` is what it counts against the windows. */
  handleData(streamId: number, bytes: Buffer, from: number, to: number, frameBytes: number, endsStream: boolean): void;
  /** Called for a stream, or for the connection if the id is 0. */
  handleWindowUpdate(streamId: number, increment: number): void;
}

/** Handles frames that end a stream early. */
export interface StreamFrameHandler {
  /** Called when the peer resets a stream. */
  handleReset(streamId: number): void;
  /** Called when the peer breaks the protocol with a frame that concerns only one stream. */
  handleStreamFault(streamId: number, code: number, message: string): void;
}

/** Handles frames that concern the connection as a whole. */
export interface ConnectionFrameHandler {
  /** Called when the peer changes its settings. */
  handleSettings(bytes: Buffer, start: number, end: number): void;
  /** Called when the peer has acknowledged our settings. */
  handleSettingsAck(): void;
  handlePing(bytes: Buffer, start: number): void;
  handlePingAck(): void;
}

/** The handlers of one connection's frames. */
export interface FrameHandlers {
  readonly requests: HeaderBlockHandler;
  readonly flow: FlowFrameHandler;
  readonly streams: StreamFrameHandler;
  readonly connection: ConnectionFrameHandler;
}

export class FrameChecks {
  readonly #requests: HeaderBlockHandler;
  readonly #flow: FlowFrameHandler;
  readonly #streams: StreamFrameHandler;
  readonly #connection: ConnectionFrameHandler;
  readonly #budgets: ConnectionBudgets;
  #hasSettings = false;
  #openBlock: OpenHeaderBlock | undefined;

  constructor({ requests, flow, streams, connection }: FrameHandlers, budgets: ConnectionBudgets) {
    this.#requests = requests;
    this.#flow = flow;
    this.#streams = streams;
    this.#connection = connection;
    this.#budgets = budgets;
  }

  /** The header block that has only partly arrived. */
  get openBlock(): OpenHeaderBlock | undefined {
    return this.#openBlock;
  }

  /** Checks a frame and passes it on. Throws a ConnectionError. */
  readonly take = (type: number, flags: number, streamId: number, bytes: Buffer, start: number, end: number): void => {
    if (this.#openBlock !== undefined && type !== h2.CONTINUATION) {
      throw new ConnectionError(h2.PROTOCOL_ERROR, "a header block was interrupted");
    }
    if (!this.#hasSettings) {
      require(type === h2.SETTINGS && (flags & h2.ACK) === 0, "the first frame is not SETTINGS");
      this.#hasSettings = true;
    }
    switch (type) {
      case h2.DATA:
        this.#handleData(flags, streamId, bytes, start, end);
        break;
      case h2.HEADERS:
        this.#handleHeaders(flags, streamId, bytes, start, end);
        break;
      case h2.PRIORITY:
        this.#handlePriority(streamId, bytes, start, end);
        break;
      case h2.RST_STREAM:
        requireLength(end - start === 4, "RST_STREAM");
        require(streamId !== 0, "RST_STREAM on stream 0");
        this.#streams.handleReset(streamId);
        break;
      case h2.SETTINGS:
        this.#handleSettings(flags, streamId, bytes, start, end);
        break;
      case h2.PUSH_PROMISE:
        throw new ConnectionError(h2.PROTOCOL_ERROR, "a client cannot push");
      case h2.PING:
        this.#handlePing(flags, streamId, bytes, start, end);
        break;
      case h2.GOAWAY:
        // The peer will close the connection. Its requests so far are still served.
        require(streamId === 0, "GOAWAY on a stream");
        requireLength(end - start >= 8, "GOAWAY");
        this.#budgets.spendControlFrame();
        break;
      case h2.WINDOW_UPDATE:
        requireLength(end - start === 4, "WINDOW_UPDATE");
        this.#budgets.spendControlFrame();
        this.#flow.handleWindowUpdate(streamId, readUint31(bytes, start));
        break;
      case h2.CONTINUATION:
        this.#handleContinuation(flags, streamId, bytes, start, end);
        break;
      default:
        // https://www.rfc-editor.org/rfc/rfc9113#section-5.5
        this.#budgets.spendControlFrame();
    }
  };

  #handleData(flags: number, streamId: number, bytes: Buffer, start: number, end: number): void {
    require(streamId !== 0, "DATA on stream 0");
    const padding = paddingOf(flags, bytes, start, end);
    const from = (flags & h2.PADDED) === 0 ? start : start + 1;
    const endsStream = (flags & h2.END_STREAM) !== 0;
    if (from === end - padding && !endsStream) {
      this.#budgets.spendControlFrame();
    }
    this.#flow.handleData(streamId, bytes, from, end - padding, end - start, endsStream);
  }

  #handleHeaders(flags: number, streamId: number, bytes: Buffer, start: number, end: number): void {
    require(streamId % 2 === 1, "HEADERS on a stream id that clients may not open");
    const to = end - paddingOf(flags, bytes, start, end);
    let from = (flags & h2.PADDED) === 0 ? start : start + 1;
    if ((flags & h2.HAS_PRIORITY) !== 0) {
      requireLength(to - from >= 5, "HEADERS with a priority");
      require(readUint31(bytes, from) !== streamId, "a stream depends on itself");
      from += 5;
    }
    const endsStream = (flags & h2.END_STREAM) !== 0;
    if ((flags & h2.END_HEADERS) === 0) {
      this.#openBlock = new OpenHeaderBlock(streamId, endsStream, bytes, from, to);
    } else {
      this.#requests.handleBlock(streamId, endsStream, bytes, from, to);
    }
  }

  #handleContinuation(flags: number, streamId: number, bytes: Buffer, start: number, end: number): void {
    const block = this.#openBlock;
    if (block === undefined) {
      throw new ConnectionError(h2.PROTOCOL_ERROR, "CONTINUATION without HEADERS");
    }
    block.add(streamId, bytes, start, end);
    if ((flags & h2.END_HEADERS) !== 0) {
      this.#openBlock = undefined;
      const whole = block.bytes;
      this.#requests.handleBlock(streamId, block.endsStream, whole, 0, whole.length);
    }
  }

  // Priorities are ignored: https://www.rfc-editor.org/rfc/rfc9113#section-5.3.2
  #handlePriority(streamId: number, bytes: Buffer, start: number, end: number): void {
    this.#budgets.spendControlFrame();
    require(streamId !== 0, "PRIORITY on stream 0");
    if (end - start !== 5) {
      this.#streams.handleStreamFault(streamId, h2.FRAME_SIZE_ERROR, "PRIORITY has the wrong length");
    } else if (readUint31(bytes, start) === streamId) {
      this.#streams.handleStreamFault(streamId, h2.PROTOCOL_ERROR, "a stream depends on itself");
    }
  }

  #handleSettings(flags: number, streamId: number, bytes: Buffer, start: number, end: number): void {
    require(streamId === 0, "SETTINGS on a stream");
    this.#budgets.spendControlFrame();
    if ((flags & h2.ACK) === 0) {
      this.#connection.handleSettings(bytes, start, end);
    } else {
      requireLength(end === start, "the acknowledgement of SETTINGS");
      this.#connection.handleSettingsAck();
    }
  }

  #handlePing(flags: number, streamId: number, bytes: Buffer, start: number, end: number): void {
    require(streamId === 0, "PING on a stream");
    requireLength(end - start === 8, "PING");
    this.#budgets.spendPing();
    if ((flags & h2.ACK) === 0) {
      this.#connection.handlePing(bytes, start);
    } else {
      this.#connection.handlePingAck();
    }
  }
}

function require(isRight: boolean, fault: string): void {
  if (!isRight) {
    throw new ConnectionError(h2.PROTOCOL_ERROR, fault);
  }
}

function requireLength(isRight: boolean, what: string): void {
  if (!isRight) {
    throw new ConnectionError(h2.FRAME_SIZE_ERROR, `${what} has the wrong length`);
  }
}

/** The length of a payload's padding in bytes. https://www.rfc-editor.org/rfc/rfc9113#section-6.1 */
function paddingOf(flags: number, bytes: Buffer, start: number, end: number): number {
  if ((flags & h2.PADDED) === 0) {
    return 0;
  }
  const padding = start < end ? (bytes[start] as number) : 0;
  require(padding < end - start, "a frame has more padding than payload");
  return padding;
}
