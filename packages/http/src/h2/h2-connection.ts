// One HTTP/2 connection: assembles its parts, and ends when the peer breaks the protocol or exceeds a limit.
// https://www.rfc-editor.org/rfc/rfc9113
import type { Socket } from "node:net";
import type { Peer } from "../client/peer.ts";
import type { RunInScope } from "../connection-scope.ts";
import type { ConnectionSlot } from "../connection-slots.ts";
import { TOO_MUCH_HELD } from "../connection-slots.ts";
import { CompressionError } from "../hpack/compression-error.ts";
import { LINGER_BYTES_MAX, PEER_REACTION_MS } from "../linger.ts";
import type { ListenerContext } from "../listener-context.ts";
import { PacedInput } from "../paced-input.ts";
import { UnsentOfConnection } from "../unsent-responses.ts";
import { ConnectionBudgets } from "./connection-budgets.ts";
import { ConnectionError } from "./connection-error.ts";
import { ConnectionLife, type LifeOwner } from "./connection-life.ts";
import { ConnectionOutput } from "./connection-output.ts";
import { FlowControl } from "./flow-control.ts";
import { type ConnectionFrameHandler, FrameChecks } from "./frame-checks.ts";
import { FrameReader } from "./frame-reader.ts";
import type { FrameWriter } from "./frame-writer.ts";
import type { OpenHeaderBlock } from "./header-blocks.ts";
import { IncomingRequests, listBytesMax } from "./incoming-requests.ts";
import { OpenStreams } from "./open-streams.ts";
import * as h2 from "./protocol.ts";
import {
  ENABLE_PUSH,
  FLOW_CONTROL_ERROR,
  FRAME_BYTES_MAX,
  FRAME_SIZE_ERROR,
  HEADER_TABLE_SIZE,
  INITIAL_WINDOW_SIZE,
  MAX_FRAME_SIZE,
  PROTOCOL_ERROR,
  WINDOW_BYTES_MAX,
} from "./protocol.ts";
import { ResponseEncoder } from "./response-encoder.ts";
import type { SendQueue } from "./send-queue.ts";
import type { StreamConnection } from "./stream-connection.ts";

const SETTING_BYTES = 6;
/** How many settings one frame may contain. More than enough for each known setting. */
const SETTINGS_MAX = 64;

/**
 * Reads the payload of a SETTINGS frame. MAX_FRAME_SIZE is ignored: our frames never exceed the minimum that every peer accepts. Throws a
 * ConnectionError.
 */
function readSettings(bytes: Buffer, start: number, end: number, handler: H2Connection): void {
  if ((end - start) % SETTING_BYTES !== 0 || end - start > SETTING_BYTES * SETTINGS_MAX) {
    throw new ConnectionError(FRAME_SIZE_ERROR, "a SETTINGS frame has the wrong length");
  }
  for (let at = start; at < end; at += SETTING_BYTES) {
    const value = bytes.readUInt32BE(at + 2);
    switch (bytes.readUInt16BE(at)) {
      case HEADER_TABLE_SIZE:
        handler.setHeaderTableBytes(value);
        break;
      case ENABLE_PUSH:
        if (value > 1) {
          throw new ConnectionError(PROTOCOL_ERROR, "ENABLE_PUSH is neither 0 nor 1");
        }
        break;
      case INITIAL_WINDOW_SIZE:
        if (value > WINDOW_BYTES_MAX) {
          throw new ConnectionError(FLOW_CONTROL_ERROR, "INITIAL_WINDOW_SIZE exceeds the maximum");
        }
        handler.setInitialWindow(value);
        break;
      case MAX_FRAME_SIZE:
        if (value < FRAME_BYTES_MAX || value > 0xff_ff_ff) {
          throw new ConnectionError(PROTOCOL_ERROR, "MAX_FRAME_SIZE is out of bounds");
        }
        break;
      default:
      // Other settings are ignored.
    }
  }
}

const NO_PAYLOAD = Buffer.alloc(8);
const NOTHING = Buffer.alloc(0);

// Shared by all connections: a closure per connection would add a hundred bytes to each idle one.
const resume = (connection: H2Connection): void => connection.resume();
const doNothing = (): void => {};

