// The `error` events of sockets, sessions, requests, answers and streams. `close` follows each, and is what the code here waits for; but an
// `error` that nobody hears ends the process. Node takes its own listeners away at times: from a socket after CONNECT, and from a
// request whose reading was broken off.
import type { EventEmitter } from "node:events";

const ignore = (): void => {};

/** Hears the errors of this emitter for as long as it lives. */
export function ignoreErrors(emitter: EventEmitter): void {
  emitter.on("error", ignore);
}
