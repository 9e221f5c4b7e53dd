// Writes frames, and passes everything written in a turn to the socket at once. https://www.rfc-editor.org/rfc/rfc9113#section-4.1
import type { Socket } from "node:net";
import {
  ACK,
  CONTINUATION,
  DATA,
  END_HEADERS,
  END_STREAM,
  FRAME_BYTES_MAX,
  FRAME_HEAD_BYTES,
  GOAWAY,
  HEADERS,
  PING,
  RST_STREAM,
  SETTINGS,
  WINDOW_UPDATE,
} from "./protocol.ts";

/** Enough for what one connection sends in a turn, except long bodies, which are passed on without copying. */
const OUTPUT_BUFFER_BYTES = 16 * 1024;
const FREE_MAX = 64;

const free: Buffer[] = [];

/** A buffer of `OUTPUT_BUFFER_BYTES`. */
function takeOutputBuffer(): Buffer {
  return free.pop() ?? Buffer.allocUnsafeSlow(OUTPUT_BUFFER_BYTES);
}

/** Returns a buffer that is no longer in use. */
function releaseOutputBuffer(buffer: Buffer): void {
  if (free.length < FREE_MAX) {
    free.push(buffer);
  }
}

/** A payload up to this length is copied into the buffer with the frames around it. A longer one is passed on without copying. */
const COPIED_BYTES_MAX = 4 * 1024;

/** Writes one connection's frames. */
export class FrameWriter {
  readonly #socket: Socket;
  // A TLS socket keeps a reference to the bytes for a while, so it gets its own copy.
  readonly #isSecure: boolean;
  #buffer: Buffer | undefined;
  // How much of the buffer is already in `#chunks`, and where writing continues.
  #start = 0;
  #at = 0;
  #chunks: Uint8Array[] | undefined;
  #chunkBytes = 0;

  constructor(socket: Socket) {
    this.#socket = socket;
    this.#isSecure = "encrypted" in socket;
  }

  /** Bytes written and not yet passed to the socket. */
  get pendingBytes(): number {
    return this.#chunkBytes + this.#at - this.#start;
  }

