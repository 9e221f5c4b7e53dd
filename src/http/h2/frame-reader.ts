// Cuts what a socket gives into frames, in one pass over each chunk and without an object for each frame.
// https://www.rfc-editor.org/rfc/rfc9113#section-4.1
import { ConnectionError } from "./connection-error.ts";
import { DATA, FRAME_BYTES_MAX, FRAME_HEAD_BYTES, FRAME_SIZE_ERROR, PREFACE, PROTOCOL_ERROR } from "./protocol.ts";

/**
 * Takes one frame, whose payload is `bytes` from `start` to `end`. The bytes are of the chunk: who keeps them copies them. Throws a
 * ConnectionError.
 */
export type TakeFrame = (type: number, flags: number, streamId: number, bytes: Buffer, start: number, end: number) => void;

/** The first room for a frame that has not come whole. It grows with what comes, so that a promise of much costs little. */
const PARTIAL_BYTES_MIN = 512;

/** Where a frame's head has its type. */
const TYPE_AT = 3;

/** Reads one connection's frames, behind the preface. */
export class FrameReader {
  readonly #take: TakeFrame;
  #prefaceBytes = 0;
  // A frame of which a part has come: its first `#partialBytes` bytes, head and all.
  #partial: Buffer | undefined;
  #partialBytes = 0;
  // Those that have come whole.
  #frames = 0;

  constructor(take: TakeFrame) {
    this.#take = take;
  }

  /**
   * The number of the frame that has begun and not come whole, the first with the preface; undefined where there is none. Not one of DATA, which
   * has the time of its body.
   */
  get unfinished(): number | undefined {
    const partial = this.#partial;
    const isAwaited = partial === undefined ? this.#frames === 0 : this.#partialBytes <= TYPE_AT || partial[TYPE_AT] !== DATA;
    return isAwaited ? this.#frames : undefined;
  }

  /** Reads a chunk. Throws a ConnectionError, and what its frames throw. */
  read(chunk: Buffer): void {
    let at = this.#prefaceBytes < PREFACE.length ? this.#readPreface(chunk) : 0;
    if (this.#partial !== undefined) {
      at = this.#complete(chunk, at);
    }
    while (chunk.length - at >= FRAME_HEAD_BYTES) {
      const end = at + frameBytes(chunk, at);
      if (end > chunk.length) {
        break;
      }
      this.#takeAt(chunk, at, end);
      at = end;
    }
    if (at < chunk.length && this.#partial === undefined) {
      this.#partial = Buffer.allocUnsafe(PARTIAL_BYTES_MIN);
      this.#append(chunk, at, chunk.length);
    }
  }

  #readPreface(chunk: Buffer): number {
    const bytes = Math.min(PREFACE.length - this.#prefaceBytes, chunk.length);
    if (chunk.compare(PREFACE, this.#prefaceBytes, this.#prefaceBytes + bytes, 0, bytes) !== 0) {
      throw new ConnectionError(PROTOCOL_ERROR, "the connection does not begin with HTTP/2's preface");
    }
    this.#prefaceBytes += bytes;
    return bytes;
  }

  /** Goes on with the frame that has come in part, and gives where it ends in the chunk. */
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
    // The first bit is reserved, and ignored.
    this.#take(type, flags, readUint31(bytes, at + 5), bytes, at + FRAME_HEAD_BYTES, end);
  }
}

/** The bytes of the frame whose head is at `at`. */
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
