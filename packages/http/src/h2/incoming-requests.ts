// Turns header blocks into requests, which open streams, and trailers, which end them.
// https://www.rfc-editor.org/rfc/rfc9113#section-8.1
import { type HeaderBlock, HpackDecoder } from "../hpack/decoder.ts";
import type { ServerLimits } from "../limits.ts";
import type { ConnectionBudgets } from "./connection-budgets.ts";
import { ConnectionError } from "./connection-error.ts";
import type { ConnectionLife } from "./connection-life.ts";
import type { FlowControl } from "./flow-control.ts";
import type { HeaderBlockHandler } from "./frame-checks.ts";
import { H2Exchange } from "./h2-exchange.ts";
import { H2Stream } from "./h2-stream.ts";
import type { OpenStreams } from "./open-streams.ts";
import { ENHANCE_YOUR_CALM, PROTOCOL_ERROR, REFUSED_STREAM, STREAM_CLOSED } from "./protocol.ts";
import { areTrailersWellFormed, readRequest } from "./request-facts.ts";
import type { StreamConnection } from "./stream-connection.ts";

/** The limit on a request's headers as HTTP/2 counts them: 32 extra bytes for each header. */
export const listBytesMax = ({ headerBytesMax, urlBytesMax, headersMax }: ServerLimits): number =>
  headerBytesMax + urlBytesMax + 32 * headersMax;

export class IncomingRequests implements HeaderBlockHandler {
  /** The highest id of a stream that was not refused for lack of room. */
  lastStreamId = 0;
  readonly #connection: StreamConnection;
  readonly #streams: OpenStreams;
  readonly #flow: FlowControl;
  readonly #budgets: ConnectionBudgets;
  readonly #life: ConnectionLife;
  readonly #decoder: HpackDecoder;
  // The requests of the current chunk. They begin once the whole chunk has been read, except those that the same chunk resets.
  #fresh: H2Exchange[] = [];
  #isWaitingForTurn = false;

  constructor(
    connection: StreamConnection,
    streams: OpenStreams,
    flow: FlowControl,
    budgets: ConnectionBudgets,
    life: ConnectionLife,
  ) {
    const { limits } = connection.context;
    this.#connection = connection;
    this.#streams = streams;
    this.#flow = flow;
    this.#budgets = budgets;
    this.#life = life;
    this.#decoder = new HpackDecoder({ listBytesMax: listBytesMax(limits), fieldsMax: limits.headersMax + 8 });
  }

  /** Every block is decoded, even if unwanted: skipping one would put the two tables out of step. Throws a CompressionError too. */
  handleBlock(streamId: number, endsStream: boolean, bytes: Buffer, from: number, to: number): void {
    const block = this.#decoder.decode(bytes, from, to);
    if (streamId > this.#streams.highestId) {
      this.#open(streamId, endsStream, block);
      return;
    }
    const stream = this.#streams.find(streamId);
    if (stream !== undefined) {
      this.#takeTrailers(stream, endsStream, block);
      return;
    }
    const closing = this.#streams.closingOf(streamId);
    if (closing === undefined) {
      throw new ConnectionError(PROTOCOL_ERROR, "a stream id is lower than an earlier one");
    }
    if (closing === "over") {
      throw new ConnectionError(STREAM_CLOSED, "HEADERS on a stream that is closed");
    }
    this.#budgets.spendControlFrame();
  }

  /**
   * Called when the chunk has been read: begins its requests, as far as this turn has time. Throws a ConnectionError if too many heads were
   * refused.
   */
  begin(): void {
    const fresh = this.#fresh;
    if (fresh.length === 0 || this.#isWaitingForTurn) {
      return;
    }
    this.#fresh = [];
    const { turns } = this.#connection.context;
    for (let at = 0; at < fresh.length; at += 1) {
      const exchange = fresh[at] as H2Exchange;
      if (exchange.hasEnded) {
        continue;
      }
      this.#begin(exchange);
      if (turns.spend(0) && at + 1 < fresh.length) {
        this.#fresh = fresh.slice(at + 1);
        this.#isWaitingForTurn = true;
        this.#connection.beginInNextTurn();
        return;
      }
    }
  }

  /** Called when the turn of the waiting requests has started. */
  nextTurn(): void {
    this.#isWaitingForTurn = false;
  }

  #begin(exchange: H2Exchange): void {
    const { context } = this.#connection;
    const { fault, isMalformed } = exchange.facts;
    if (fault === undefined) {
      context.handle(exchange);
      return;
    }
    context.handleFault(exchange, fault);
    if (isMalformed && exchange.hasEnded) {
      this.#connection.writer.reset(exchange.streamId, PROTOCOL_ERROR);
      this.#connection.flushSoon();
    }
    this.#budgets.spendRefusedHead();
  }

  /** Drops the requests that have not started, because the connection has failed. */
  drop(): void {
    this.#fresh = [];
  }

  #takeTrailers(stream: H2Stream, endsStream: boolean, block: HeaderBlock): void {
    const streams = this.#streams;
    if (stream.isRemoteClosed) {
      streams.resetForFault(stream, STREAM_CLOSED);
    } else if (block.isTooLarge) {
      streams.reset(stream.id, ENHANCE_YOUR_CALM);
      this.#budgets.spendRefusedHead();
    } else {
      if (!endsStream || !areTrailersWellFormed(block)) {
        streams.failBody(stream, "The trailers are malformed, or do not end the request.");
      }
      if (endsStream) {
        streams.endRequest(stream);
      }
    }
  }

  #open(streamId: number, endsStream: boolean, block: HeaderBlock): void {
    const { limits } = this.#connection.context;
    const { phase } = this.#life;
    const streams = this.#streams;
    streams.highestId = streamId;
    if (phase === "last" || phase === "closing" || streams.size >= limits.concurrentRequestsMax) {
      streams.refuse(streamId, REFUSED_STREAM);
      return;
    }
    this.lastStreamId = streamId;
    const facts = readRequest(block, endsStream, limits);
    this.#budgets.requestArrived();
    const windows = { send: this.#flow.sendWindow, receive: this.#flow.receiveWindow };
    const stream = new H2Stream(this.#connection, streamId, windows, facts.bodyBytes, !endsStream);
    const exchange = new H2Exchange(this.#connection, stream, facts);
    stream.owner = exchange;
    streams.add(stream);
    this.#fresh.push(exchange);
  }
}