  /** Passes everything written to the socket. Drops it if our side has ended: another write would interrupt what is being sent. */
  flush(): void {
    const buffer = this.#buffer;
    if (buffer === undefined) {
      return;
    }
    const socket = this.#socket;
    if (!socket.writable) {
      this.#buffer = undefined;
      this.#chunks = undefined;
      this.#chunkBytes = 0;
      this.#start = 0;
      this.#at = 0;
      return;
    }
    const chunks = this.#chunks;
    const last = buffer.subarray(this.#start, this.#at);
    if (chunks === undefined) {
      socket.write(this.#isSecure ? Buffer.from(last) : last);
    } else {
      this.#chunks = undefined;
      this.#chunkBytes = 0;
      socket.cork();
      for (const chunk of chunks) {
        socket.write(chunk);
      }
      if (last.length > 0) {
        socket.write(last);
      }
      socket.uncork();
    }
    this.#buffer = undefined;
    this.#start = 0;
    this.#at = 0;
    const isFree = socket.writableLength === 0 || (this.#isSecure && chunks === undefined);
    if (isFree && buffer.length === OUTPUT_BUFFER_BYTES) {
      releaseOutputBuffer(buffer);
    }
  }

  /** A buffer with room for this many bytes from `at` on. They count once `commit` is called. */
  reserve(bytes: number): Buffer {
    let buffer = this.#buffer;
    if (buffer === undefined) {
      buffer = bytes > OUTPUT_BUFFER_BYTES ? Buffer.allocUnsafe(bytes) : takeOutputBuffer();
      this.#buffer = buffer;
    } else if (bytes > buffer.length - this.#at) {
      this.#setAside();
      buffer = bytes > OUTPUT_BUFFER_BYTES ? Buffer.allocUnsafe(bytes) : takeOutputBuffer();
      this.#buffer = buffer;
      this.#start = 0;
      this.#at = 0;
    }
    return buffer;
  }

  /** Where the reserved room begins. */
  get at(): number {
    return this.#at;
  }

  /** Sets where the bytes end that were written into the reserved room. */
  commit(end: number): void {
    this.#at = end;
  }

  settings(pairs: readonly (readonly [id: number, value: number])[]): void {
    const buffer = this.reserve(FRAME_HEAD_BYTES + 6 * pairs.length);
    let at = writeHead(buffer, this.#at, 6 * pairs.length, SETTINGS, 0, 0);
    for (const [id, value] of pairs) {
      at = buffer.writeUInt16BE(id, at);
      at = buffer.writeUInt32BE(value, at);
    }
    this.#at = at;
  }

  settingsAck(): void {
    this.#at = writeHead(this.reserve(FRAME_HEAD_BYTES), this.#at, 0, SETTINGS, ACK, 0);
  }

  /** A ping, or the response to one, with the eight bytes of `payload` from `start`. */
  ping(isAck: boolean, payload: Buffer, start: number): void {
    const buffer = this.reserve(FRAME_HEAD_BYTES + 8);
    const at = writeHead(buffer, this.#at, 8, PING, isAck ? ACK : 0, 0);
    payload.copy(buffer, at, start, start + 8);
    this.#at = at + 8;
  }

  goaway(lastStreamId: number, code: number, text: string): void {
    const debug = Buffer.from(text);
    const buffer = this.reserve(FRAME_HEAD_BYTES + 8 + debug.length);
    let at = writeHead(buffer, this.#at, 8 + debug.length, GOAWAY, 0, 0);
    at = writeUint32(buffer, at, lastStreamId);
    at = writeUint32(buffer, at, code);
    this.#at = at + debug.copy(buffer, at);
  }

  windowUpdate(streamId: number, bytes: number): void {
    const buffer = this.reserve(FRAME_HEAD_BYTES + 4);
    this.#at = writeUint32(buffer, writeHead(buffer, this.#at, 4, WINDOW_UPDATE, 0, streamId), bytes);
  }

  reset(streamId: number, code: number): void {
    const buffer = this.reserve(FRAME_HEAD_BYTES + 4);
    this.#at = writeUint32(buffer, writeHead(buffer, this.#at, 4, RST_STREAM, 0, streamId), code);
  }

  /**
   * A DATA frame of at most `FRAME_BYTES_MAX` bytes: `bytes` from `start` to `end`, which the caller must not change afterwards.
   */
  data(streamId: number, bytes: Uint8Array, start: number, end: number, isLast: boolean): void {
    const length = end - start;
    const isCopied = length <= COPIED_BYTES_MAX;
    const buffer = this.reserve(FRAME_HEAD_BYTES + (isCopied ? length : 0));
    const at = writeHead(buffer, this.#at, length, DATA, isLast ? END_STREAM : 0, streamId);
    if (isCopied) {
      for (let i = 0; i < length; i++) {
        buffer[at + i] = bytes[start + i] as number;
      }
      this.#at = at + length;
    } else {
      this.#at = at;
      this.#setAside();
      (this.#chunks as Uint8Array[]).push(bytes.subarray(start, end));
      this.#chunkBytes += length;
    }
  }

  /**
   * Builds HEADERS, and CONTINUATIONs if needed, for the block written into `buffer` from `blockAt` to `end`. The caller has left
   * `headBytes(end - blockAt)` bytes free for the frame heads; nine of them precede the block.
   */
  headers(streamId: number, buffer: Buffer, blockAt: number, end: number, isLast: boolean): void {
    const endStream = isLast ? END_STREAM : 0;
    const length = end - blockAt;
    if (length <= FRAME_BYTES_MAX) {
      writeHead(buffer, blockAt - FRAME_HEAD_BYTES, length, HEADERS, endStream | END_HEADERS, streamId);
      this.#at = end;
      return;
    }
    const block = Buffer.from(buffer.subarray(blockAt, end));
    for (let from = 0; from < length; from += FRAME_BYTES_MAX) {
      const to = Math.min(length, from + FRAME_BYTES_MAX);
      const into = this.reserve(FRAME_HEAD_BYTES + to - from);
      const type = from === 0 ? HEADERS : CONTINUATION;
      const flags = (from === 0 ? endStream : 0) | (to === length ? END_HEADERS : 0);
      const at = writeHead(into, this.#at, to - from, type, flags, streamId);
      this.#at = at + block.copy(into, at, from, to);
    }
  }

  #setAside(): void {
    this.#chunks ??= [];
    if (this.#at > this.#start) {
      const written = (this.#buffer as Buffer).subarray(this.#start, this.#at);
      this.#chunks.push(written);
      this.#chunkBytes += written.length;
      this.#start = this.#at;
    }
  }
}

function writeHead(into: Buffer, at: number, length: number, type: number, flags: number, streamId: number): number {
  into[at] = length >>> 16;
  into[at + 1] = length >>> 8;
  into[at + 2] = length;
  into[at + 3] = type;
  into[at + 4] = flags;
  return writeUint32(into, at + 5, streamId);
}

function writeUint32(into: Buffer, at: number, value: number): number {
  into[at] = value >>> 24;
  into[at + 1] = value >>> 16;
  into[at + 2] = value >>> 8;
  into[at + 3] = value;
  return at + 4;
}
