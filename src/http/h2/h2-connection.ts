// One HTTP/2 connection: puts its parts together, and ends it where its peer breaks the protocol or goes past a limit.
// https://www.rfc-editor.org/rfc/rfc9113
import type { Socket } from "node:net";
import { FIRST_BODY_BYTES } from "../body-budget.ts";
import type { Peer } from "../client/peer.ts";
import type { ConnectionPlace } from "../connection-places.ts";
import type { RunInScope } from "../connection-scope.ts";
import { CompressionError } from "../hpack/compression-error.ts";
import { FAREWELL_MS, LINGER_BYTES_MAX } from "../linger.ts";
import type { ListenerContext } from "../listener-context.ts";
import { UnsentOfConnection } from "../unsent-responses.ts";
import type { Carrier } from "./carrier.ts";
import { ConnectionBudgets } from "./connection-budgets.ts";
import { ConnectionError } from "./connection-error.ts";
import { ConnectionLife, type LifeOwner } from "./connection-life.ts";
import { ConnectionOutput } from "./connection-output.ts";
import { FlowControl } from "./flow-control.ts";
import { type ConnectionFrameTaker, FrameChecks } from "./frame-checks.ts";
import { FrameReader } from "./frame-reader.ts";
import type { FrameWriter } from "./frame-writer.ts";
import type { OpenHeaderBlock } from "./header-blocks.ts";
import { IncomingRequests, listBytesMax } from "./incoming-requests.ts";
import { OpenStreams } from "./open-streams.ts";
import { readSettings, type SettingsTaker } from "./peer-settings.ts";
import * as h2 from "./protocol.ts";
import { ResponseEncoder } from "./response-encoder.ts";
import type { SendQueue } from "./send-queue.ts";

const NO_PAYLOAD = Buffer.alloc(8);
const NOTHING = Buffer.alloc(0);

// Of all connections, because each function of its own takes a hundred bytes of an idle one.
const goOn = (connection: H2Connection): void => connection.goOn();
const doNothing = (): void => {};

/** One connection. */
export class H2Connection implements Carrier, ConnectionFrameTaker, LifeOwner, SettingsTaker {
  readonly context: ListenerContext;
  readonly isSecure: boolean;
  readonly peer: Peer;
  readonly unsent: UnsentOfConnection;
  readonly writer: FrameWriter;
  readonly encoder: ResponseEncoder;
  readonly sendQueue: SendQueue;
  readonly #socket: Socket;
  readonly #runInScope: RunInScope;
  readonly #output: ConnectionOutput;
  readonly #checks: FrameChecks;
  readonly #reader: FrameReader;
  readonly #life: ConnectionLife;
  readonly #streams: OpenStreams;
  readonly #flow: FlowControl;
  readonly #requests: IncomingRequests;
  // The header block or the frame that has not come whole, and what cancels the timer for it.
  #unfinished: OpenHeaderBlock | number | undefined;
  #cancelFinishTimer = doNothing;
  // What came when nothing was listened to any more.
  #discardedBytes = 0;

