// The `error` events of sockets. `close` follows each of them, and is what the transport waits for. But an `error` that nobody hears ends the
// process, so every socket gets a listener as soon as it is accepted.
import type { EventEmitter } from "node:events";

const ignore = (): void => {};

/** Hears the errors of this emitter for as long as it lives. */
export function ignoreErrors(emitter: EventEmitter): void {
  emitter.on("error", ignore);
}
