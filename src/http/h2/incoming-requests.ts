// What header blocks bring: requests, which open streams, and the trailers that end them.
// https://www.rfc-editor.org/rfc/rfc9113#section-8.1
import { type HeaderBlock, HpackDecoder } from "../hpack/decoder.ts";
import type { ServerLimits } from "../limits.ts";
import type { Carrier } from "./carrier.ts";
import type { ConnectionBudgets } from "./connection-budgets.ts";
import { ConnectionError } from "./connection-error.ts";
import type { ConnectionLife } from "./connection-life.ts";
import type { FlowControl } from "./flow-control.ts";
import type { HeaderBlockTaker } from "./frame-checks.ts";
import { H2Exchange } from "./h2-exchange.ts";
import { H2Stream } from "./h2-stream.ts";
import type { OpenStreams } from "./open-streams.ts";
import { ENHANCE_YOUR_CALM, PROTOCOL_ERROR, REFUSED_STREAM, STREAM_CLOSED } from "./protocol.ts";
import { areTrailersWellFormed, type Malformed, type RequestFacts, readRequest } from "./request-facts.ts";

/** What the headers of a request may come to as HTTP/2 counts, with 32 bytes more for each. */
export const listBytesMax = ({ headerBytesMax, urlBytesMax, headersMax }: ServerLimits): number =>
  headerBytesMax + urlBytesMax + 32 * headersMax;

/** The requests of one connection. */
export class IncomingRequests implements HeaderBlockTaker {
  /** The highest id of a stream that was not refused for want of room. */
  lastStreamId = 0;
  readonly #carrier: Carrier;
  readonly #streams: OpenStreams;
  readonly #flow: FlowControl;
  readonly #budgets: ConnectionBudgets;
  readonly #life: ConnectionLife;
  readonly #decoder: HpackDecoder<RequestFacts | Malformed>;
  // Those of the chunk that is read: they begin when all of it is, without those that were reset in the same breath.
  #fresh: H2Exchange[] = [];
  #isWaitingForTurn = false;

  constructor(carrier: Carrier, streams: OpenStreams, flow: FlowControl, budgets: ConnectionBudgets, life: ConnectionLife) {
    const { limits } = carrier.context;
    this.#carrier = carrier;
    this.#streams = streams;
    this.#flow = flow;
    this.#budgets = budgets;
    this.#life = life;
    this.#decoder = new HpackDecoder({ listBytesMax: listBytesMax(limits), fieldsMax: limits.headersMax + 8 });
  }

  /** It is decoded whatever becomes of it: what is left out would leave the two tables different. Throws a CompressionError too. */
  takeBlock(streamId: number, endsStream: boolean, bytes: Buffer, from: number, to: number): void {
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
      throw new ConnectionError(PROTOCOL_ERROR, "a stream that is lower than one before it");
    }
    if (closing === "over") {
      throw new ConnectionError(STREAM_CLOSED, "HEADERS on a stream that is closed");
    }
    this.#budgets.spendSideFrame();
  }

  /** The chunk has been read: begins what it has brought, as far as this turn has time. Throws a ConnectionError where too many heads were refused. */
  begin(): void {
    const fresh = this.#fresh;
    if (fresh.length === 0 || this.#isWaitingForTurn) {
      return;
    }
    this.#fresh = [];
    const { turns } = this.#carrier.context;
    for (let at = 0; at < fresh.length; at += 1) {
      const exchange = fresh[at] as H2Exchange;
      if (exchange.hasEnded) {
        continue;
      }
      this.#begin(exchange);
      if (turns.spend(0) && at + 1 < fresh.length) {
        this.#fresh = fresh.slice(at + 1);
        this.#isWaitingForTurn = true;
        this.#carrier.beginInNextTurn();
        return;
      }
    }
  }

  /** The next turn has come, for those that wait for it. */
  nextTurn(): void {
    this.#isWaitingForTurn = false;
  }

  #begin(exchange: H2Exchange): void {
    const { context } = this.#carrier;
    const { fault } = exchange.facts;
    if (fault === undefined) {
      context.handle(exchange);
    } else {
      context.handleFault(exchange, fault);
      this.#budgets.spendRefusedHead();
    }
  }

  /** The connection has failed: what has not begun never does. */
  drop(): void {
    this.#fresh = [];
  }

  #takeTrailers(stream: H2Stream, endsStream: boolean, block: HeaderBlock<unknown>): void {
    const streams = this.#streams;
    if (stream.isRemoteClosed) {
      streams.resetForFault(stream, STREAM_CLOSED);
    } else if (block.isTooLarge) {
      streams.reset(stream.id, ENHANCE_YOUR_CALM);
      this.#budgets.spendRefusedHead();
    } else if (!endsStream || !areTrailersWellFormed(block)) {
      streams.resetForFault(stream, PROTOCOL_ERROR);
    } else {
      streams.endRequest(stream);
    }
  }

  #open(streamId: number, endsStream: boolean, block: HeaderBlock<RequestFacts | Malformed>): void {
    const { limits } = this.#carrier.context;
    const { phase } = this.#life;
    const streams = this.#streams;
    streams.highestId = streamId;
    if (phase === "last" || phase === "closing" || streams.size >= limits.requestsUnderWayMax) {
      streams.refuse(streamId, REFUSED_STREAM);
      return;
    }
    this.lastStreamId = streamId;
    block.facts ??= readRequest(block, limits);
    const { facts } = block;
    if (facts === "malformed" || (endsStream && (facts.bodyBytes ?? 0) > 0)) {
      streams.refuse(streamId, PROTOCOL_ERROR);
      return;
    }
    this.#budgets.earn();
    const windows = { send: this.#flow.sendWindow, receive: this.#flow.receiveWindow };
    const stream = new H2Stream(this.#carrier, streamId, windows, facts.bodyBytes, !endsStream);
    const exchange = new H2Exchange(this.#carrier, stream, facts);
    stream.owner = exchange;
    streams.add(stream);
    this.#fresh.push(exchange);
  }
}
