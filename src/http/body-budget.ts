// How much of the bodies that are being read may be in memory at the same time, for all callers together. A body that does not fit is refused at once:
// a body that waits for room would hold a connection, and so would those behind it. Bodies that are kept back make way for others.

import type { Clock } from "../runtime/clock.ts";
import { TransportError } from "./transport-fault.ts";

const RETRY_MS = 1000;
/**
 * What a body of unknown length is given room for before any of it is there; the rest as it comes. HTTP/2 gives no larger window
 * before: it is one frame of the usual size, which some peers send without a look at the window.
 */
export const FIRST_BODY_BYTES = 16 * 1024;

/** There is no room for a body. */
export const noRoomForBody = (): TransportError =>
  new TransportError({
    reason: "SERVER_BUSY",
    message: "The server is reading as many request bodies as it may at the moment; retry in 1 s.",
    retryAfterMs: RETRY_MS,
  });

/** The room of one body. */
export class BodyRoom {
  /** Ends the reading for another body's sake, and releases the room. The reader sets it. */
  giveUp: () => void = () => this.release();
  readonly #budget: BodyBudget;
  #bytes = 0;

  constructor(budget: BodyBudget) {
    this.#budget = budget;
  }

  /** Makes it this large where it is smaller. False, and nothing is changed, where that does not fit. */
  grow(bytes: number): boolean {
    const isRoom = bytes <= this.#bytes || this.#budget.take(this, this.#bytes, bytes);
    this.#bytes = isRoom ? Math.max(bytes, this.#bytes) : this.#bytes;
    return isRoom;
  }

  /** Gives all of it back. */
  release(): void {
    this.#budget.giveBack(this, this.#bytes);
    this.#bytes = 0;
  }
}

/** What a budget works with. */
export interface BodyBudgetOptions {
  readonly clock: Pick<Clock, "monotonicMs">;
  /**
   * How long a body may have been coming before it is given up where another has no room. The one that has been coming for longest goes
   * first: those who are quick are served although others keep theirs back on purpose.
   */
  readonly makesWayAfterMs: number;
}

/** A budget. */
export class BodyBudget {
  readonly #bytesMax: number;
  readonly #clock: Pick<Clock, "monotonicMs">;
  readonly #makesWayAfterMs: number;
  // When each was made, in this order.
  readonly #rooms = new Map<BodyRoom, number>();
  #usedBytes = 0;

  constructor(bytesMax: number, { clock, makesWayAfterMs }: BodyBudgetOptions) {
    this.#bytesMax = bytesMax;
    this.#clock = clock;
    this.#makesWayAfterMs = makesWayAfterMs;
  }

  /** Bytes that bodies have room for at the moment. */
  get usedBytes(): number {
    return this.#usedBytes;
  }

  /** Makes room; undefined where there is none. Alone, a body has room however large it is. */
  reserve(bytes: number): BodyRoom | undefined {
    const room = new BodyRoom(this);
    return room.grow(bytes) ? room : undefined;
  }

  /** Lets a room grow. False, and nothing is changed, where that does not fit. */
  take(room: BodyRoom, from: number, to: number): boolean {
    const nowMs = this.#clock.monotonicMs();
    while (this.#usedBytes > from && this.#usedBytes - from + to > this.#bytesMax) {
      const [oldest, madeAtMs] = this.#rooms.entries().next().value ?? [];
      if (oldest === undefined || oldest === room || nowMs - (madeAtMs ?? nowMs) < this.#makesWayAfterMs) {
        return false;
      }
      this.#rooms.delete(oldest);
      oldest.giveUp();
    }
    if (!this.#rooms.has(room)) {
      this.#rooms.set(room, nowMs);
    }
    this.#usedBytes += to - from;
    return true;
  }

  /** Takes a room back. */
  giveBack(room: BodyRoom, bytes: number): void {
    this.#rooms.delete(room);
    this.#usedBytes -= bytes;
  }
}

/** The pieces of a body as they come, as long as there is room for them together. Throws the TransportError of a body that has none. */
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
