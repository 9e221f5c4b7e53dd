// One HTTP/1.1 connection: reads requests one after another, sends the responses in order, and closes when it is uncertain where a
// request ends. https://www.rfc-editor.org/rfc/rfc9112#section-9
import type { Socket } from "node:net";
import type { Peer } from "../client/peer.ts";
import type { RunInScope } from "../connection-scope.ts";
import type { ConnectionSlot } from "../connection-slots.ts";
import { TOO_MUCH_HELD } from "../connection-slots.ts";
import type { ServerLimits } from "../limits.ts";
import type { ListenerContext } from "../listener-context.ts";
import { type InputHandler, PacedInput } from "../paced-input.ts";
import type { TransportFault } from "../transport-fault.ts";
import type { TurnBudget } from "../turn-budget.ts";
import { UnsentOfConnection } from "../unsent-responses.ts";
import { ConnectionLife, type LifeOwner } from "./connection-life.ts";
import type { ExchangeConnection } from "./exchange-connection.ts";
import { H1Exchange } from "./h1-exchange.ts";
import { H1Input, type InputOwner } from "./h1-input.ts";
import { H1Output, type Part } from "./h1-output.ts";
import type { RequestHead } from "./head-reader.ts";
import type { ResponseHeads } from "./response-head.ts";

/**
 * Exchanges in order: first those whose response is complete but not yet sent, then the one whose turn it is, then the others. They
 * form a linked list, which is faster than two arrays.
 */
class ResponseOrder {
  readonly #output: H1Output;
  // Over TLS, even a write that completes immediately reports its completion only later in the event loop.
  readonly #flushesLater: boolean;
  #first: H1Exchange | undefined;
  #current: H1Exchange | undefined;
  #last: H1Exchange | undefined;
  #size = 0;
  #unfinished = 0;
  #isFlushDue = false;

  constructor(output: H1Output, flushesLater: boolean) {
    this.#output = output;
    this.#flushesLater = flushesLater;
  }

  /** How many exchanges have a response that has not been sent. */
  get size(): number {
    return this.#size;
  }

  /** How many exchanges have an unfinished response. */
  get unfinished(): number {
    return this.#unfinished;
  }

  /** The exchange of the latest request, if its response is unfinished. */
  get newest(): H1Exchange | undefined {
    return this.#current === undefined ? undefined : this.#last;
  }

  /** Whether any of them is still waiting for the first byte of its response. */
  get isAwaited(): boolean {
    return this.#isAnyUnfinished(({ responded }) => !responded);
  }

  /** Whether the connection may be silent during any of them. */
  get isSilenceAllowed(): boolean {
    return this.#isAnyUnfinished(({ isSilenceAllowed }) => isSilenceAllowed);
  }

  /** Adds an exchange. It may be its turn at once. */
  add(exchange: H1Exchange): void {
    if (this.#last === undefined) {
      this.#first = exchange;
    } else {
      this.#last.next = exchange;
    }
    this.#last = exchange;
    this.#size += 1;
    this.#unfinished += 1;
    if (this.#current === undefined) {
      this.#current = exchange;
      exchange.takeTurn();
    }
  }

  /** Called when the exchange whose turn it is has finished its response. Gives the turn to the next exchange and returns it. */
  shift(): H1Exchange | undefined {
    // All exchanges may have been abandoned.
    if (this.#current !== undefined) {
      this.#current = this.#current.next;
      this.#unfinished -= 1;
    }
    return this.#current;
  }

  /** Removes the first exchange, whose response has been sent. */
  removeFirst(): void {
    const gone = this.#first;
    // All exchanges may have been abandoned.
    if (gone !== undefined) {
      this.#first = gone.next;
      gone.next = undefined;
      this.#size -= 1;
      this.#last = this.#first === undefined ? undefined : this.#last;
    }
  }

