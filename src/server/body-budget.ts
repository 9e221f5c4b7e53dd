// How much of the bodies that are being read may be in memory at the same time, whoever sends them. What does not fit is refused at once:
// a body that waits for room would hold a connection, and so would those behind it.
import { Failure } from "../problem/problem.ts";

const RETRY_MS = 1000;
/** What a body of unknown length is given room for before any of it is there; the rest as it comes. HTTP/2 gives no larger window before. */
export const FIRST_BODY_BYTES = 8 * 1024;

/** There is no room for a body. */
export const noRoomForBody = (): Failure =>
  new Failure({
    reason: "SERVER_BUSY",
    message: "The server is reading as many request bodies as it may at the moment; retry in 1 s.",
    retryAfterMs: RETRY_MS,
  });

/** The room of one body. */
export class BodyRoom {
  /** Ends the reading for another body's sake, and releases the room. Whoever reads sets it. */
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

/** A budget. */
export class BodyBudget {
  readonly #bytesMax: number;
  readonly #oldestMakesWay: boolean;
  // In the order in which they were made.
  readonly #rooms = new Set<BodyRoom>();
  #usedBytes = 0;

  /**
   * With `oldestMakesWay` the body that has been coming for longest is given up where another has no room: those who are quick are served
   * although others keep theirs back on purpose.
   */
  constructor(bytesMax: number, { oldestMakesWay }: { readonly oldestMakesWay: boolean }) {
    this.#bytesMax = bytesMax;
    this.#oldestMakesWay = oldestMakesWay;
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
    while (this.#usedBytes > from && this.#usedBytes - from + to > this.#bytesMax) {
      const [oldest] = this.#rooms;
      if (!this.#oldestMakesWay || oldest === undefined || oldest === room) {
        return false;
      }
      this.#rooms.delete(oldest);
      oldest.giveUp();
    }
    this.#rooms.add(room);
    this.#usedBytes += to - from;
    return true;
  }

  /** Takes a room back. */
  giveBack(room: BodyRoom, bytes: number): void {
    this.#rooms.delete(room);
    this.#usedBytes -= bytes;
  }
}

/** The pieces of a body as they come, as long as there is room for them together. Throws the Failure of a body that has none. */
export async function* withinRoom(chunks: AsyncIterable<Uint8Array>, room: BodyRoom): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  try {
    for await (const chunk of chunks) {
      bytes += chunk.byteLength;
      if (!room.grow(bytes)) {
        throw noRoomForBody();
      }
      yield chunk;
    }
  } finally {
    room.release();
  }
}
