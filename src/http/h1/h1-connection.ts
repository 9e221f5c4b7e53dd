// One HTTP/1.1 connection: reads requests one after the other, answers them in their order, and closes where a request's end cannot be told
// for certain. https://www.rfc-editor.org/rfc/rfc9112#section-9
import type { Socket } from "node:net";
import { DISMISSED_BYTES_MAX, LINGER_BYTES_MAX } from "../linger.ts";
import type { ListenerContext } from "../listener-context.ts";
import { TransportError, type TransportFault } from "../transport-fault.ts";
import { UnsentOfConnection } from "../unsent-responses.ts";
import { AnswerOrder } from "./answer-order.ts";
import type { BodyFraming } from "./body-framing.ts";
import type { Carrier } from "./carrier.ts";
import { ChunkedBody } from "./chunked-body.ts";
import { ConnectionLife, type LifeOwner } from "./connection-life.ts";
import { H1Exchange } from "./h1-exchange.ts";
import { H1Output, type Part } from "./h1-output.ts";
import { HeadReader, type RequestHead } from "./head-reader.ts";
import type { HeaderBlocks } from "./header-blocks.ts";
import { LengthBody } from "./length-body.ts";
import type { ResponseHeads } from "./response-head.ts";

/** What all HTTP/1.1 connections of a listener share. */
export interface H1Shared {
  readonly listenerContext: ListenerContext;
  readonly blocks: HeaderBlocks;
  readonly heads: ResponseHeads;
  readonly keepAliveLines: string;
}

/** What may have been read and wait behind a body that nobody has asked for yet. */
const UNREAD_BYTES_MAX = 16 * 1024;

const NOTHING = Buffer.alloc(0);

const HEAD_TIMEOUT: TransportFault = { reason: "REQUEST_TIMEOUT", message: "The request did not arrive whole in time." };
const CUT_SHORT: TransportFault = { reason: "MALFORMED_REQUEST", message: "The request ended within its head." };

/** One connection. */
export class H1Connection implements Carrier, LifeOwner {
  readonly isSecure: boolean;
  readonly heads: ResponseHeads;
  readonly keepAliveLines: string;
  readonly unsent: UnsentOfConnection;
  readonly #listenerContext: ListenerContext;
  readonly #socket: Socket;
  readonly #reader: HeadReader;
  readonly #output: H1Output;
  readonly #answers: AnswerOrder;
  readonly #life: ConnectionLife;
  // What has been read and not been taken, from `#at` on.
  #bytes: Buffer = NOTHING;
  #at = 0;
  #isTaking = false;
  #isPaused = false;
  // The exchange whose body has not come whole, and how it is framed.
  #incoming: H1Exchange | undefined;
  #framing: BodyFraming | undefined;
  #requests = 0;
  // It was told once that it sends too much; from then on what is too much waits unread.
  #isWarned = false;
  // No further request is served: what still comes is thrown away.
  #isLast = false;
  #discardedBytes = 0;
  // The answers are handed over, and our side is ended.
  #isClosing = false;

  constructor(socket: Socket, { listenerContext, blocks, heads, keepAliveLines }: H1Shared) {
    const { clock, limits } = listenerContext;
    this.#socket = socket;
    this.#listenerContext = listenerContext;
    this.isSecure = "encrypted" in socket;
    this.heads = heads;
    this.keepAliveLines = keepAliveLines;
    this.unsent = new UnsentOfConnection(socket);
    this.#reader = new HeadReader(limits, blocks);
    this.#output = new H1Output(socket);
    this.#answers = new AnswerOrder(this.#output, this.isSecure);
    this.#life = new ConnectionLife(this, clock, limits);
  }

  get peer(): string {
    return this.#socket.remoteAddress ?? "";
  }

  get hasRoom(): boolean {
    return this.#output.hasRoom;
  }

  get isIdle(): boolean {
    return this.#answers.size === 0 && !this.#isLast;
  }

  get mustMove(): boolean {
    return this.#isClosing || (this.#answers.size > 0 && !this.#answers.isSilenceAllowed);
  }

  /** Bytes have come. */
  receive(chunk: Buffer): void {
    this.#life.moved();
    this.#bytes = this.#unreadBytes === 0 ? chunk : Buffer.concat([this.#bytes.subarray(this.#at), chunk]);
    this.#at = 0;
    this.#take();
  }

