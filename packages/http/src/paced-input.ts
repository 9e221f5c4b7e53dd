// Passes a connection's input on in slices. A chunk for which this turn has no time waits for the connection's next slice, and reading
// stops in the meantime unless the chunk is short. Reading also stops when the connection itself asks for it.
import type { Socket } from "node:net";
import type { RunInScope } from "./connection-scope.ts";
import { HeldInputOfConnection } from "./connection-slots.ts";
import type { ListenerContext } from "./listener-context.ts";
import { type TurnBudget, TurnShare } from "./turn-budget.ts";

/** Takes borrowed bytes. They are overwritten after it returns, so copy what you keep. */
type TakeBytes = (bytes: Buffer) => void;

/** The two fields in which a socket keeps `onread`. */
interface OnRead {
  readonly buffer: symbol;
  readonly callback: symbol;
}
type SocketInternals = Record<symbol, unknown> & { readonly _handle?: { useUserBuffer?(buffer: Buffer): void } | null };

// A quarter of Node's read size, so that handling one read takes little time. All sockets of a thread share it: none is read while
// the bytes of another are being handled.
const readBuffer = Buffer.allocUnsafeSlow(16 * 1024);
/** A copy up to this size comes from Node's pool. */
const POOLED_BYTES_MAX = 4 * 1024;

/** Passes everything that a socket receives to `take`, except while it is paused. */
export function takeBytes(socket: Socket, take: TakeBytes): void {
  socket.on("data", take);
  const internals = socket as unknown as SocketInternals;
  const onRead = onReadOf(internals);
  // Bytes that were already read still arrive through `data` and must not be overtaken. Over TLS, callbacks may nest.
  if (onRead !== undefined && socket.readableLength === 0 && !("encrypted" in socket)) {
    internals[onRead.buffer] = readBuffer;
    internals[onRead.callback] = (bytes: number): boolean => {
      take(readBuffer.subarray(0, bytes));
      // Pending `data` work of the stream may restart a paused socket: stop it again after this read.
      return !socket.isPaused();
    };
    internals._handle?.useUserBuffer?.(readBuffer);
  }
}

export function copyOf(bytes: Buffer, start: number, end: number): Buffer {
  const length = end - start;
  const copy = length > POOLED_BYTES_MAX ? Buffer.allocUnsafeSlow(length) : Buffer.allocUnsafe(length);
  bytes.copy(copy, 0, start, end);
  return copy;
}

// All sockets have the same fields.
let fields: OnRead | undefined;

function onReadOf(socket: SocketInternals): OnRead | undefined {
  fields ??= fieldsIn(Object.getOwnPropertySymbols(socket));
  const isKnown = fields !== undefined && fields.buffer in socket && typeof socket._handle?.useUserBuffer === "function";
  return isKnown ? fields : undefined;
}

function fieldsIn(symbols: readonly symbol[]): OnRead | undefined {
  const buffer = symbols.find(({ description }) => description === "kBuffer");
  const callback = symbols.find(({ description }) => description === "kBufferCb");
  return buffer === undefined || callback === undefined ? undefined : { buffer, callback };
}

/** If no more than this is waiting, reading continues: stopping and restarting takes longer than a small request. */
const WAITING_BYTES_MAX = 4 * 1024;

/** Receives the input. Both methods are called in the connection's scope. */
export interface InputHandler {
  /** Takes borrowed bytes: all of them, or those before the offset that it passes to `keep`. */
  receive(bytes: Buffer): void;
  /** Called when the peer has ended its side and all of its bytes have been taken. */
  receiveEnd(): void;
}

// Shared by all connections: a closure for each would cost a hundred bytes per idle connection.
const receiveEnd = (handler: InputHandler): void => handler.receiveEnd();

/** What PacedInput needs to know about the connections from an address. */
interface InputAddress {
  readonly turnShare: TurnShare;
  heldInputBytes: number;
}

