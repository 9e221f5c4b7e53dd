// One HTTP/1.1 connection: reads requests one after the other, answers them in their order, and closes where a request's end cannot be told
// for certain. https://www.rfc-editor.org/rfc/rfc9112#section-9
import type { Socket } from "node:net";
import type { Peer } from "../client/peer.ts";
import type { ConnectionPlace } from "../connection-places.ts";
import type { RunInScope } from "../connection-scope.ts";
import type { ListenerContext } from "../listener-context.ts";
import type { TransportFault } from "../transport-fault.ts";
import { UnsentOfConnection } from "../unsent-responses.ts";
import { AnswerOrder } from "./answer-order.ts";
import type { Carrier } from "./carrier.ts";
import { ConnectionLife, type LifeOwner } from "./connection-life.ts";
import { H1Exchange } from "./h1-exchange.ts";
import { H1Input, type InputOwner } from "./h1-input.ts";
import { H1Output, type Part } from "./h1-output.ts";
import type { RequestHead } from "./head-reader.ts";
import type { HeaderBlocks } from "./header-blocks.ts";
import type { ResponseHeads } from "./response-head.ts";

/** What all HTTP/1.1 connections of a listener share. */
export interface H1Shared {
  readonly listenerContext: ListenerContext;
  readonly blocks: HeaderBlocks;
  readonly heads: ResponseHeads;
  readonly keepAliveLines: string;
}

const HEAD_TIMEOUT: TransportFault = { reason: "REQUEST_TIMEOUT", message: "The request did not arrive whole in time." };
const CUT_SHORT: TransportFault = { reason: "MALFORMED_REQUEST", message: "The request ended within its head." };

// Of all connections, because each function of its own takes a hundred bytes of an idle one.
const goOn = (connection: H1Connection): void => connection.goOn();

/** One connection. */
export class H1Connection implements Carrier, LifeOwner, InputOwner {
  readonly isSecure: boolean;
  readonly peer: Peer;
  readonly heads: ResponseHeads;
  readonly keepAliveLines: string;
  readonly unsent: UnsentOfConnection;
  readonly #listenerContext: ListenerContext;
  readonly #socket: Socket;
  readonly #input: H1Input;
  readonly #output: H1Output;
  readonly #answers: AnswerOrder;
  readonly #life: ConnectionLife;
  readonly #runInScope: RunInScope;
  #requests = 0;
  // In this go, and whether the next one has to come before another is begun.
  #begun = 0;
  #isWaitingForTurn = false;
  // It was told once that it sends too much; from then on what is too much waits unread.
  #isWarned = false;
  #isLast = false;
  // It closes with its next answer.
  #isRetiring = false;
  // The answers are handed over, and our side is ended.
  #isClosing = false;

  constructor(
    socket: Socket,
    runInScope: RunInScope,
    place: ConnectionPlace,
    peer: Peer,
    { listenerContext, blocks, heads, keepAliveLines }: H1Shared,
  ) {
    const { clock, limits } = listenerContext;
    this.#socket = socket;
    this.#runInScope = runInScope;
    this.#listenerContext = listenerContext;
    this.isSecure = peer.isSecure;
    this.peer = peer;
    this.heads = heads;
    this.keepAliveLines = keepAliveLines;
    this.unsent = new UnsentOfConnection(socket, listenerContext.unsent, place.address);
    this.#output = new H1Output(socket);
    this.#answers = new AnswerOrder(this.#output, this.isSecure);
    this.#life = new ConnectionLife(this, clock, limits, place);
    this.#input = new H1Input(this, socket, this.#life, limits, blocks);
  }

  get hasRoom(): boolean {
    return this.#output.hasRoom;
  }

  get isIdle(): boolean {
    return this.#answers.size === 0 && !this.#isLast;
  }

  get isAwaited(): boolean {
    return this.#answers.isAwaited;
  }

  get isLast(): boolean {
    return this.#isLast;
  }

