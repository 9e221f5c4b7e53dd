// One HTTP/1.1 connection: reads requests one after the other, answers them in their order, and closes where a request's end cannot be told
// for certain. https://www.rfc-editor.org/rfc/rfc9112#section-9
import type { Socket } from "node:net";
import { LazyAlarm } from "../lazy-alarm.ts";
import { DISMISSED_BYTES_MAX, FAREWELL_MS, LINGER_BYTES_MAX, LINGER_MS } from "../linger.ts";
import type { ListenerContext } from "../listener-context.ts";
import { TransportError, type TransportFault } from "../transport-fault.ts";
import { UnsentOfConnection } from "../unsent-responses.ts";
import type { BodyFraming } from "./body-framing.ts";
import { ChunkedBody } from "./chunked-body.ts";
import { type H1Carrier, H1Exchange } from "./h1-exchange.ts";
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

/** A caller that is told for how many seconds its connection is kept may use it in the last of them. */
export const IDLE_GRACE_MS = 1000;

/** What may have been read and wait behind a body that nobody has asked for yet. */
const UNREAD_BYTES_MAX = 16 * 1024;

const NOTHING = Buffer.alloc(0);

const HEAD_TIMEOUT: TransportFault = { reason: "REQUEST_TIMEOUT", message: "The request did not arrive whole in time." };
const CUT_SHORT: TransportFault = { reason: "MALFORMED_REQUEST", message: "The request ended within its head." };

/** One connection. */
export class H1Connection implements H1Carrier {
  readonly isSecure: boolean;
  readonly heads: ResponseHeads;
  readonly keepAliveLines: string;
  readonly unsent: UnsentOfConnection;
  readonly #listenerContext: ListenerContext;
  readonly #socket: Socket;
  readonly #reader: HeadReader;
  readonly #output: H1Output;
  readonly #alarm: LazyAlarm;
  // What has been read and not been taken, from `#at` on.
  #bytes: Buffer = NOTHING;
  #at = 0;
  #isProcessing = false;
  #isFlushDue = false;
  #isPaused = false;
  // Exchanges whose answer is not handed over, in the order of their requests; the first one's turn it is.
  readonly #queue: H1Exchange[] = [];
  // Those whose answer is handed over and has not left.
  readonly #leaving: H1Exchange[] = [];
  // The exchange whose body has not come whole, and how it is framed.
  #incoming: H1Exchange | undefined;
  #framing: BodyFraming | undefined;
  #requests = 0;
  // It was told once that it sends too much; from then on what is too much waits unread.
  #isWarned = false;
  // No further request is served.
  #isLast = false;
  // The answers are out, and what still comes is thrown away.
  #isLingering = false;
  #discardedBytes = 0;
  #movedAtMs: number;
  #quietSinceMs: number;
  #headBeganAtMs: number | undefined;
  // When what lingers is cut, and a connection that is told to go is closed if it is idle.
  #cutAtMs = Number.POSITIVE_INFINITY;
  #retireAtMs = Number.POSITIVE_INFINITY;

  constructor(socket: Socket, { listenerContext, blocks, heads, keepAliveLines }: H1Shared) {
    this.#socket = socket;
    this.#listenerContext = listenerContext;
    this.isSecure = "encrypted" in socket;
    this.heads = heads;
    this.keepAliveLines = keepAliveLines;
    this.unsent = new UnsentOfConnection(socket);
    this.#reader = new HeadReader(listenerContext.limits, blocks);
    this.#output = new H1Output(socket);
    this.#movedAtMs = listenerContext.clock.monotonicMs();
    this.#quietSinceMs = this.#movedAtMs;
    this.#alarm = new LazyAlarm(listenerContext.clock, () => this.#look());
    this.#look();
  }

  get peer(): string {
    return this.#socket.remoteAddress ?? "";
  }

  get hasRoom(): boolean {
    return this.#output.hasRoom;
  }

  /** Bytes have come. */
  receive(chunk: Buffer): void {
    this.#movedAtMs = this.#listenerContext.clock.monotonicMs();
    this.#bytes = this.#unreadBytes === 0 ? chunk : Buffer.concat([this.#bytes.subarray(this.#at), chunk]);
    this.#at = 0;
    this.#process();
  }

  /** The peer sends no more. Whoever has sent a whole request and waits for its answer is taken for gone, as most are. */
  receiveEnd(): void {
    if (this.#reader.hasBegun && this.#underWay === 0 && !this.#isLast) {
      this.#begin(this.#reader.giveUp(CUT_SHORT));
      this.#flushNow();
    }
    this.#socket.destroySoon();
  }

