// One HTTP/2 connection: takes its frames, keeps its streams, and holds its peer to the protocol and to the limits.
// https://www.rfc-editor.org/rfc/rfc9113
import type { Socket } from "node:net";
import { FIRST_BODY_BYTES } from "../body-budget.ts";
import { CompressionError } from "../hpack/compression-error.ts";
import { type HeaderBlock, HpackDecoder } from "../hpack/decoder.ts";
import { FAREWELL_MS } from "../linger.ts";
import type { ListenerContext } from "../listener-context.ts";
import { UnsentOfConnection } from "../unsent-responses.ts";
import type { Carrier } from "./carrier.ts";
import { ClosedStreams } from "./closed-streams.ts";
import { ConnectionBudgets } from "./connection-budgets.ts";
import { ConnectionError } from "./connection-error.ts";
import { ConnectionLife, type LifeOwner } from "./connection-life.ts";
import { ConnectionOutput } from "./connection-output.ts";
import { FrameChecks, type FrameTaker } from "./frame-checks.ts";
import { FrameReader } from "./frame-reader.ts";
import type { FrameWriter } from "./frame-writer.ts";
import { H2Exchange } from "./h2-exchange.ts";
import { H2Stream } from "./h2-stream.ts";
import { readSettings, type SettingsTaker } from "./peer-settings.ts";
import * as h2 from "./protocol.ts";
import { areTrailersWellFormed, type Malformed, type RequestFacts, readRequest } from "./request-facts.ts";
import { ResponseEncoder } from "./response-encoder.ts";
import type { SendQueue } from "./send-queue.ts";

const NO_PAYLOAD = Buffer.alloc(8);

/** One connection. */
export class H2Connection implements Carrier, FrameTaker, LifeOwner, SettingsTaker {
  readonly context: ListenerContext;
  readonly isSecure: boolean;
  readonly peer: string;
  readonly unsent: UnsentOfConnection;
  readonly writer: FrameWriter;
  readonly encoder: ResponseEncoder;
  readonly sendQueue: SendQueue;
  readonly #socket: Socket;
  readonly #output: ConnectionOutput;
  readonly #reader: FrameReader;
  readonly #decoder: HpackDecoder<RequestFacts | Malformed>;
  readonly #budgets: ConnectionBudgets;
  readonly #life: ConnectionLife;
  readonly #streams = new Map<number, H2Stream>();
  readonly #closed = new ClosedStreams();
  // The highest id of all, and the highest of those that were not refused.
  #highestStreamId = 0;
  #lastStreamId = 0;
  // The windows that new streams have: the peer's, and ours, which holds once the peer has acknowledged it.
  #sendWindow = h2.WINDOW_BYTES_DEFAULT;
  #receiveWindow = h2.WINDOW_BYTES_DEFAULT;
  #connectionWindow = h2.WINDOW_BYTES_DEFAULT;
  #uncredited = 0;
  // Exchanges of the chunk that is read: they begin when all of it is, without those that were reset in the same breath.
  #fresh: H2Exchange[] = [];

  constructor(socket: Socket, context: ListenerContext) {
    const { limits, clock } = context;
    this.#socket = socket;
    this.context = context;
    this.isSecure = "encrypted" in socket;
    this.peer = socket.remoteAddress ?? "";
    this.unsent = new UnsentOfConnection(socket);
    this.#output = new ConnectionOutput(socket, context);
    this.writer = this.#output.writer;
    this.encoder = new ResponseEncoder(this.writer);
    this.sendQueue = this.#output.sendQueue;
    this.#budgets = new ConnectionBudgets(clock, limits);
    this.#life = new ConnectionLife(this, clock, limits.idleTimeoutMs);
    // As HTTP/2 counts, with 32 bytes more for each header.
    const listBytesMax = limits.headerBytesMax + limits.urlBytesMax + 32 * limits.headersMax;
    this.#decoder = new HpackDecoder({ listBytesMax, fieldsMax: limits.headersMax + 8 });
    this.#reader = new FrameReader(new FrameChecks(this, this.#budgets).take);
    this.writer.settings([
      [h2.ENABLE_PUSH, 0],
      [h2.MAX_CONCURRENT_STREAMS, limits.requestsUnderWayMax],
      // No more of a body may come before there is room for it, and somebody reads it.
      [h2.INITIAL_WINDOW_SIZE, FIRST_BODY_BYTES],
      [h2.MAX_HEADER_LIST_SIZE, listBytesMax],
    ]);
    this.flushSoon();
  }

