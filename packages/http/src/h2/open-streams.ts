// The streams of one connection, from opening until no more frames may arrive. A frame on a stream that has ended is a fault,
// unless the peer could not have known. https://www.rfc-editor.org/rfc/rfc9113#section-5.1
import type { ConnectionBudgets } from "./connection-budgets.ts";
import { ConnectionError } from "./connection-error.ts";
import type { ConnectionLife } from "./connection-life.ts";
import type { ConnectionOutput } from "./connection-output.ts";
import type { StreamFrameHandler } from "./frame-checks.ts";
import type { H2Stream } from "./h2-stream.ts";
import { PROTOCOL_ERROR, STREAM_CLOSED } from "./protocol.ts";

// The open streams of a connection by id. A sorted array rather than a Map: a Map that changes this often replaces its table again and
// again, and the old tables can keep removed streams in memory, as `runtime/linked-list.ts` explains.
interface Identified {
  readonly id: number;
}

/** Streams in ascending order of id, which is also the order in which a peer opens them. */
export class StreamTable<Stream extends Identified> {
  readonly #streams: Stream[] = [];

  get size(): number {
    return this.#streams.length;
  }

  /** All streams, as they are now: the table may change while the caller goes through them. */
  all(): readonly Stream[] {
    return this.#streams.slice();
  }

  find(id: number): Stream | undefined {
    const at = this.#indexOf(id);
    return at < 0 ? undefined : this.#streams[at];
  }

  /** Adds a stream whose id is above those of all others. */
  add(stream: Stream): void {
    this.#streams.push(stream);
  }

  /** Removes the stream with this id, if there is one. */
  delete(id: number): void {
    const streams = this.#streams;
    const at = this.#indexOf(id);
    if (at >= 0) {
      // Moves the few streams that were opened later down by one. Unlike `splice`, this allocates nothing.
      for (let later = at + 1; later < streams.length; later += 1) {
        streams[later - 1] = streams[later] as Stream;
      }
      streams.pop();
    }
  }

  // A binary search: -1 if there is no such stream.
  #indexOf(id: number): number {
    const streams = this.#streams;
    let from = 0;
    let to = streams.length - 1;
    while (from <= to) {
      const middle = (from + to) >>> 1;
      const found = (streams[middle] as Stream).id;
      if (found === id) {
        return middle;
      }
      if (found < id) {
        from = middle + 1;
      } else {
        to = middle - 1;
      }
    }
    return -1;
  }
}

// The most recently closed streams of a connection. Frames on a stream that we have reset are no fault, because the peer may have sent them
// before it knew. On any other closed stream they are a fault. https://www.rfc-editor.org/rfc/rfc9113#section-5.1
const STREAMS_KEPT = 128;

type Closing = "reset by us" | "over";

class ClosedStreams {
  // A ring of ids; those of streams that we have reset are negative. Not a typed array, which would cost every connection 0.7 KiB.
  readonly #ids: number[] = [];
  #next = 0;

  add(streamId: number, closing: Closing): void {
    this.#ids[this.#next] = closing === "over" ? streamId : -streamId;
    this.#next = (this.#next + 1) % STREAMS_KEPT;
  }

  /** Why the stream is closed; undefined if it was closed long ago or never opened. */
  find(streamId: number): Closing | undefined {
    if (this.#ids.includes(-streamId)) {
      return "reset by us";
    }
    return this.#ids.includes(streamId) ? "over" : undefined;
  }
}

export class OpenStreams implements StreamFrameHandler {
  /** The highest id that the peer has used. */
  highestId = 0;
  readonly #output: ConnectionOutput;
  readonly #budgets: ConnectionBudgets;
  readonly #life: ConnectionLife;
  readonly #streams = new StreamTable<H2Stream>();
  readonly #closed = new ClosedStreams();

  constructor(output: ConnectionOutput, budgets: ConnectionBudgets, life: ConnectionLife) {
    this.#output = output;
    this.#budgets = budgets;
    this.#life = life;
  }

  get size(): number {
    return this.#streams.size;
  }

  all(): readonly H2Stream[] {
    return this.#streams.all();
  }

  /** The stream, if it is open. */
  find(streamId: number): H2Stream | undefined {
    return this.#streams.find(streamId);
  }