export class H2Connection implements StreamConnection, ConnectionFrameHandler, LifeOwner {
  readonly context: ListenerContext;
  readonly isSecure: boolean;
  readonly peer: Peer;
  readonly unsent: UnsentOfConnection;
  readonly writer: FrameWriter;
  readonly encoder: ResponseEncoder;
  readonly sendQueue: SendQueue;
  readonly socketInput: PacedInput;
  readonly #socket: Socket;
  readonly #output: ConnectionOutput;
  readonly #checks: FrameChecks;
  readonly #reader: FrameReader;
  readonly #life: ConnectionLife;
  readonly #streams: OpenStreams;
  readonly #flow: FlowControl;
  readonly #requests: IncomingRequests;
  // The incomplete header block or frame, and the function that cancels its timer.
  #unfinished: OpenHeaderBlock | number | undefined;
  #cancelFinishTimer = doNothing;
  // Bytes that arrived while closing.
  #discardedBytes = 0;

  constructor(socket: Socket, runInScope: RunInScope, slot: ConnectionSlot, peer: Peer, context: ListenerContext) {
    const { limits, clock } = context;
    this.#socket = socket;
    this.socketInput = new PacedInput(socket, context, slot.address, runInScope, this);
    this.context = context;
    this.isSecure = peer.isSecure;
    this.peer = peer;
    this.unsent = new UnsentOfConnection(socket, context.unsent, slot.address);
    this.#output = new ConnectionOutput(socket, this.socketInput, context);
    this.writer = this.#output.writer;
    this.encoder = new ResponseEncoder(this.writer);
    this.sendQueue = this.#output.sendQueue;
    this.#life = new ConnectionLife(this, clock, limits.idleTimeoutMs, slot);
    const budgets = new ConnectionBudgets(clock, limits, this.sendQueue);
    this.#streams = new OpenStreams(this.#output, budgets, this.#life);
    this.#flow = new FlowControl(this.#streams, this.#output, this.#life);
    this.#requests = new IncomingRequests(this, this.#streams, this.#flow, budgets, this.#life);
    const handlers = { requests: this.#requests, flow: this.#flow, streams: this.#streams, connection: this };
    this.#checks = new FrameChecks(handlers, budgets);
    this.#reader = new FrameReader(this.#checks.take, context.turns);
    this.writer.settings([
      [h2.ENABLE_PUSH, 0],
      [h2.MAX_CONCURRENT_STREAMS, limits.concurrentRequestsMax],
      // More of a body may arrive only once there is room for it and a reader wants it.
      [h2.INITIAL_WINDOW_SIZE, h2.STREAM_WINDOW_BYTES],
      [h2.MAX_HEADER_LIST_SIZE, listBytesMax(limits)],
    ]);
    this.flushSoon();
  }

  /** Handles bytes that the socket received. They are valid only during the call. */
  receive(chunk: Buffer): void {
    if (this.#life.phase === "closing") {
      this.#discard(chunk.length);
      return;
    }
    this.#output.hold();
    try {
      const end = this.#reader.read(chunk);
      this.#requests.begin();
      if (end < chunk.length) {
        this.socketInput.keep(chunk, end);
      }
      const unfinished = this.#checks.openBlock ?? this.#reader.unfinished;
      if (unfinished !== this.#unfinished) {
        this.#unfinished = unfinished;
        this.#startFinishTimer();
      }
      if (!this.socketInput.hold(this.#heldBytes)) {
        throw new ConnectionError(h2.ENHANCE_YOUR_CALM, TOO_MUCH_HELD.message);
      }
    } catch (thrown) {
      if (!(thrown instanceof ConnectionError || thrown instanceof CompressionError)) {
        throw thrown;
      }
      this.#fail(thrown instanceof ConnectionError ? thrown.code : h2.COMPRESSION_ERROR, thrown.message);
    } finally {
      this.#output.release(this.#streams.size === 0);
    }
  }

  /** Does nothing when the peer has ended its side. The socket then closes on its own, since HTTP/2 needs both directions. */
  receiveEnd(): void {}

  /** Called when the socket accepts bytes again. */
  drained(): void {
    this.#output.drained();
  }

  ended(): void {
    this.socketInput.close();
    this.#life.end();
    this.#output.end();
    this.#cancelFinishTimer();
    this.#streams.closeAll();
  }

  /** Lets calls in progress finish, then closes the connection. */
  retire(): void {
    this.#life.retire();
  }

  /** Closes the connection, which is idle. A request that arrives at this moment can safely be retried elsewhere. */
  closeIdle(): void {
    this.announceLastStream();
    this.#life.close();
  }

  announceShutdown(): void {
    this.writer.goaway(h2.STREAM_ID_MAX, h2.NO_ERROR, "");
    this.writer.ping(false, NO_PAYLOAD, 0);
    this.flushSoon();
  }

  announceLastStream(): void {
    this.writer.goaway(this.#requests.lastStreamId, h2.NO_ERROR, "");
    this.flushSoon();
  }

  close(): void {
    this.writer.flush();
    this.#socket.end();
    // Further input is discarded, so that the peer gets to read what was sent.
    this.socketInput.resume();
  }

  disconnect(): void {
    this.#socket.destroy();
  }

  setHeaderTableBytes(bytes: number): void {
    this.encoder.setTableBytesMax(bytes);
  }

  setInitialWindow(bytes: number): void {
    this.#flow.setSendWindow(bytes);
  }

  credit(bytes: number): void {
    this.#flow.credit(bytes);
    this.socketInput.hold(this.#heldBytes);
  }

  flushSoon(): void {
    this.#output.flushSoon();
  }

  reset(streamId: number, code: number): void {
    this.#streams.reset(streamId, code);
  }

  abortResponse(streamId: number): void {
    this.reset(streamId, h2.CANCEL);
    this.writer.flush();
    const socket = this.#socket;
    if (socket.writableLength > 0) {
      const cancelTimer = this.context.clock.after(PEER_REACTION_MS, () => {
        if (socket.writableLength > 0) {
          socket.destroy();
        }
      });
      socket.once("close", cancelTimer);
    }
  }

  beginInNextTurn(): void {
    this.socketInput.waitForTurn(resume, this);
  }

  /** Begins the requests that waited for this turn. */
  resume(): void {
    this.#requests.nextTurn();
    this.receive(NOTHING);
  }

  finished(streamId: number): void {
    this.#streams.finished(streamId);
  }

  handleSettings(bytes: Buffer, start: number, end: number): void {
    readSettings(bytes, start, end, this);
    this.writer.settingsAck();
  }

  handleSettingsAck(): void {
    this.#flow.settingsAcknowledged();
  }

  handlePing(bytes: Buffer, start: number): void {
    this.writer.ping(true, bytes, start);
  }

  handlePingAck(): void {
    this.#life.peerInformed();
  }

  get #heldBytes(): number {
    return this.#reader.heldBytes + (this.#checks.openBlock?.heldBytes ?? 0) + this.#flow.heldBytes;
  }

  // An incomplete frame takes a lot of memory for few bytes, so it has to be complete within the time that the head of an HTTP/1.1
  // request has.
  #startFinishTimer(): void {
    const { clock, limits } = this.context;
    this.#cancelFinishTimer();
    this.#cancelFinishTimer = doNothing;
    if (this.#unfinished !== undefined) {
      const what = this.#checks.openBlock === undefined ? "frame" : "header block";
      this.#cancelFinishTimer = clock.after(limits.headerTimeoutMs, () => {
        if (this.#life.phase !== "closing") {
          this.#fail(h2.ENHANCE_YOUR_CALM, `a ${what} did not arrive in time`);
        }
      });
    }
  }

  // Beyond the limit, input stays unread until the connection is cut.
  #discard(bytes: number): void {
    this.#discardedBytes += bytes;
    if (this.#discardedBytes > LINGER_BYTES_MAX) {
      this.socketInput.pause();
    }
  }

  #fail(code: number, message: string): void {
    this.context.log.debug({ peer: this.peer.address, code, reason: message }, "an HTTP/2 connection failed");
    this.#requests.drop();
    this.writer.goaway(this.#requests.lastStreamId, code, message);
    this.#life.close();
    this.#streams.closeAll();
  }
}