  /** Takes what the socket gives. */
  receive(chunk: Buffer): void {
    if (this.#life.phase === "closing") {
      return;
    }
    this.#output.hold();
    try {
      this.#reader.read(chunk);
      this.#begin();
    } catch (thrown) {
      if (!(thrown instanceof ConnectionError || thrown instanceof CompressionError)) {
        throw thrown;
      }
      this.#fail(thrown instanceof ConnectionError ? thrown.code : h2.COMPRESSION_ERROR, thrown.message);
    } finally {
      this.#output.release();
    }
  }

  /** The socket takes bytes again. */
  drained(): void {
    this.#output.drained();
  }

  /** The socket is closed. */
  ended(): void {
    this.#life.end();
    this.#output.end();
    this.#closeStreams();
  }

  /** Lets calls under way end and closes the connection then. */
  retire(): void {
    this.#life.retire();
  }

  sayFarewell(): void {
    this.writer.goaway(h2.STREAM_ID_MAX, h2.NO_ERROR, "");
    this.writer.ping(false, NO_PAYLOAD, 0);
    this.flushSoon();
  }

  sayLastStream(): void {
    this.writer.goaway(this.#lastStreamId, h2.NO_ERROR, "");
    this.flushSoon();
  }

  close(): void {
    this.writer.flush();
    this.#socket.end();
    // What it still sends is thrown away, so that it gets to read what was said.
    this.#socket.resume();
  }

  cut(): void {
    this.#socket.destroy();
  }

  setHeaderTableBytes(bytes: number): void {
    this.encoder.setTableBytesMax(bytes);
  }

  setInitialWindow(bytes: number): void {
    const change = bytes - this.#sendWindow;
    this.#sendWindow = bytes;
    for (const stream of this.#streams.values()) {
      if (stream.sendWindow + change > h2.WINDOW_BYTES_MAX) {
        throw new ConnectionError(h2.FLOW_CONTROL_ERROR, "a stream's window is over the largest one");
      }
      stream.changeSendWindow(change);
    }
  }

  credit(bytes: number): void {
    this.#uncredited += bytes;
    if (this.#uncredited >= h2.WINDOW_BYTES_DEFAULT / 2 && this.#life.phase !== "closing") {
      this.writer.windowUpdate(0, this.#uncredited);
      this.#connectionWindow += this.#uncredited;
      this.#uncredited = 0;
      this.flushSoon();
    }
  }

  flushSoon(): void {
    this.#output.flushSoon();
  }

  reset(streamId: number, code: number): void {
    const stream = this.#streams.get(streamId);
    if (stream !== undefined) {
      this.writer.reset(streamId, code);
      this.flushSoon();
      this.#remove(stream, true);
    }
  }

  breakOff(streamId: number): void {
    this.reset(streamId, h2.CANCEL);
    this.writer.flush();
    const socket = this.#socket;
    if (socket.writableLength > 0) {
      const cancelTimer = this.context.clock.after(FAREWELL_MS, () => {
        if (socket.writableLength > 0) {
          socket.destroy();
        }
      });
      socket.once("close", cancelTimer);
    }
  }

  finished(streamId: number): void {
    const stream = this.#streams.get(streamId);
    if (stream !== undefined) {
      this.#remove(stream, false);
    }
  }

  takeData(streamId: number, bytes: Buffer, from: number, to: number, frameBytes: number, endsStream: boolean): void {
    this.#requireOpened(streamId);
    this.#connectionWindow -= frameBytes;
    if (this.#connectionWindow < 0) {
      throw new ConnectionError(h2.FLOW_CONTROL_ERROR, "more DATA than the connection's window has room for");
    }
    const stream = this.#streams.get(streamId);
    if (stream === undefined || stream.isRemoteClosed) {
      this.credit(frameBytes);
      this.#refuseFrame(streamId, stream);
      return;
    }
    stream.receiveWindow -= frameBytes;
    if (stream.receiveWindow < 0) {
      this.credit(frameBytes);
      this.#resetForFault(stream, h2.FLOW_CONTROL_ERROR);
      return;
    }
    stream.receive(bytes, from, to, frameBytes);
    if (stream.isOverLong) {
      this.#resetForFault(stream, h2.PROTOCOL_ERROR);
    } else if (endsStream) {
      this.#endRequest(stream);
    }
  }

  #endRequest(stream: H2Stream): void {
    if (stream.isClosed) {
      return;
    }
    if (!stream.receiveEnd()) {
      this.#resetForFault(stream, h2.PROTOCOL_ERROR);
    } else if (stream.isLocalClosed) {
      this.#remove(stream, false);
    }
  }

  // A frame of a stream that its peer has ended, or that is closed: https://www.rfc-editor.org/rfc/rfc9113#section-5.1
  #refuseFrame(streamId: number, stream: H2Stream | undefined): void {
    if (stream !== undefined) {
      this.#resetForFault(stream, h2.STREAM_CLOSED);
    } else if (this.#closed.find(streamId) !== "reset by us") {
      this.#budgets.spendReset();
      this.writer.reset(streamId, h2.STREAM_CLOSED);
      this.#closed.add(streamId, "reset by us");
    } else {
      this.#budgets.spendSideFrame();
    }
  }

