// A request body, between the connection that delivers it and the code that reads it whole, in pieces, or not at all. Nothing is taken from
// the connection before it is wanted, and a body read in pieces never has more than one piece in memory.
import { byteSize } from "./byte-size.ts";
import type { Clock } from "./clock.ts";
import { LinkedList, ListNode } from "./linked-list.ts";
import { TransportError } from "./transport-fault.ts";

// Limits the memory of all request bodies that are being read. A body that does not fit is refused immediately: if it waited, it would
// block its connection and the bodies behind it. A slow body is abandoned when another one needs room.
const RETRY_MS = 1000;
/** The room reserved for a body of unknown length before its first byte; more is reserved as it arrives. */
export const FIRST_BODY_BYTES = 16 * 1024;

export const noRoomForBody = (): TransportError =>
  new TransportError({
    reason: "SERVER_BUSY",
    message: "The server is reading as many request bodies as it can at the moment; retry in 1 s.",
    retryAfterMs: RETRY_MS,
  });

/** The memory reserved for one body. */
export class BodyRoom {
  /** Called when the body is abandoned to make room for another. Stops the reading and releases the room. Set by the reader. */
  giveUp: () => void = () => this.release();
  /** Its position in the budget's order. */
  readonly node = new ListNode<BodyRoom>(this);
  /** When it was reserved, on the monotonic clock; undefined while the budget holds nothing for it. */
  reservedAtMs: number | undefined;
  readonly #budget: BodyBudget;
  #bytes = 0;

  constructor(budget: BodyBudget) {
    this.#budget = budget;
  }

  /** Grows the reservation to this size. Returns false, and changes nothing, if that does not fit. */
  grow(bytes: number): boolean {
    const isRoom = bytes <= this.#bytes || this.#budget.take(this, this.#bytes, bytes);
    this.#bytes = isRoom ? Math.max(bytes, this.#bytes) : this.#bytes;
    return isRoom;
  }

  release(): void {
    this.#budget.release(this, this.#bytes);
    this.#bytes = 0;
  }
}

interface BodyBudgetOptions {
  readonly clock: Pick<Clock, "monotonicMs">;
  /**
   * How long a body may take before it can be abandoned to make room for another. The oldest is abandoned first, so slow senders
   * cannot keep quick ones out.
   */
  readonly evictableAfterMs: number;
}

export class BodyBudget {
  readonly #bytesMax: number;
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #evictableAfterMs: number;
  // In the order in which they were reserved.
  readonly #rooms = new LinkedList<BodyRoom>();
  #usedBytes = 0;

  constructor(bytesMax: number, { clock, evictableAfterMs }: BodyBudgetOptions) {
    this.#bytesMax = bytesMax;
    this.#clock = clock;
    this.#evictableAfterMs = evictableAfterMs;
  }

  /** How many bytes are reserved. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Reserves room; undefined if there is none. A body always fits if it is the only one. */
  reserve(bytes: number): BodyRoom | undefined {
    const room = new BodyRoom(this);
    return room.grow(bytes) ? room : undefined;
  }

  /** Grows a body's reservation. Returns false, and changes nothing, if that does not fit. */
  take(room: BodyRoom, from: number, to: number): boolean {
    const nowMs = this.#clock.monotonicMs();
    while (this.#usedBytes > from && this.#usedBytes - from + to > this.#bytesMax) {
      const oldest = this.#rooms.first;
      if (oldest === undefined || oldest === room || nowMs - (oldest.reservedAtMs ?? nowMs) < this.#evictableAfterMs) {
        return false;
      }
      this.#remove(oldest);
      oldest.giveUp();
    }
    if (room.reservedAtMs === undefined) {
      room.reservedAtMs = nowMs;
      this.#rooms.addLast(room.node);
    }
    this.#usedBytes += to - from;
    return true;
  }

  /** Releases the bytes reserved for a body. */
  release(room: BodyRoom, bytes: number): void {
    this.#remove(room);
    this.#usedBytes -= bytes;
  }

  #remove(room: BodyRoom): void {
    room.reservedAtMs = undefined;
    room.node.leave();
  }
}