  /** Abandons all exchanges: none of them will get a response. */
  abandon(): void {
    let exchange = this.#first;
    this.#first = undefined;
    this.#current = undefined;
    this.#last = undefined;
    this.#size = 0;
    this.#unfinished = 0;
    while (exchange !== undefined) {
      const { next } = exchange;
      exchange.abandon();
      exchange = next;
    }
  }

  flush(): void {
    this.#output.flush();
    if (this.#first === this.#current) {
      return;
    }
    if (this.#flushesLater) {
      setImmediate(() => this.#holdBack());
    } else {
      this.#holdBack();
    }
  }

  /** Sends what is ready at the end of this turn of the event loop. */
  flushSoon(): void {
    if (!this.#isFlushDue) {
      this.#isFlushDue = true;
      setImmediate(() => {
        this.#isFlushDue = false;
        this.flush();
      });
    }
  }

  #holdBack(): void {
    for (let exchange = this.#first; exchange !== this.#current; exchange = exchange?.next) {
      exchange?.holdBack();
    }
  }

  #isAnyUnfinished(matches: (exchange: H1Exchange) => boolean): boolean {
    for (let exchange = this.#current; exchange !== undefined; exchange = exchange.next) {
      if (matches(exchange)) {
        return true;
      }
    }
    return false;
  }
}

// How many requests an HTTP/1.1 connection may begin: in one slice of the thread's time, at the same time, and in its whole life.
class RequestCounts {
  readonly #limits: ServerLimits;
  readonly #turns: TurnBudget;
  #total = 0;
  #begunInSlice = 0;
  #isWaitingForTurn = false;
  // Whether the peer has been told that it sends too much. From then on, the excess stays unread.
  #isWarned = false;

  constructor(limits: ServerLimits, turns: TurnBudget) {
    this.#limits = limits;
    this.#turns = turns;
  }

  /** Whether this was the last request that the connection serves. */
  get isLast(): boolean {
    return this.#total >= this.#limits.requestsPerConnectionMax;
  }

  /**
   * Whether another request may begin while `inProgress` have no response yet. One more than allowed may begin once, so that it can be
   * refused.
   */
  mayBegin(inProgress: number): boolean {
    const { concurrentRequestsMax } = this.#limits;
    return !this.#isWaitingForTurn && inProgress <= (this.#isWarned ? concurrentRequestsMax - 1 : concurrentRequestsMax);
  }

  beginSlice(): void {
    this.#begunInSlice = 0;
  }

  /** Called when the connection's turn has come after `begin` made it wait. */
  resume(): void {
    this.#isWaitingForTurn = false;
    this.#begunInSlice = 0;
  }

  /** Counts a request that begins. True if the connection must now wait for its turn, until `resume`. */
  begin(): boolean {
    this.#total += 1;
    this.#begunInSlice += 1;
    const mustWait = this.#turns.spend(this.#begunInSlice) && !this.#isWaitingForTurn;
    this.#isWaitingForTurn ||= mustWait;
    return mustWait;
  }

  /** The fault of the newest request if too many are in progress, including itself; undefined if it may be served. */
  refusal(inProgress: number): TransportFault | undefined {
    const { concurrentRequestsMax } = this.#limits;
    if (inProgress <= concurrentRequestsMax) {
      return undefined;
    }
    this.#isWarned = true;
    return {
      reason: "RATE_LIMITED",
      message: `More than ${concurrentRequestsMax} requests are waiting on this connection; wait for responses before sending more.`,
      retryAfterMs: 1000,
    };
  }
}

export interface H1Shared {
  readonly listenerContext: ListenerContext;
  readonly heads: ResponseHeads;
  readonly keepAliveLines: string;
}

const HEAD_TIMEOUT: TransportFault = { reason: "REQUEST_TIMEOUT", message: "The complete request did not arrive in time." };
const CUT_SHORT: TransportFault = { reason: "MALFORMED_REQUEST", message: "The request ended before its headers were complete." };

// Shared by all connections: a closure for each would cost a hundred bytes per idle connection.
const resume = (connection: H1Connection): void => connection.resume();

