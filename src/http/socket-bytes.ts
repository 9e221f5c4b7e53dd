// Reads a socket without the overhead of Node's streams. By default Node allocates 64 KiB per read, copies it and emits `data`.
// The option `onread` of `new net.Socket` reads into one buffer and calls a function instead. A server's sockets are made without
// options, so this file sets the fields that the option would set. In a version of Node with other fields, the bytes arrive through
// `data`, as they always do over TLS. See docs/decisions.md.
import type { Socket } from "node:net";

/** Takes borrowed bytes. They are overwritten after it returns, so copy what you keep. */
export type TakeBytes = (bytes: Buffer) => void;

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