  constructor(socket: Socket, runInScope: RunInScope, place: ConnectionPlace, peer: Peer, context: ListenerContext) {
    const { limits, clock } = context;
    this.#socket = socket;
    this.#runInScope = runInScope;
    this.context = context;
    this.isSecure = peer.isSecure;
    this.peer = peer;
    this.unsent = new UnsentOfConnection(socket, context.unsent, place.address);
    this.#output = new ConnectionOutput(socket, context);
    this.writer = this.#output.writer;
    this.encoder = new ResponseEncoder(this.writer);
    this.sendQueue = this.#output.sendQueue;
    this.#life = new ConnectionLife(this, clock, limits.idleTimeoutMs, place);
    const budgets = new ConnectionBudgets(clock, limits, this.sendQueue);
    this.#streams = new OpenStreams(this.#output, budgets, this.#life);
    this.#flow = new FlowControl(this.#streams, this.#output, this.#life);
    this.#requests = new IncomingRequests(this, this.#streams, this.#flow, budgets, this.#life);
    const takers = { requests: this.#requests, flow: this.#flow, streams: this.#streams, connection: this };
    this.#checks = new FrameChecks(takers, budgets);
    this.#reader = new FrameReader(this.#checks.take);
    this.writer.settings([
      [h2.ENABLE_PUSH, 0],
      [h2.MAX_CONCURRENT_STREAMS, limits.requestsUnderWayMax],
      // No more of a body may come before there is room for it, and somebody reads it.
      [h2.INITIAL_WINDOW_SIZE, FIRST_BODY_BYTES],
      [h2.MAX_HEADER_LIST_SIZE, listBytesMax(limits)],
    ]);
    this.flushSoon();
  }

  /** Takes what the socket gives, which is lent. */
  receive(chunk: Buffer): void {
    if (this.#life.phase === "closing") {
      this.#discard(chunk.length);
      return;
    }
    this.#output.hold();
    try {
      this.#reader.read(chunk);
      this.#requests.begin();
      const unfinished = this.#checks.openBlock ?? this.#reader.unfinished;
      if (unfinished !== this.#unfinished) {
        this.#unfinished = unfinished;
        this.#timeFinish();
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

  /** The socket takes bytes again. */
  drained(): void {
    this.#output.drained();
  }

  /** The socket is closed. */
  ended(): void {
    this.#life.end();
    this.#output.end();
    this.#cancelFinishTimer();
    this.#streams.closeAll();
  }

  /** Lets calls under way end and closes the connection then. */
  retire(): void {
    this.#life.retire();
  }

  /** Closes the connection, on which nothing is under way. What is asked at this moment may be asked again elsewhere. */
  closeQuiet(): void {
    this.sayLastStream();
    this.#life.close();
  }

  sayFarewell(): void {
    this.writer.goaway(h2.STREAM_ID_MAX, h2.NO_ERROR, "");
    this.writer.ping(false, NO_PAYLOAD, 0);
    this.flushSoon();
  }

  sayLastStream(): void {
    this.writer.goaway(this.#requests.lastStreamId, h2.NO_ERROR, "");
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
    this.#flow.setSendWindow(bytes);
  }

  credit(bytes: number): void {
    this.#flow.credit(bytes);
  }

  flushSoon(): void {
    this.#output.flushSoon();
  }

  reset(streamId: number, code: number): void {
    this.#streams.reset(streamId, code);
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

  beginInNextTurn(): void {
    this.context.turns.wait(() => this.#runInScope(goOn, this));
  }

  /** The requests that wait for this turn begin. */
  goOn(): void {
    this.#requests.nextTurn();
    this.receive(NOTHING);
  }

  finished(streamId: number): void {
    this.#streams.finished(streamId);
  }

  takeSettings(bytes: Buffer, start: number, end: number): void {
    readSettings(bytes, start, end, this);
    this.writer.settingsAck();
  }

  takeSettingsAck(): void {
    this.#flow.settingsAcknowledged();
  }

  takePing(bytes: Buffer, start: number): void {
    this.writer.ping(true, bytes, start);
  }

  takePingAck(): void {
    this.#life.heard();
  }

  // It holds much for its few bytes, so it has as long to come as the head of a request over HTTP/1.1.
  #timeFinish(): void {
    const { clock, limits } = this.context;
    this.#cancelFinishTimer();
    this.#cancelFinishTimer = doNothing;
    if (this.#unfinished !== undefined) {
      const what = this.#checks.openBlock === undefined ? "frame" : "header block";
      this.#cancelFinishTimer = clock.after(limits.headerTimeoutMs, () => {
        if (this.#life.phase !== "closing") {
          this.#fail(h2.ENHANCE_YOUR_CALM, `a ${what} did not come in time`);
        }
      });
    }
  }

  // More than is decent waits unread until the connection is cut.
  #discard(bytes: number): void {
    this.#discardedBytes += bytes;
    if (this.#discardedBytes > LINGER_BYTES_MAX) {
      this.#socket.pause();
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
