// What comes in on a socket. For each read Node sets 64 KiB aside, makes a buffer of what has come, and takes it through the bookkeeping of a
// stream, to a `data` event. The option `onread` of `new net.Socket` spares all of that: everything is read into one buffer, which is handed to a
// callback. That is 1.2 of the 9 µs that a bare socket takes to read a request and to answer it. But a server makes the sockets that it
// accepts without options, so what the option sets is set here afterwards. Where a version of Node has it elsewhere, or not at all, the bytes
// come by `data`, as they always do over TLS.
import type { Socket } from "node:net";

/** Takes bytes that are lent: they are overwritten once it returns, so who keeps some of them copies them. */
export type TakeBytes = (bytes: Buffer) => void;

/** Where a socket keeps the two halves of `onread`, and what tells the system. */
interface OnRead {
  readonly buffer: symbol;
  readonly callback: symbol;
}
type SocketInternals = Record<symbol, unknown> & { readonly _handle?: { useUserBuffer?(buffer: Buffer): void } | null };

// As much as Node reads at a time. All sockets of a thread share it, since none is read while another one's bytes are taken.
const lent = Buffer.allocUnsafeSlow(64 * 1024);
// Its first bytes, by their number: a view takes longer to make than to find, and most requests are as long as one before.
const views: Buffer[] = [];
const VIEWS_MAX = 1000;
/** A copy of so few bytes has no memory of its own. */
const POOLED_BYTES_MAX = 4 * 1024;

/** Has all that comes in on a socket taken, as long as it is not paused. */
export function takeBytes(socket: Socket, take: TakeBytes): void {
  socket.on("data", take);
  const internals = socket as unknown as SocketInternals;
  const onRead = onReadOf(internals);
  // What has been read already still comes by `data`, and must not be overtaken. Over TLS one callback may run within another.
  if (onRead !== undefined && socket.readableLength === 0 && !("encrypted" in socket)) {
    internals[onRead.buffer] = lent;
    internals[onRead.callback] = (bytes: number): boolean => {
      take(lentBytes(bytes));
      // What the stream has still to do about earlier `data` may start the reading of a paused socket again: not for more than this once.
      return !socket.isPaused();
    };
    internals._handle?.useUserBuffer?.(lent);
  }
}

/** A copy of lent bytes. */
export function copyOf(bytes: Buffer, start: number, end: number): Buffer {
  const length = end - start;
  const copy = length > POOLED_BYTES_MAX ? Buffer.allocUnsafeSlow(length) : Buffer.allocUnsafe(length);
  bytes.copy(copy, 0, start, end);
  return copy;
}

function lentBytes(bytes: number): Buffer {
  if (bytes >= VIEWS_MAX) {
    return lent.subarray(0, bytes);
  }
  views[bytes] ??= lent.subarray(0, bytes);
  return views[bytes];
}

// The same in all sockets.
let places: OnRead | undefined;

function onReadOf(socket: SocketInternals): OnRead | undefined {
  places ??= placesIn(Object.getOwnPropertySymbols(socket));
  const isKnown = places !== undefined && places.buffer in socket && typeof socket._handle?.useUserBuffer === "function";
  return isKnown ? places : undefined;
}

function placesIn(symbols: readonly symbol[]): OnRead | undefined {
  const buffer = symbols.find(({ description }) => description === "kBuffer");
  const callback = symbols.find(({ description }) => description === "kBufferCb");
  return buffer === undefined || callback === undefined ? undefined : { buffer, callback };
}