export class H1Connection implements ExchangeConnection, LifeOwner, InputOwner, InputHandler {
  readonly isSecure: boolean;
  readonly peer: Peer;
  readonly heads: ResponseHeads;
  readonly keepAliveLines: string;
  readonly unsent: UnsentOfConnection;
  readonly socketInput: PacedInput;
  readonly #listenerContext: ListenerContext;
  readonly #socket: Socket;
  readonly #input: H1Input;
  readonly #output: H1Output;
  readonly #responses: ResponseOrder;
  readonly #life: ConnectionLife;
  readonly #counts: RequestCounts;
  // Whether no further request is served.
  #isLast = false;
  // Whether it closes after its next response.
  #isRetiring = false;
  // Whether all responses are finished and our side has ended.
  #isClosing = false;

  constructor(
    socket: Socket,
    runInScope: RunInScope,
    slot: ConnectionSlot,
    peer: Peer,
    { listenerContext, heads, keepAliveLines }: H1Shared,
  ) {
    const { clock, limits } = listenerContext;
    this.#socket = socket;
    this.#listenerContext = listenerContext;
    this.isSecure = peer.isSecure;
    this.peer = peer;
    this.heads = heads;
    this.keepAliveLines = keepAliveLines;
    this.unsent = new UnsentOfConnection(socket, listenerContext.unsent, slot.address);
    this.#counts = new RequestCounts(limits, listenerContext.turns);
    this.#output = new H1Output(socket);
    this.#responses = new ResponseOrder(this.#output, this.isSecure);
    this.#life = new ConnectionLife(this, clock, limits, slot);
    this.socketInput = new PacedInput(socket, listenerContext, slot.address, runInScope, this);
    this.#input = new H1Input(this, this.socketInput, this.#life, limits);
  }

  get hasRoom(): boolean {
    return this.#output.hasRoom;
  }

  get isIdle(): boolean {
    return this.#responses.size === 0 && !this.#isLast;
  }

  get isAwaited(): boolean {
    return this.#responses.isAwaited;
  }

  get isLast(): boolean {
    return this.#isLast;
  }

  get mayBegin(): boolean {
    return this.#isLast || this.#counts.mayBegin(this.#responses.size);
  }

  get mustBeActive(): boolean {
    return this.#isClosing || (this.#responses.size > 0 && !this.#responses.isSilenceAllowed);
  }

