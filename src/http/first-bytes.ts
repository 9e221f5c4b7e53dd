// Tells HTTP/1.1 from HTTP/2 with prior knowledge by the first bytes of a connection: HTTP/2 begins with `PRI `, which is not an HTTP/1.1
// method. The bytes may arrive one at a time, or never. https://www.rfc-editor.org/rfc/rfc9113#section-3.4
import type { Socket } from "node:net";
import type { Clock } from "../runtime/clock.ts";

const PREFACE = Buffer.from("PRI ");

/** The HTTP version that a connection speaks. */
export type HttpVersion = 1 | 2;

/**
 * Calls `found` with the version and the bytes read so far. The socket is then paused, and `found` must pass those bytes on.
 * Destroys a connection that ends before its version is known, or whose version is not known within `timeoutMs`.
 */
export function watchFirstBytes(
  socket: Socket,
  clock: Clock,
  timeoutMs: number,
  found: (version: HttpVersion, seen: Buffer) => void,
): void {
  let seen: Buffer | undefined;
  const destroy = (): void => {
    socket.destroy();
  };
  const stop = (): void => {
    cancelTimer();
    socket.off("data", onData);
    socket.off("end", destroy);
    socket.off("error", destroy);
    socket.off("close", stop);
  };
  const onData = (chunk: Buffer): void => {
    seen = seen === undefined ? chunk : Buffer.concat([seen, chunk]);
    const compared = Math.min(seen.byteLength, PREFACE.byteLength);
    const isPreface = seen.compare(PREFACE, 0, compared, 0, compared) === 0;
    if (isPreface && compared < PREFACE.byteLength) {
      return;
    }
    stop();
    socket.pause();
    found(isPreface ? 2 : 1, seen);
  };
  const cancelTimer = clock.after(timeoutMs, destroy);
  socket.on("data", onData);
  socket.on("end", destroy);
  socket.on("error", destroy);
  socket.on("close", stop);
}