export class PacedInput {
  readonly #socket: Socket;
  readonly #turns: TurnBudget;
  readonly #share: TurnShare;
  readonly #runInScope: RunInScope;
  readonly #handler: InputHandler;
  readonly #held: HeldInputOfConnection;
  // How many bytes the handler holds.
  #heldByHandler = 0;
  // The bytes that are waiting, and whether the peer has ended its side after them.
  #waiting: Buffer | undefined;
  #hasEnded = false;
  #isPausedByOwner = false;
  #isPaused = false;
  #isClosed = false;

  /** A connection whose address is not limited has its own share of the turns. */
  constructor(
    socket: Socket,
    { turns, heldInput }: Pick<ListenerContext, "turns" | "heldInput">,
    address: InputAddress | undefined,
    runInScope: RunInScope,
    handler: InputHandler,
  ) {
    this.#socket = socket;
    this.#turns = turns;
    this.#held = new HeldInputOfConnection(heldInput, address);
    this.#share = address?.turnShare ?? new TurnShare();
    this.#runInScope = runInScope;
    this.#handler = handler;
  }

  /** Calls back in one of the connection's next slices, in its scope. */
  waitForTurn<Argument>(resume: (argument: Argument) => void, argument: Argument): void {
    this.#turns.wait(this.#share, () => this.#runInScope(resume, argument), false);
  }

  /** Takes borrowed bytes, or copies those that have to wait. */
  receive(bytes: Buffer): void {
    if (this.#waiting !== undefined) {
      this.#waiting = Buffer.concat([this.#waiting, bytes]);
      this.#count();
      this.#pauseOrResume();
    } else if (this.#turns.mayTake(this.#share)) {
      this.#go(bytes);
    } else {
      this.#wait(bytes, 0, true);
    }
  }

  /** Called when the peer has ended its side. */
  receiveEnd(): void {
    this.#hasEnded = true;
    this.#endWhenTaken();
  }

  /** Keeps the bytes from offset `from` on for the next slice; the handler takes only those before it now. */
  keep(bytes: Buffer, from: number): void {
    this.#wait(bytes, from, false);
  }

  /** Records how many bytes the handler holds that it cannot use yet. Returns false if there are too many; it must then drop them. */
  hold(bytes: number): boolean {
    this.#heldByHandler = bytes;
    return this.#count();
  }

  close(): void {
    this.#waiting = undefined;
    this.hold(0);
    this.#isClosed = true;
    this.#hasEnded = false;
  }

  /** Stops reading. What was already read may still arrive. */
  pause(): void {
    this.#isPausedByOwner = true;
    this.#pauseOrResume();
  }

  resume(): void {
    this.#isPausedByOwner = false;
    this.#pauseOrResume();
  }

  #wait(bytes: Buffer, from: number, isFresh: boolean): void {
    this.#waiting = copyOf(bytes, from, bytes.length);
    this.#count();
    this.#turns.wait(this.#share, () => this.#readWaiting(), isFresh);
    this.#pauseOrResume();
  }

  #readWaiting(): void {
    const bytes = this.#waiting;
    if (bytes !== undefined) {
      this.#waiting = undefined;
      this.#count();
      this.#go(bytes);
      this.#pauseOrResume();
      this.#endWhenTaken();
    }
  }

  readonly #receive = (bytes: Buffer): void => this.#handler.receive(bytes);

  #go(bytes: Buffer): void {
    this.#turns.begin(bytes.length);
    try {
      this.#runInScope(this.#receive, bytes);
    } finally {
      this.#turns.end(this.#share);
    }
  }

  #endWhenTaken(): void {
    if (this.#hasEnded && this.#waiting === undefined) {
      this.#hasEnded = false;
      this.#runInScope(receiveEnd, this.#handler);
    }
  }

  #count(): boolean {
    return this.#isClosed || this.#held.set(this.#heldByHandler + (this.#waiting?.length ?? 0));
  }

  #pauseOrResume(): void {
    const isPaused = this.#isPausedByOwner || (this.#waiting !== undefined && this.#waiting.length > WAITING_BYTES_MAX);
    if (isPaused !== this.#isPaused) {
      this.#isPaused = isPaused;
      if (isPaused) {
        this.#socket.pause();
      } else {
        this.#socket.resume();
      }
    }
  }
}
