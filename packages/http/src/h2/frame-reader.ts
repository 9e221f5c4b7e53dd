// Splits a socket's bytes into frames, in one pass over each chunk and without an object per frame.
// https://www.rfc-editor.org/rfc/rfc9113#section-4.1
import type { TurnBudget } from "../turn-budget.ts";
import { ConnectionError } from "./connection-error.ts";
import { DATA, FRAME_BYTES_MAX, FRAME_HEAD_BYTES, FRAME_SIZE_ERROR, PREFACE, PROTOCOL_ERROR } from "./protocol.ts";

/**
 * Takes one frame, with its payload in `bytes` from `start` to `end`. The bytes belong to the chunk: copy what you keep. Throws a
 * ConnectionError.
 */
export type TakeFrame = (type: number, flags: number, streamId: number, bytes: Buffer, start: number, end: number) => void;

/** The initial buffer for an incomplete frame. It grows with what arrives, so that announcing a large frame costs us little. */
const PARTIAL_BYTES_MIN = 512;

/** How many frames are taken before the clock is checked. */
const FRAMES_UNTIMED = 8;

/** The offset of the type in a frame's head. */
const TYPE_AT = 3;

/** Reads one connection's frames, after the preface. */
export class FrameReader {
  readonly #take: TakeFrame;
  readonly #turns: Pick<TurnBudget, "isSliceOver">;
  #prefaceBytes = 0;
  // The first `#partialBytes` bytes of an incomplete frame, including its head.
  #partial: Buffer | undefined;
  #partialBytes = 0;
  // The number of complete frames.
  #frames = 0;

  constructor(take: TakeFrame, turns: Pick<TurnBudget, "isSliceOver">) {
    this.#take = take;
    this.#turns = turns;
  }

  /** How many bytes of memory the incomplete frame takes. */
  get heldBytes(): number {
    return this.#partial?.length ?? 0;
  }

  /**
   * The number of the incomplete frame, counting the preface as part of the first; undefined if there is none. DATA frames are
   * excluded: their body has its own timeout.
   */
  get unfinished(): number | undefined {
    const partial = this.#partial;
    const isAwaited = partial === undefined ? this.#frames === 0 : this.#partialBytes <= TYPE_AT || partial[TYPE_AT] !== DATA;
    return isAwaited ? this.#frames : undefined;
  }

  /**
   * Reads a chunk as far as the connection's slice allows. Returns where the rest begins. Throws a ConnectionError, and whatever
   * the frames throw.
   */
  read(chunk: Buffer): number {
    let at = this.#prefaceBytes < PREFACE.length ? this.#readPreface(chunk) : 0;
    if (this.#partial !== undefined) {
      at = this.#complete(chunk, at);
    }
    for (let frames = 1; chunk.length - at >= FRAME_HEAD_BYTES; frames += 1) {
      const end = at + frameBytes(chunk, at);
      if (end > chunk.length) {
        break;
      }
      this.#takeAt(chunk, at, end);
      at = end;
      if (frames % FRAMES_UNTIMED === 0 && this.#turns.isSliceOver) {
        return at;
      }
    }
    if (at < chunk.length && this.#partial === undefined) {
      this.#partial = Buffer.allocUnsafe(PARTIAL_BYTES_MIN);
      this.#append(chunk, at, chunk.length);
    }
    return chunk.length;
  }

  #readPreface(chunk: Buffer): number {
    const bytes = Math.min(PREFACE.length - this.#prefaceBytes, chunk.length);
    if (chunk.compare(PREFACE, this.#prefaceBytes, this.#prefaceBytes + bytes, 0, bytes) !== 0) {
      throw new ConnectionError(PROTOCOL_ERROR, "the connection does not begin with HTTP/2's preface");
    }
    this.#prefaceBytes += bytes;
    return bytes;
  }

  /** Continues the incomplete frame. Returns where in the chunk it ends. */
  #complete(chunk: Buffer, from: number): number {
    let at = from;
    if (this.#partialBytes < FRAME_HEAD_BYTES) {
      const headEnd = Math.min(chunk.length, at + FRAME_HEAD_BYTES - this.#partialBytes);
      this.#append(chunk, at, headEnd);
      at = headEnd;
      if (this.#partialBytes < FRAME_HEAD_BYTES) {
        return at;
      }
    }
    const bytes = frameBytes(this.#partial as Buffer, 0);
    const end = Math.min(chunk.length, at + bytes - this.#partialBytes);
    this.#append(chunk, at, end);
    if (this.#partialBytes === bytes) {
      const frame = this.#partial as Buffer;
      this.#partial = undefined;
      this.#partialBytes = 0;
      this.#takeAt(frame, 0, bytes);
    }
    return end;
  }

  #append(chunk: Buffer, from: number, to: number): void {
    let partial = this.#partial as Buffer;
    const bytes = this.#partialBytes + to - from;
    if (bytes > partial.length) {
      const larger = Buffer.allocUnsafe(Math.max(bytes, 2 * partial.length));
      partial.copy(larger, 0, 0, this.#partialBytes);
      partial = larger;
      this.#partial = partial;
    }
    chunk.copy(partial, this.#partialBytes, from, to);
    this.#partialBytes = bytes;
  }

  #takeAt(bytes: Buffer, at: number, end: number): void {
    this.#frames += 1;
    const type = bytes[at + TYPE_AT] as number;
    const flags = bytes[at + 4] as number;
    // The first bit is reserved and ignored.
    this.#take(type, flags, readUint31(bytes, at + 5), bytes, at + FRAME_HEAD_BYTES, end);
  }
}

/** The length in bytes of the frame whose head is at `at`. */
function frameBytes(bytes: Buffer, at: number): number {
  const length = ((bytes[at] as number) << 16) | ((bytes[at + 1] as number) << 8) | (bytes[at + 2] as number);
  if (length > FRAME_BYTES_MAX) {
    throw new ConnectionError(FRAME_SIZE_ERROR, `a frame is longer than ${FRAME_BYTES_MAX} bytes`);
  }
  return FRAME_HEAD_BYTES + length;
}

/** The number in four bytes without the first bit. */
export function readUint31(bytes: Buffer, at: number): number {
  return (
    (((bytes[at] as number) & 0x7f) << 24) |
    ((bytes[at + 1] as number) << 16) |
    ((bytes[at + 2] as number) << 8) |
    (bytes[at + 3] as number)
  );
}
