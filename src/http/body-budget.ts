// Limits the memory of all request bodies that are being read. A body that does not fit is refused immediately: if it waited, it would
// block its connection and the bodies behind it. A slow body is abandoned when another one needs room.
import type { Clock } from "../runtime/clock.ts";
import { LinkedList, ListNode } from "../runtime/linked-list.ts";
import { TransportError } from "./transport-fault.ts";

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