  /** The connection is closed. */
  closed(): void {
    this.#alarm.cancel();
    this.#isLast = true;
    for (const exchange of [...this.#leaving.splice(0), ...this.#queue.splice(0)]) {
      exchange.abandon();
    }
  }

  /** Closes the connection with its next answer; without one, when its peer has had the time to take note of that. */
  retire(): void {
    this.#retireAtMs = this.#listenerContext.clock.monotonicMs() + FAREWELL_MS;
    this.#look();
  }

  cut(): void {
    this.#socket.destroy();
  }

  readBody(exchange: H1Exchange): void {
    if (this.#incoming !== exchange) {
      return;
    }
    if (this.#isProcessing) {
      this.#takeBody(exchange);
    } else {
      this.#process();
    }
  }

  skipBody(exchange: H1Exchange): boolean {
    if (this.#incoming === exchange && !exchange.body?.isWanted) {
      const wasProcessing = this.#isProcessing;
      this.#isProcessing = true;
      exchange.body?.discard(this.#unreadBytes);
      this.#isProcessing = wasProcessing;
    }
    return this.#incoming !== exchange;
  }

  // As much is let in as is decent, because it is in the way of the next request.
  dismissBody(exchange: H1Exchange): void {
    if (this.#incoming === exchange && this.#cutAtMs === Number.POSITIVE_INFINITY) {
      this.#cutAtMs = this.#listenerContext.clock.monotonicMs() + LINGER_MS;
      this.#alarm.wakeBy(this.#cutAtMs);
      exchange.body?.discard(DISMISSED_BYTES_MAX);
    }
  }

  closesWith(exchange: H1Exchange, mustClose: boolean): boolean {
    const isNewest = this.#queue.at(-1) === exchange;
    this.#isLast ||= mustClose || (isNewest && this.#listenerContext.draining);
    return mustClose || (isNewest && this.#isLast);
  }

  send(part: Part, onSent?: () => void): void {
    this.#output.add(part, onSent);
  }

  flush(): void {
    if (this.#queue.length > 1) {
      this.flushSoon();
    } else if (!this.#isProcessing) {
      this.#flushNow();
    }
  }

  flushSoon(): void {
    if (!this.#isFlushDue && !this.#isProcessing) {
      this.#isFlushDue = true;
      setImmediate(() => {
        this.#isFlushDue = false;
        this.#flushNow();
      });
    }
  }

  finished(exchange: H1Exchange): void {
    let done: H1Exchange | undefined = exchange;
    while (done?.isFinished) {
      this.#queue.shift();
      this.#leaving.push(done);
      if (done.closes) {
        this.#close();
        return;
      }
      this.dismissBody(done);
      done = this.#queue[0];
      done?.takeTurn();
    }
    if (this.#queue.length === 0 && (this.#isLast || this.#listenerContext.draining)) {
      this.#close();
      return;
    }
    this.flush();
    this.#processRest();
  }

  left(exchange: H1Exchange): void {
    // They leave in their order.
    if (this.#leaving[0] === exchange) {
      this.#leaving.shift();
    }
    const { clock, limits } = this.#listenerContext;
    this.#movedAtMs = clock.monotonicMs();
    if (this.#underWay === 0) {
      this.#quietSinceMs = this.#movedAtMs;
      this.#alarm.wakeBy(this.#quietSinceMs + limits.idleTimeoutMs + IDLE_GRACE_MS);
    }
    this.#processRest();
  }

  get #unreadBytes(): number {
    return this.#bytes.length - this.#at;
  }

  /** Exchanges whose answer has not left whole. */
  get #underWay(): number {
    return this.#queue.length + this.#leaving.length;
  }

  // Takes what has been read as far as it is wanted now.
  #process(): void {
    if (this.#isProcessing) {
      return;
    }
    this.#isProcessing = true;
    do {
      while (this.#unreadBytes > 0 && this.#mayTake) {
        this.#takeNext();
      }
      this.#flushNow();
      // What has left may have made room for more.
    } while ((this.#unreadBytes > 0 && this.#mayTake) || !this.#output.isEmpty);
    this.#isProcessing = false;
    if (this.#unreadBytes === 0) {
      this.#bytes = NOTHING;
      this.#at = 0;
    }
    this.#pauseOrResume();
  }

  // The same, where something has changed for what was read before.
  #processRest(): void {
    if (this.#unreadBytes > 0 || this.#isPaused) {
      this.#process();
    }
  }

  get #mayTake(): boolean {
    const body = this.#incoming?.body;
    if (body !== undefined) {
      return body.isWanted;
    }
    const { requestsUnderWayMax } = this.#listenerContext.limits;
    return this.#isLast || this.#underWay <= (this.#isWarned ? requestsUnderWayMax - 1 : requestsUnderWayMax);
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
      this.#timeHead();
      return;
    }
    this.#headBeganAtMs = undefined;
    this.#at = head.fault === undefined ? this.#reader.end : this.#bytes.length;
    this.#begin(head);
  }

  #begin({ line, block, fault }: RequestHead): void {
    const context = this.#listenerContext;
    const { limits } = context;
    this.#requests += 1;
    const exchange = new H1Exchange(context, this, line, block, fault === undefined ? (block?.body ?? 0) : 0);
    const keeps = line?.minorVersion === 1 ? !block?.saysClose : block?.saysKeepAlive && !block.saysClose;
    this.#isLast = fault !== undefined || !keeps || this.#requests >= limits.requestsPerConnectionMax;
    this.#queue.push(exchange);
    if (exchange.body !== undefined) {
      this.#incoming = exchange;
      this.#framing = block?.body === "chunked" ? new ChunkedBody() : new LengthBody(block?.body ?? 0);
    }
    if (this.#queue.length === 1) {
      exchange.takeTurn();
    }
    this.#alarm.wakeBy(this.#movedAtMs + limits.stallTimeoutMs);
    if (fault !== undefined) {
      context.handleFault(exchange, fault);
    } else if (this.#underWay > limits.requestsUnderWayMax) {
      this.#isWarned = true;
      context.handleFault(exchange, {
        reason: "RATE_LIMITED",
        message: `More than ${limits.requestsUnderWayMax} requests are waiting on this connection; wait for answers before sending more.`,
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
    this.#cutAtMs = Number.POSITIVE_INFINITY;
  }

  #flushNow(): void {
    this.#output.flush();
    if (this.#leaving.length === 0) {
      return;
    }
    if (this.isSecure) {
      // Even what the system takes at once leaves a little later.
      setImmediate(() => this.#holdBack());
    } else {
      this.#holdBack();
    }
  }

  #holdBack(): void {
    for (const exchange of this.#leaving) {
      exchange.holdBack();
    }
  }

  // Ends our side. A socket that is closed with bytes unread is reset, and a reset may overtake the answer: what still comes is thrown away
  // for a while. https://www.rfc-editor.org/rfc/rfc9112#section-9.6
  #close(): void {
    this.#isLast = true;
    this.#isLingering = true;
    this.#flushNow();
    this.#socket.once("finish", () => {
      this.#cutAtMs = this.#listenerContext.clock.monotonicMs() + LINGER_MS;
      this.#alarm.wakeBy(this.#cutAtMs);
    });
    this.#socket.end();
    this.#incoming?.body?.fail();
    this.#endBody();
    this.#process();
  }

  #pauseOrResume(): void {
    const mayRead = this.#mayRead();
    if (mayRead === this.#isPaused) {
      this.#isPaused = !mayRead;
      if (mayRead) {
        this.#socket.resume();
      } else {
        this.#socket.pause();
      }
    }
  }

  #mayRead(): boolean {
    const body = this.#incoming?.body;
    if (body !== undefined) {
      // Where all of it has come, what follows it is no part of it.
      const hasCome = this.#framing?.endsWithin(this.#unreadBytes) ?? false;
      return body.isWanted || (hasCome && this.#unreadBytes <= UNREAD_BYTES_MAX);
    }
    return this.#mayTake && (!this.#isLast || this.#discardedBytes <= LINGER_BYTES_MAX);
  }

  // A head has begun to come.
  #timeHead(): void {
    if (this.#headBeganAtMs === undefined && this.#reader.hasBegun) {
      this.#headBeganAtMs = this.#movedAtMs;
      this.#alarm.wakeBy(this.#headBeganAtMs + this.#listenerContext.limits.headerTimeoutMs);
    }
  }

  // Looks what is due, and when to look again.
  #look(): void {
    const { clock, limits } = this.#listenerContext;
    const nowMs = clock.monotonicMs();
    let nextMs = Number.POSITIVE_INFINITY;
    const isDue = (atMs: number): boolean => {
      nextMs = Math.min(nextMs, atMs);
      return atMs <= nowMs;
    };
    if (isDue(this.#cutAtMs) || (this.#mustMove && isDue(this.#movedAtMs + limits.stallTimeoutMs))) {
      this.#socket.destroy();
      return;
    }
    if (this.#headBeganAtMs !== undefined) {
      if (isDue(this.#headBeganAtMs + limits.headerTimeoutMs)) {
        this.#headBeganAtMs = undefined;
        this.#begin(this.#reader.giveUp(HEAD_TIMEOUT));
        this.#flushNow();
        return;
      }
    } else if (this.#underWay === 0 && !this.#isLast) {
      if (isDue(Math.min(this.#retireAtMs, this.#quietSinceMs + limits.idleTimeoutMs + IDLE_GRACE_MS))) {
        this.#close();
        return;
      }
    }
    this.#alarm.wakeBy(nextMs);
  }

  // Whether silence is a reason to close the connection.
  get #mustMove(): boolean {
    return this.#isLingering || (this.#underWay > 0 && !this.#queue.some(({ isSilenceAllowed }) => isSilenceAllowed));
  }
}