  /** The peer sends no more. Whoever has sent a whole request and waits for its answer is taken for gone, as most are. */
  receiveEnd(): void {
    if (this.#reader.hasBegun && this.isIdle) {
      this.#begin(this.#reader.giveUp(CUT_SHORT));
      this.#answers.flush();
    }
    this.#socket.destroySoon();
  }

  /** The connection is closed. */
  closed(): void {
    this.#life.end();
    this.#isLast = true;
    this.#answers.abandon();
  }

  /** Closes the connection with its next answer; without one, when its peer has had the time to take note of that. */
  retire(): void {
    this.#life.retire();
  }

  endHead(): void {
    this.#begin(this.#reader.giveUp(HEAD_TIMEOUT));
    this.#answers.flush();
  }

  // Ends our side. A socket that is closed with bytes unread is reset, and a reset may overtake the answer: what still comes is thrown away
  // for a while. https://www.rfc-editor.org/rfc/rfc9112#section-9.6
  close(): void {
    this.#isLast = true;
    this.#isClosing = true;
    this.#answers.flush();
    this.#socket.once("finish", () => this.#life.doom());
    this.#socket.end();
    this.#life.busy();
    this.#incoming?.body?.fail();
    this.#endBody();
    this.#take();
  }

  cut(): void {
    this.#socket.destroy();
  }

  readBody(exchange: H1Exchange): void {
    if (this.#incoming !== exchange) {
      return;
    }
    if (this.#isTaking) {
      this.#takeBody(exchange);
    } else {
      this.#take();
    }
  }

  skipBody(exchange: H1Exchange): boolean {
    if (this.#incoming === exchange && !exchange.body?.isWanted) {
      // The reading goes no further than this body.
      const wasTaking = this.#isTaking;
      this.#isTaking = true;
      exchange.body?.discard(this.#unreadBytes);
      this.#isTaking = wasTaking;
    }
    return this.#incoming !== exchange;
  }

  // As much is let in as is decent, because it is in the way of the next request.
  dismissBody(exchange: H1Exchange): void {
    if (this.#incoming === exchange && !this.#life.isDoomed) {
      this.#life.doom();
      exchange.body?.discard(DISMISSED_BYTES_MAX);
    }
  }

  closesWith(exchange: H1Exchange, mustClose: boolean): boolean {
    const isNewest = this.#answers.newest === exchange;
    this.#isLast ||= mustClose || (isNewest && this.#listenerContext.draining);
    return mustClose || (isNewest && this.#isLast);
  }

  send(part: Part, onSent?: () => void): void {
    this.#output.add(part, onSent);
  }

  flush(): void {
    if (this.#answers.unanswered > 1) {
      this.flushSoon();
    } else if (!this.#isTaking) {
      this.#answers.flush();
    }
  }

  flushSoon(): void {
    if (!this.#isTaking) {
      this.#answers.flushSoon();
    }
  }

  finished(exchange: H1Exchange): void {
    let done: H1Exchange | undefined = exchange;
    while (done?.isFinished) {
      const next = this.#answers.shift();
      if (done.closes) {
        this.close();
        return;
      }
      this.dismissBody(done);
      next?.takeTurn();
      done = next;
    }
    if (this.#answers.unanswered === 0 && (this.#isLast || this.#listenerContext.draining)) {
      this.close();
      return;
    }
    this.flush();
    this.#takeRest();
  }

  left(): void {
    this.#answers.left();
    this.#life.moved();
    if (this.#answers.size === 0) {
      this.#life.quiet();
    }
    this.#takeRest();
  }

  get #unreadBytes(): number {
    return this.#bytes.length - this.#at;
  }

  // Takes what has been read, as far as it is wanted now.
  #take(): void {
    if (this.#isTaking) {
      return;
    }
    this.#isTaking = true;
    do {
      while (this.#unreadBytes > 0 && this.#mayTake) {
        this.#takeNext();
      }
      this.#answers.flush();
      // What has left may have made room for more.
    } while ((this.#unreadBytes > 0 && this.#mayTake) || !this.#output.isEmpty);
    this.#isTaking = false;
    if (this.#unreadBytes === 0) {
      this.#bytes = NOTHING;
      this.#at = 0;
    }
    this.#pauseOrResume();
  }

  // The same, where something has changed for what was read before.
  #takeRest(): void {
    if (this.#unreadBytes > 0 || this.#isPaused) {
      this.#take();
    }
  }

  get #mayTake(): boolean {
    const body = this.#incoming?.body;
    if (body !== undefined) {
      return body.isWanted;
    }
    const { requestsUnderWayMax } = this.#listenerContext.limits;
    return this.#isLast || this.#answers.size <= (this.#isWarned ? requestsUnderWayMax - 1 : requestsUnderWayMax);
  }

