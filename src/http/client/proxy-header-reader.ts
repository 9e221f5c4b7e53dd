// Reads a PROXY protocol header from a socket and leaves everything after it unread, for TLS or HTTP.
import type { Socket } from "node:net";
import type { Clock } from "../../runtime/clock.ts";
import { PROXY_HEADER_START_BYTES, type ProxyHeaderStart, readProxyHeaderStart, readProxySource } from "./proxy-protocol.ts";

/**
 * Calls `found` once the header is complete, with the address that it names, or undefined if it names none. If the header is
 * faulty, the peer disconnects, or `timeoutMs` pass first, destroys the socket and calls `failed`.
 */
export function readProxyHeader(
  socket: Socket,
  clock: Clock,
  timeoutMs: number,
  found: (source: string | undefined) => void,
  failed: (error: Error) => void,
): void {
  let start: ProxyHeaderStart | undefined;
  const stop = (): void => {
    cancelTimer();
    socket.off("readable", onReadable);
    socket.off("end", onEnd);
    socket.off("close", onEnd);
  };
  const fail = (error: Error): void => {
    stop();
    socket.destroy();
    failed(error);
  };
  const onEnd = (): void => fail(new Error("the connection ended within its PROXY protocol header"));
  const onReadable = (): void => {
    try {
      if (start === undefined) {
        const bytes = read(socket, PROXY_HEADER_START_BYTES);
        start = bytes && readProxyHeaderStart(bytes);
      }
      const rest = start && read(socket, start.restBytes);
      if (start === undefined || rest === undefined) {
        return;
      }
      const source = readProxySource(start, rest);
      stop();
      found(source);
    } catch (error) {
      fail(error as Error);
    }
  };
  const cancelTimer = clock.after(timeoutMs, () => fail(new Error("the PROXY protocol header did not arrive in time")));
  socket.on("readable", onReadable);
  socket.on("end", onEnd);
  socket.on("close", onEnd);
}

// Reads exactly this many bytes; undefined while there are fewer. A stream that has ended returns what is left, even if that is
// less.
function read(socket: Socket, bytes: number): Buffer | undefined {
  if (bytes === 0) {
    return Buffer.alloc(0);
  }
  const taken: Buffer | null = socket.read(bytes);
  return taken === null || taken.length < bytes ? undefined : taken;
}
