// How long an HTTP/1.1 connection may stay without a request. Node closes one on which nothing comes; but any byte sets its timer anew, and
// its time for headers begins with the first that is not blank, so that a blank line now and then would keep a connection for ever.
import type { Socket } from "node:net";
import type { ListenerContext } from "../listener-context.ts";
import type { Http1Connection } from "./h1-faults.ts";

/** Closes a connection that stays without a request for longer than it may, whatever comes on it. */
export function watchIdleness(socket: Socket, connection: Http1Connection, { clock, limits }: ListenerContext): void {
  // A head that begins to come at the last moment has its own time, which Node holds within half of it.
  const idleMsMax = limits.idleTimeoutMs + 2 * limits.headerTimeoutMs;
  // One timer a connection, set again rather than moved with every request.
  const watch = (delayMs: number): (() => void) =>
    clock.after(delayMs, () => {
      const quietMs = connection.inFlight > 0 ? 0 : clock.monotonicMs() - connection.quietSinceMs;
      if (quietMs < idleMsMax) {
        cancelWatch = watch(idleMsMax - quietMs);
      } else {
        socket.destroy();
      }
    });
  let cancelWatch = watch(idleMsMax);
  socket.once("close", () => cancelWatch());
}
