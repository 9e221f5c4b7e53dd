// Joins header blocks that arrive in HEADERS and CONTINUATION frames, within limits.
// https://www.rfc-editor.org/rfc/rfc9113#section-6.10
import { ConnectionError } from "./connection-error.ts";
import { COMPRESSION_ERROR, ENHANCE_YOUR_CALM, PROTOCOL_ERROR } from "./protocol.ts";

/**
 * The longest compressed block. A longer one is not decoded, which ends the connection and with it other calls, because the compression
 * tables would get out of step. It is many times what a request may have, so that one call with too much metadata fails alone.
 */
export const BLOCK_BYTES_MAX = 256 * 1024;
/** How many CONTINUATIONs a block may have: as many as the longest block has if its frames are full. */
export const CONTINUATIONS_MAX = 16;

/** The initial buffer for a block; it grows with what arrives. */
const ROOM_BYTES_MIN = 512;

/** The incomplete block of a connection; there is at most one. */
export class OpenHeaderBlock {
  readonly streamId: number;
  readonly endsStream: boolean;
  #bytes: Buffer;
  #length = 0;
  #continuations = 0;

  constructor(streamId: number, endsStream: boolean, bytes: Buffer, start: number, end: number) {
    this.streamId = streamId;
    this.endsStream = endsStream;
    this.#bytes = Buffer.allocUnsafe(Math.max(ROOM_BYTES_MIN, end - start));
    this.#append(bytes, start, end);
  }

  /** Adds a CONTINUATION. Throws a ConnectionError if it belongs to another stream or exceeds a limit. */
  add(streamId: number, bytes: Buffer, start: number, end: number): void {
    if (streamId !== this.streamId) {
      throw new ConnectionError(PROTOCOL_ERROR, "a header block was interrupted");
    }
    this.#continuations += 1;
    if (this.#continuations > CONTINUATIONS_MAX) {
      throw new ConnectionError(ENHANCE_YOUR_CALM, "a header block has too many frames");
    }
    if (this.#length + end - start > BLOCK_BYTES_MAX) {
      throw new ConnectionError(COMPRESSION_ERROR, "a header block is too long");
    }
    this.#append(bytes, start, end);
  }

  /** How many bytes of memory the block takes. */
  get heldBytes(): number {
    return this.#bytes.length;
  }

  /** The part of the block that has arrived. */
  get bytes(): Buffer {
    return this.#bytes.subarray(0, this.#length);
  }

  #append(bytes: Buffer, start: number, end: number): void {
    const length = this.#length + end - start;
    if (length > this.#bytes.length) {
      const larger = Buffer.allocUnsafe(Math.min(BLOCK_BYTES_MAX, Math.max(length, 2 * this.#bytes.length)));
      this.#bytes.copy(larger, 0, 0, this.#length);
      this.#bytes = larger;
    }
    bytes.copy(this.#bytes, this.#length, start, end);
    this.#length = length;
  }
}