  // It is decoded whatever becomes of it: what is left out would leave the two tables different.
  takeBlock(streamId: number, endsStream: boolean, bytes: Buffer, from: number, to: number): void {
    const block = this.#decoder.decode(bytes, from, to);
    if (streamId > this.#highestStreamId) {
      this.#open(streamId, endsStream, block);
      return;
    }
    const stream = this.#streams.get(streamId);
    if (stream !== undefined) {
      this.#takeTrailers(stream, endsStream, block);
      return;
    }
    const closing = this.#closed.find(streamId);
    if (closing === undefined) {
      throw new ConnectionError(h2.PROTOCOL_ERROR, "a stream that is lower than one before it");
    }
    if (closing === "over") {
      throw new ConnectionError(h2.STREAM_CLOSED, "HEADERS on a stream that is closed");
    }
    this.#budgets.spendSideFrame();
  }

  #takeTrailers(stream: H2Stream, endsStream: boolean, block: HeaderBlock<unknown>): void {
    if (stream.isRemoteClosed) {
      this.#resetForFault(stream, h2.STREAM_CLOSED);
    } else if (block.isTooLarge) {
      this.reset(stream.id, h2.ENHANCE_YOUR_CALM);
      this.#budgets.spendRefusedHead();
    } else if (!endsStream || !areTrailersWellFormed(block)) {
      this.#resetForFault(stream, h2.PROTOCOL_ERROR);
    } else {
      this.#endRequest(stream);
    }
  }

  #open(streamId: number, endsStream: boolean, block: HeaderBlock<RequestFacts | Malformed>): void {
    const { limits } = this.context;
    const { phase } = this.#life;
    this.#highestStreamId = streamId;
    if (phase === "last" || phase === "closing" || this.#streams.size >= limits.requestsUnderWayMax) {
      this.#refuseStream(streamId, h2.REFUSED_STREAM);
      return;
    }
    this.#lastStreamId = streamId;
    block.facts ??= readRequest(block, limits);
    const { facts } = block;
    if (facts === "malformed" || (endsStream && (facts.bodyBytes ?? 0) > 0)) {
      this.#refuseStream(streamId, h2.PROTOCOL_ERROR);
      return;
    }
    if (this.#streams.size === 0) {
      this.#life.busy();
    }
    this.#budgets.earn();
    const windows = { send: this.#sendWindow, receive: this.#receiveWindow };
    const stream = new H2Stream(this, streamId, windows, facts.bodyBytes, !endsStream);
    const exchange = new H2Exchange(this, stream, facts);
    stream.owner = exchange;
    this.#streams.set(streamId, stream);
    this.#fresh.push(exchange);
  }

  #refuseStream(streamId: number, code: number): void {
    this.writer.reset(streamId, code);
    this.#closed.add(streamId, "reset by us");
    this.#budgets.spendReset();
  }

  #begin(): void {
    const fresh = this.#fresh;
    if (fresh.length === 0) {
      return;
    }
    this.#fresh = [];
    const { context } = this;
    for (const exchange of fresh) {
      if (exchange.hasEnded) {
        continue;
      }
      const { fault } = exchange.facts;
      if (fault === undefined) {
        context.handle(exchange);
      } else {
        context.handleFault(exchange, fault);
        this.#budgets.spendRefusedHead();
      }
    }
  }

  takeStreamFault(streamId: number, code: number, message: string): void {
    const stream = this.#streams.get(streamId);
    if (stream === undefined) {
      throw new ConnectionError(code, message);
    }
    this.#resetForFault(stream, code);
  }

  takeReset(streamId: number): void {
    this.#requireOpened(streamId);
    const stream = this.#streams.get(streamId);
    if (stream === undefined) {
      this.#budgets.spendSideFrame();
      return;
    }
    const { isLocalClosed } = stream;
    this.#remove(stream, false);
    if (isLocalClosed) {
      // Who has the whole answer may stop sending.
      this.#budgets.spendSideFrame();
    } else {
      this.#budgets.spendReset();
    }
  }

  takeSettings(bytes: Buffer, start: number, end: number): void {
    readSettings(bytes, start, end, this);
    this.writer.settingsAck();
  }

  takeSettingsAck(): void {
    // From now on the peer keeps to what we have set.
    const change = FIRST_BODY_BYTES - this.#receiveWindow;
    this.#receiveWindow = FIRST_BODY_BYTES;
    for (const stream of this.#streams.values()) {
      stream.receiveWindow += change;
    }
  }

  takePing(bytes: Buffer, start: number): void {
    this.writer.ping(true, bytes, start);
  }

  takePingAck(): void {
    this.#life.heard();
  }

  takeWindowUpdate(streamId: number, increment: number): void {
    if (streamId === 0) {
      if (increment === 0) {
        throw new ConnectionError(h2.PROTOCOL_ERROR, "a window that grows by nothing");
      }
      this.sendQueue.window += increment;
      if (this.sendQueue.window > h2.WINDOW_BYTES_MAX) {
        throw new ConnectionError(h2.FLOW_CONTROL_ERROR, "the connection's window is over the largest one");
      }
      return;
    }
    this.#requireOpened(streamId);
    const stream = this.#streams.get(streamId);
    if (stream === undefined) {
      return;
    }
    if (increment === 0) {
      this.#resetForFault(stream, h2.PROTOCOL_ERROR);
    } else if (stream.sendWindow + increment > h2.WINDOW_BYTES_MAX) {
      this.#resetForFault(stream, h2.FLOW_CONTROL_ERROR);
    } else {
      stream.changeSendWindow(increment);
    }
  }

  // https://www.rfc-editor.org/rfc/rfc9113#section-5.1
  #requireOpened(streamId: number): void {
    if (streamId > this.#highestStreamId) {
      throw new ConnectionError(h2.PROTOCOL_ERROR, "a frame on a stream that is not open");
    }
  }

  #resetForFault(stream: H2Stream, code: number): void {
    this.reset(stream.id, code);
    this.#budgets.spendReset();
  }

  #remove(stream: H2Stream, isResetByUs: boolean): void {
    this.#streams.delete(stream.id);
    this.#closed.add(stream.id, isResetByUs ? "reset by us" : "over");
    stream.close();
    if (this.#streams.size === 0) {
      this.#life.quiet();
    }
  }

  #fail(code: number, message: string): void {
    this.context.log.debug({ peer: this.peer, code, reason: message }, "an HTTP/2 connection failed");
    this.#fresh = [];
    this.writer.goaway(this.#lastStreamId, code, message);
    this.#life.close();
    this.#closeStreams();
  }

  #closeStreams(): void {
    for (const stream of this.#streams.values()) {
      this.#streams.delete(stream.id);
      stream.close();
    }
  }
}