  get mayBegin(): boolean {
    const { requestsUnderWayMax } = this.#listenerContext.limits;
    return (
      this.#isLast ||
      (!this.#isWaitingForTurn && this.#answers.size <= (this.#isWarned ? requestsUnderWayMax - 1 : requestsUnderWayMax))
    );
  }

  get mustMove(): boolean {
    return this.#isClosing || (this.#answers.size > 0 && !this.#answers.isSilenceAllowed);
  }

  /** Bytes have come, which are lent. */
  receive(bytes: Buffer): void {
    this.#life.moved();
    this.#begun = 0;
    this.#input.receive(bytes);
  }

  /**
   * The peer sends no more. It may wait for its answer all the same, as `nc -N` does and some that look after a server's health:
   * https://www.rfc-editor.org/rfc/rfc9112#section-6.3. But one that has gone looks the same. So whole requests have a second to be answered,
   * with `Connection: close`, and are cancelled then; a stream, which nobody waits for the end of, is cancelled at once.
   */
  receiveEnd(): void {
    if (this.#input.hasHeadBegun && this.isIdle) {
      this.#input.giveUpHead(CUT_SHORT);
      this.#answers.flush();
    }
    if (this.#answers.unanswered > 0 && !this.#input.isBodyMissing && !this.#answers.isSilenceAllowed) {
      this.#isRetiring = true;
      this.#life.peerEnded();
    } else {
      this.#socket.destroySoon();
    }
  }

  /** The connection is closed. */
  closed(): void {
    this.#life.end();
    this.#isLast = true;
    this.#answers.abandon();
  }

  /** Closes the connection with its next answer; without one, when its peer has had the time to take note of that. */
  retire(): void {
    this.#isRetiring = true;
    this.#life.retire();
  }

  /** Closes the connection, on which nothing is under way. */
  closeQuiet(): void {
    this.close();
  }

  serveNoMore(): void {
    this.#isLast = true;
  }

  flushAnswers(): boolean {
    this.#answers.flush();
    return this.#output.isEmpty;
  }

  endHead(): void {
    this.#input.giveUpHead(HEAD_TIMEOUT);
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
    this.#input.close();
  }

  cut(): void {
    this.#socket.destroy();
  }

  readBody(exchange: H1Exchange): void {
    this.#input.readBody(exchange);
  }

  skipBody(exchange: H1Exchange): boolean {
    return this.#input.skipBody(exchange);
  }

  dismissBody(exchange: H1Exchange): void {
    this.#input.dismissBody(exchange);
  }

  closesWith(exchange: H1Exchange, mustClose: boolean): boolean {
    const isNewest = this.#answers.newest === exchange;
    this.#isLast ||= mustClose || (isNewest && this.#mustEndSoon);
    return mustClose || (isNewest && this.#isLast);
  }

  send(part: Part, onSent?: () => void): void {
    this.#output.add(part, onSent);
  }

  flush(): void {
    if (this.#answers.unanswered > 1) {
      this.flushSoon();
    } else if (!this.#input.isTaking) {
      this.#answers.flush();
    }
  }

  flushSoon(): void {
    if (!this.#input.isTaking) {
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
    if (this.#answers.unanswered === 0) {
      if (this.#isLast) {
        this.close();
        return;
      }
      if (this.#mustEndSoon) {
        // Its head, sent before that was known, has said that the connection stays: the peer may ask again at once.
        this.#life.retire();
      }
    }
    this.flush();
    this.#input.takeRest();
  }

  left(): void {
    this.#answers.left();
    // What was answered as soon as it was read leaves in the moment in which it came.
    if (!this.#input.isTaking) {
      this.#life.moved();
    }
    if (this.#answers.size === 0) {
      this.#life.quiet();
    }
    this.#input.takeRest();
  }

  /** The next requests begin. */
  goOn(): void {
    this.#isWaitingForTurn = false;
    this.#begun = 0;
    this.#input.takeRest();
  }

  get #mustEndSoon(): boolean {
    return this.#isRetiring || this.#listenerContext.draining;
  }

  begin({ line, block, fault }: RequestHead): void {
    const context = this.#listenerContext;
    const { requestsUnderWayMax, requestsPerConnectionMax } = context.limits;
    this.#requests += 1;
    this.#begun += 1;
    if (context.turns.spend(this.#begun) && !this.#isWaitingForTurn) {
      this.#isWaitingForTurn = true;
      context.turns.wait(() => this.#runInScope(goOn, this));
    }
    const exchange = new H1Exchange(context, this, line, block, fault === undefined ? (block?.body ?? 0) : 0);
    const isKept = line?.minorVersion === 1 ? !block?.saysClose : block?.saysKeepAlive && !block.saysClose;
    this.#isLast = fault !== undefined || !isKept || this.#requests >= requestsPerConnectionMax;
    if (exchange.body !== undefined) {
      this.#input.expectBody(exchange, block?.body ?? 0);
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
}