  /** The stream, if it is open. Throws a ConnectionError if it was never opened. */
  findOpened(streamId: number): H2Stream | undefined {
    if (streamId > this.highestId) {
      throw new ConnectionError(PROTOCOL_ERROR, "a frame on a stream that is not open");
    }
    return this.#streams.find(streamId);
  }

  /** Why the stream is closed; undefined if it was closed long ago or never opened. */
  closingOf(streamId: number): Closing | undefined {
    return this.#closed.find(streamId);
  }

  add(stream: H2Stream): void {
    if (this.#streams.size === 0) {
      this.#life.markBusy();
    }
    this.#streams.add(stream);
  }

  /** Refuses to open a stream. Throws a ConnectionError if too many streams were refused or reset. */
  refuse(streamId: number, code: number): void {
    this.#output.writer.reset(streamId, code);
    this.#closed.add(streamId, "reset by us");
    this.#budgets.spendReset();
  }

  /** Handles a frame on a stream that the peer has ended or that is closed. Throws a ConnectionError if there were too many such frames. */
  refuseFrame(streamId: number, stream: H2Stream | undefined): void {
    if (stream !== undefined) {
      this.resetForFault(stream, STREAM_CLOSED);
    } else if (this.#closed.find(streamId) !== "reset by us") {
      this.#budgets.spendReset();
      this.#output.writer.reset(streamId, STREAM_CLOSED);
      this.#closed.add(streamId, "reset by us");
    } else {
      this.#budgets.spendControlFrame();
    }
  }

  /** Called when the whole request has arrived. Like `resetForFault`, throws a ConnectionError if too many streams had faults. */
  endRequest(stream: H2Stream): void {
    if (stream.isClosed) {
      return;
    }
    if (!stream.receiveEnd()) {
      this.failBody(stream, "The body is not as long as content-length says.");
    }
    if (stream.isLocalClosed && !stream.isClosed) {
      this.#remove(stream, "over");
    }
  }

  /**
   * Lets the response say what is wrong with a request's body or trailers: https://www.rfc-editor.org/rfc/rfc9113#section-8.1.1. Like
   * `resetForFault`, throws a ConnectionError if too many streams had faults.
   */
  failBody(stream: H2Stream, message: string): void {
    if (stream.isMalformed) {
      this.#budgets.spendControlFrame();
    } else {
      this.#budgets.spendReset();
      stream.failBody(message);
    }
  }

  /** Resets a stream on which the peer has broken the protocol. */
  resetForFault(stream: H2Stream, code: number): void {
    this.reset(stream.id, code);
    this.#budgets.spendReset();
  }

  /** Resets the stream if it is open. */
  reset(streamId: number, code: number): void {
    const stream = this.#streams.find(streamId);
    if (stream !== undefined) {
      this.#output.writer.reset(streamId, code);
      this.#output.flushSoon();
      this.#remove(stream, "reset by us");
    }
  }

  /** Called when the stream has ended on both sides. */
  finished(streamId: number): void {
    const stream = this.#streams.find(streamId);
    if (stream !== undefined) {
      this.#remove(stream, "over");
    }
  }

  handleStreamFault(streamId: number, code: number, message: string): void {
    const stream = this.#streams.find(streamId);
    if (stream === undefined) {
      throw new ConnectionError(code, message);
    }
    this.resetForFault(stream, code);
  }

  handleReset(streamId: number): void {
    const stream = this.findOpened(streamId);
    if (stream === undefined) {
      this.#budgets.spendControlFrame();
      return;
    }
    const { isLocalClosed } = stream;
    this.#remove(stream, "over");
    if (isLocalClosed) {
      // A peer that has the whole response may stop sending.
      this.#budgets.spendControlFrame();
    } else {
      this.#budgets.spendReset();
    }
  }

  /** Releases all streams, because the connection has ended. */
  closeAll(): void {
    for (const stream of this.#streams.all()) {
      this.#streams.delete(stream.id);
      stream.close();
    }
  }

  #remove(stream: H2Stream, closing: Closing): void {
    this.#streams.delete(stream.id);
    this.#closed.add(stream.id, closing);
    stream.close();
    if (this.#streams.size === 0) {
      this.#life.markIdle();
    }
  }
}