/** Yields the chunks of a body while the budget has room for it. Throws the TransportError of `noRoomForBody` if there is none. */
export async function* withinRoom(chunks: AsyncIterable<Uint8Array>, room: BodyRoom): AsyncGenerator<Uint8Array> {
  const givenUp = Promise.withResolvers<never>();
  givenUp.promise.catch(() => {});
  room.giveUp = () => {
    room.release();
    givenUp.reject(noRoomForBody());
  };
  const iterator = chunks[Symbol.asyncIterator]();
  let bytes = 0;
  try {
    for (;;) {
      const next = await Promise.race([givenUp.promise, iterator.next()]);
      if (next.done === true) {
        return;
      }
      bytes += next.value.byteLength;
      if (!room.grow(bytes)) {
        throw noRoomForBody();
      }
      yield next.value;
    }
  } finally {
    room.release();
    iterator.return?.().catch(() => {});
  }
}

/** The limits of a body that is read whole. */
export interface BodyBounds {
  readonly bytesMax: number;
  /** Extra bytes for the protocol's framing, which the sender does not know about. */
  readonly framingBytesMax: number;
  readonly timeoutMs: number;
  /** Released when the body has arrived or is no longer wanted. */
  readonly room: BodyRoom;
  readonly clock: Clock;
}

export const NO_BODY: Uint8Array = new Uint8Array(0);

/** The error for a body over the limit. */
export const bodyTooLarge = (bytesMax: number): TransportError =>
  new TransportError({ reason: "BODY_TOO_LARGE", message: `The body is longer than ${byteSize(bytesMax)}.` });

const cancelled = (): TransportError =>
  new TransportError({ reason: "CANCELLED", message: "The caller disconnected before the body was complete." });

/** Takes the pieces of a body. */
interface Reader {
  /** Whether the reader wants a piece now. */
  readonly wantsData: boolean;
  onPiece(piece: Uint8Array): void;
  onEnd(): void;
  onFailure(failure: TransportError): void;
}

export class RequestBody {
  readonly #onDataWanted: () => void;
  #reader: Reader | undefined;
  #hasEnded = false;
  #failure: TransportError | undefined;
  #bytes = 0;

  /** `onDataWanted` is called when pieces are wanted. It may deliver them before it returns. */
  constructor(onDataWanted: () => void) {
    this.#onDataWanted = onDataWanted;
  }

  /** Whether a piece may be delivered now. */
  get isWanted(): boolean {
    return this.#reader?.wantsData ?? false;
  }

  /** True once all of it was delivered. */
  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** Delivers a piece. Call it only while one is wanted. */
  push(piece: Uint8Array): void {
    this.#bytes += piece.byteLength;
    this.#reader?.onPiece(piece);
  }

  /** Called when the whole body was delivered. */
  end(): void {
    if (!this.#hasEnded && this.#failure === undefined) {
      this.#hasEnded = true;
      this.#reader?.onEnd();
    }
  }

  /** Fails the body, because the rest of it will not arrive. By default, the failure says that the peer has disconnected. */
  fail(failure = cancelled()): void {
    if (!this.#hasEnded && this.#failure === undefined) {
      this.#failure = failure;
      this.#reader?.onFailure(failure);
    }
  }

  /**
   * The whole body, without a promise if it has already arrived. Rejects with a TransportError: BODY_TOO_LARGE, SERVER_BUSY if the body
   * outgrows its room, REQUEST_TIMEOUT, or the error with which the body fails.
   */
  readWhole(bounds: BodyBounds): Uint8Array | Promise<Uint8Array> {
    const reader = new WholeReader(bounds);
    this.#read(reader);
    return reader.result();
  }

  /** The pieces as they arrive. Throws the TransportError that the body fails with. */
  async *chunks(): AsyncGenerator<Uint8Array, void> {
    const reader = new PieceReader();
    this.#read(reader);
    try {
      for (;;) {
        const next = reader.next();
        if (reader.wantsData) {
          this.#onDataWanted();
        }
        const piece = await next;
        if (piece === undefined) {
          return;
        }
        yield piece;
      }
    } finally {
      if (this.#reader === reader) {
        this.#reader = undefined;
      }
    }
  }

  /** Stops the reader and discards up to this many more bytes. Calls back when they, or all there are, have been discarded. */
  discard(bytesMax: number, onDiscarded: () => void = () => {}): void {
    let bytesLeft = bytesMax;
    this.#read({
      get wantsData() {
        return bytesLeft > 0;
      },
      onPiece(piece) {
        bytesLeft -= piece.byteLength;
        if (bytesLeft <= 0) {
          onDiscarded();
        }
      },
      onEnd: onDiscarded,
      onFailure: onDiscarded,
    });
  }

  #read(reader: Reader): void {
    this.#reader = reader;
    if (this.#failure !== undefined) {
      reader.onFailure(this.#failure);
    } else if (this.#hasEnded) {
      reader.onEnd();
    } else if (reader.wantsData) {
      this.#onDataWanted();
    }
  }
}

