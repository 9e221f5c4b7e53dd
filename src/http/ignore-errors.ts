// Handles the `error` events of sockets by ignoring them. Each is followed by `close`, which the transport acts on. But an `error`
// without a listener ends the process, so every socket gets one as soon as it is accepted.
import type { EventEmitter } from "node:events";

const ignore = (): void => {};

/** Ignores the errors of this emitter for as long as it lives. */
export function ignoreErrors(emitter: EventEmitter): void {
  emitter.on("error", ignore);
}