  // Takes a piece of a body, or a head, or throws away what is neither.
  #takeNext(): void {
    if (this.#incoming !== undefined) {
      this.#takeBody(this.#incoming);
      return;
    }
    if (this.#isLast) {
      this.#discardedBytes += this.#unreadBytes;
      this.#at = this.#bytes.length;
      return;
    }
    const head = this.#reader.read(this.#bytes, this.#at);
    if (head === undefined) {
      this.#at = this.#bytes.length;
      if (this.#reader.hasBegun) {
        this.#life.headBegan();
      }
      return;
    }
    this.#life.headEnded();
    this.#at = head.fault === undefined ? this.#reader.end : this.#bytes.length;
    this.#begin(head);
  }

  #begin({ line, block, fault }: RequestHead): void {
    const context = this.#listenerContext;
    const { requestsUnderWayMax, requestsPerConnectionMax } = context.limits;
    this.#requests += 1;
    const exchange = new H1Exchange(context, this, line, block, fault === undefined ? (block?.body ?? 0) : 0);
    const isKept = line?.minorVersion === 1 ? !block?.saysClose : block?.saysKeepAlive && !block.saysClose;
    this.#isLast = fault !== undefined || !isKept || this.#requests >= requestsPerConnectionMax;
    if (exchange.body !== undefined) {
      this.#incoming = exchange;
      this.#framing = block?.body === "chunked" ? new ChunkedBody() : new LengthBody(block?.body ?? 0);
    }
    this.#answers.add(exchange);
    this.#life.busy();
    if (fault !== undefined) {
      context.handleFault(exchange, fault);
    } else if (this.#answers.size > requestsUnderWayMax) {
      this.#isWarned = true;
      context.handleFault(exchange, {
        reason: "RATE_LIMITED",
        message: `More than ${requestsUnderWayMax} requests are waiting on this connection; wait for answers before sending more.`,
        retryAfterMs: 1000,
      });
    } else {
      context.handle(exchange);
    }
  }

  // Takes what there is of a body, as far as it is wanted.
  #takeBody({ body }: H1Exchange): void {
    const framing = this.#framing;
    const push = (piece: Buffer): void => body?.push(piece);
    while (framing !== undefined && body?.isWanted && this.#unreadBytes > 0 && !framing.isComplete && framing.fault === undefined) {
      this.#at = framing.take(this.#bytes, this.#at, push);
    }
    if (framing?.isComplete) {
      this.#endBody();
      body?.end();
    } else if (framing?.fault !== undefined) {
      // Nobody can tell where the next request begins.
      this.#isLast = true;
      this.#endBody();
      body?.fail(new TransportError(framing.fault));
    }
  }

  #endBody(): void {
    this.#incoming = undefined;
    this.#framing = undefined;
    this.#life.pardon();
  }

  #pauseOrResume(): void {
    const mayRead = this.#mayRead;
    if (mayRead === this.#isPaused) {
      this.#isPaused = !mayRead;
      if (mayRead) {
        this.#socket.resume();
      } else {
        this.#socket.pause();
      }
    }
  }

  get #mayRead(): boolean {
    const body = this.#incoming?.body;
    if (body !== undefined) {
      // Where all of it has come, what follows it is no part of it.
      const hasCome = this.#framing?.endsWithin(this.#unreadBytes) ?? false;
      return body.isWanted || (hasCome && this.#unreadBytes <= UNREAD_BYTES_MAX);
    }
    return this.#mayTake && (!this.#isLast || this.#discardedBytes <= LINGER_BYTES_MAX);
  }
}
