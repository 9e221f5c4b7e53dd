// Tells HTTP/1.1 from HTTP/2 with prior knowledge by a connection's first bytes: HTTP/2's begin with `PRI `, which is no method of
// HTTP/1.1. They may arrive one by one, or never. https://www.rfc-editor.org/rfc/rfc9113#section-3.4
import type { Socket } from "node:net";
import type { Clock } from "../runtime/clock.ts";

const PREFACE = Buffer.from("PRI ");

/** Which of the two a connection speaks. */
export type HttpVersion = 1 | 2;

/**
 * Calls `found` once the version is clear, with the bytes that were read for it. The socket is paused then, and `found` has to hand those bytes
 * on. A connection whose version is not clear within `timeoutMs`, or that ends before, is destroyed.
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