  receive(bytes: Buffer): void {
    this.#life.noteActivity();
    this.#counts.beginSlice();
    this.#input.receive(bytes);
    if (!this.socketInput.hold(this.#input.heldBytes)) {
      this.#refuseToHold();
    }
  }

  /**
   * Called when the peer has ended its side. It may still wait for a response, as `nc -N` and some health checks do:
   * https://www.rfc-editor.org/rfc/rfc9112#section-6.3. But a peer that has disconnected looks the same. So complete requests get one more
   * second and `Connection: close`, and are then cancelled. A stream is cancelled at once, because no client waits for its end.
   */
  receiveEnd(): void {
    if (this.#input.hasHeadStarted && this.isIdle) {
      this.#input.abandonHead(CUT_SHORT);
      this.#responses.flush();
    }
    if (this.#responses.unfinished > 0 && !this.#input.isBodyMissing && !this.#responses.isSilenceAllowed) {
      this.#isRetiring = true;
      this.#life.peerEnded();
    } else {
      this.#socket.destroySoon();
    }
  }

  closed(): void {
    this.socketInput.close();
    this.#life.end();
    this.#isLast = true;
    this.#responses.abandon();
  }

  /** Closes the connection after its next response. If there is none, closes it after giving the peer time to react. */
  retire(): void {
    this.#isRetiring = true;
    this.#life.retire();
  }

  /** Closes the connection, which is idle. */
  closeIdle(): void {
    this.close();
  }

  stopServing(): void {
    this.#isLast = true;
  }

  flushResponses(): boolean {
    this.#responses.flush();
    return this.#output.isEmpty;
  }

  endHead(): void {
    this.#input.abandonHead(HEAD_TIMEOUT);
    this.#responses.flush();
  }

  #refuseToHold(): void {
    if (this.#input.hasHeadStarted) {
      this.#input.abandonHead(TOO_MUCH_HELD);
      this.#responses.flush();
    } else {
      // The unread input waits behind a request whose response has not been sent yet.
      this.#input.abandonRest(TOO_MUCH_HELD);
    }
    this.socketInput.hold(this.#input.heldBytes);
  }

  // Ends our side. A socket that is closed with unread bytes is reset, and the reset may overtake the response. So what still
  // arrives is discarded for a while. https://www.rfc-editor.org/rfc/rfc9112#section-9.6
  close(): void {
    this.#isLast = true;
    this.#isClosing = true;
    this.#responses.flush();
    this.#socket.once("finish", () => this.#life.closeSoon());
    this.#socket.end();
    this.#life.markBusy();
    this.#input.close();
  }

  disconnect(): void {
    this.#socket.destroy();
  }

  readBody(exchange: H1Exchange): void {
    this.#input.readBody(exchange);
  }

  skipBody(exchange: H1Exchange): boolean {
    return this.#input.skipBody(exchange);
  }

  discardBody(exchange: H1Exchange): void {
    this.#input.discardBody(exchange);
  }

  closesWith(exchange: H1Exchange, mustClose: boolean): boolean {
    const isNewest = this.#responses.newest === exchange;
    this.#isLast ||= mustClose || (isNewest && this.#mustEndSoon);
    return mustClose || (isNewest && this.#isLast);
  }

  send(part: Part, onSent?: () => void): void {
    this.#output.add(part, onSent);
  }

  flush(): void {
    if (this.#responses.unfinished > 1) {
      this.flushSoon();
    } else if (!this.#input.isProcessing) {
      this.#responses.flush();
    }
  }

  flushSoon(): void {
    if (!this.#input.isProcessing) {
      this.#responses.flushSoon();
    }
  }

  finished(exchange: H1Exchange): void {
    let done: H1Exchange | undefined = exchange;
    while (done?.isFinished) {
      const next = this.#responses.shift();
      if (done.closes) {
        this.close();
        return;
      }
      this.discardBody(done);
      next?.takeTurn();
      done = next;
    }
    if (this.#responses.unfinished === 0) {
      if (this.#isLast) {
        this.close();
        return;
      }
      if (this.#mustEndSoon) {
        // The head was sent before it was known that the connection must end. It said that the connection stays open, so the peer may send
        // a request at once.
        this.#life.retire();
      }
    }
    this.flush();
    this.#input.takeRest();
  }

  responseSent(): void {
    this.#responses.removeFirst();
    // A response that is written while its request is being read is sent at the end of that read.
    if (!this.#input.isProcessing) {
      this.#life.noteActivity();
    }
    if (this.#responses.size === 0) {
      this.#life.markIdle();
    }
    this.#input.takeRest();
  }

  resume(): void {
    this.#counts.resume();
    this.#input.takeRest();
  }

  get #mustEndSoon(): boolean {
    return this.#isRetiring || this.#listenerContext.draining;
  }

  begin({ line, block, fault }: RequestHead): void {
    const context = this.#listenerContext;
    if (this.#counts.begin()) {
      this.socketInput.waitForTurn(resume, this);
    }
    const exchange = new H1Exchange(context, this, line, block, fault === undefined ? (block?.body ?? 0) : 0);
    const isKept = line?.minorVersion === 1 ? !block?.saysClose : block?.saysKeepAlive && !block.saysClose;
    this.#isLast = fault !== undefined || !isKept || this.#counts.isLast;
    if (exchange.body !== undefined) {
      this.#input.expectBody(exchange, block?.body ?? 0);
    }
    this.#responses.add(exchange);
    this.#life.markBusy();
    const refusal = fault ?? this.#counts.refusal(this.#responses.size);
    if (refusal !== undefined) {
      context.handleFault(exchange, refusal);
    } else {
      context.handle(exchange);
    }
  }
}