/** The initial buffer for a body of more than one piece. */
const GATHERED_BYTES_MIN = 512;

/** Reads a body whole, within limits of size and time. Most bodies have already arrived and need neither promise nor timer. */
class WholeReader implements Reader {
  wantsData = true;
  readonly #bounds: BodyBounds;
  #waiting: PromiseWithResolvers<Uint8Array> | undefined;
  #failure: TransportError | undefined;
  // The first piece as it arrived. Further pieces are joined immediately: if kept separately, a piece of one byte would take a hundred
  // bytes of memory.
  #only: Uint8Array | undefined;
  #gathered: Uint8Array | undefined;
  #bytes = 0;
  #cancelTimer: (() => void) | undefined;

  constructor(bounds: BodyBounds) {
    this.#bounds = bounds;
  }

  /** The body, or a promise of it. Called once, after what has arrived was delivered. The timeout for the rest starts now. */
  result(): Uint8Array | Promise<Uint8Array> {
    if (this.#failure !== undefined) {
      return Promise.reject(this.#failure);
    }
    if (!this.wantsData) {
      return this.#whole();
    }
    const { clock, room, timeoutMs } = this.#bounds;
    room.giveUp = () => this.onFailure(noRoomForBody());
    this.#cancelTimer = clock.after(timeoutMs, () =>
      this.onFailure(new TransportError({ reason: "REQUEST_TIMEOUT", message: `The body did not arrive within ${timeoutMs} ms.` })),
    );
    this.#waiting = Promise.withResolvers();
    return this.#waiting.promise;
  }

  onPiece(piece: Uint8Array): void {
    const { bytesMax, framingBytesMax, room } = this.#bounds;
    this.#bytes += piece.byteLength;
    if (this.#bytes > bytesMax + framingBytesMax) {
      this.onFailure(bodyTooLarge(bytesMax));
    } else if (!room.grow(this.#bytes)) {
      this.onFailure(noRoomForBody());
    } else if (this.#only === undefined) {
      this.#only = piece;
    } else {
      this.#gather(piece);
    }
  }

  onEnd(): void {
    if (this.wantsData) {
      this.#settle();
      this.#waiting?.resolve(this.#whole());
    }
  }

  onFailure(failure: TransportError): void {
    if (this.wantsData) {
      this.#settle();
      this.#only = undefined;
      this.#gathered = undefined;
      this.#failure = failure;
      this.#waiting?.reject(failure);
    }
  }

  #whole(): Uint8Array {
    return this.#gathered?.subarray(0, this.#bytes) ?? this.#only ?? NO_BODY;
  }

  #gather(piece: Uint8Array): void {
    const before = this.#bytes - piece.byteLength;
    let gathered = this.#gathered ?? this.#only ?? NO_BODY;
    if (this.#gathered === undefined || gathered.byteLength < this.#bytes) {
      const { bytesMax, framingBytesMax } = this.#bounds;
      const larger = Buffer.allocUnsafe(Math.min(bytesMax + framingBytesMax, Math.max(GATHERED_BYTES_MIN, 2 * this.#bytes)));
      larger.set(gathered.subarray(0, before));
      gathered = larger;
      this.#gathered = larger;
    }
    gathered.set(piece, before);
  }

  #settle(): void {
    this.wantsData = false;
    this.#cancelTimer?.();
    this.#bounds.room.release();
  }
}

/** Reads a body in pieces. Wants a piece while a caller waits for one. */
class PieceReader implements Reader {
  #waiting: PromiseWithResolvers<Uint8Array | undefined> | undefined;
  #hasEnded = false;
  #failure: TransportError | undefined;

  get wantsData(): boolean {
    return this.#waiting !== undefined;
  }

  /** The next piece; undefined at the end. */
  next(): Promise<Uint8Array | undefined> {
    if (this.#failure !== undefined) {
      return Promise.reject(this.#failure);
    }
    if (this.#hasEnded) {
      return Promise.resolve(undefined);
    }
    this.#waiting = Promise.withResolvers();
    return this.#waiting.promise;
  }

  onPiece(piece: Uint8Array): void {
    this.#take()?.resolve(piece);
  }

  onEnd(): void {
    this.#hasEnded = true;
    this.#take()?.resolve(undefined);
  }

  onFailure(failure: TransportError): void {
    this.#failure = failure;
    this.#take()?.reject(failure);
  }

  #take(): PromiseWithResolvers<Uint8Array | undefined> | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }
}
