// How a worker thread ends without taking the process with it. Node aborts the process when a thread ends while HTTP/2 requests arrive: a
// stream that begins after the last of the JavaScript has nobody to hear its data (https://github.com/nodejs/node/issues/38418). So
// whatever ends a thread, first there is nothing left that could arrive.
import type { Log } from "../log.ts";

/** What an ending takes. */
export interface ThreadEndOptions {
  readonly thread: number;
  readonly log: Log;
  /** Cuts all connections, and accepts no more. */
  readonly cut: () => void;
}

/** A thread's end. It comes with the first error that nobody has caught, or when it is called for. */
export class ThreadEnd {
  readonly #cut: () => void;
  #hasBegun = false;

  constructor({ thread, log, cut }: ThreadEndOptions) {
    this.#cut = cut;
    // Of a rejection that nobody handles too: Node throws it.
    process.on("uncaughtException", (error) => {
      log.error({ err: error, thread }, "a worker thread failed");
      this.begin();
    });
  }

  /** Cuts everything, and ends the thread a moment later. */
  begin(): void {
    if (this.#hasBegun) {
      return;
    }
    this.#hasBegun = true;
    // Not at once: whoever is here may have been called in the midst of what is being read. The handles of what is cut are closed when
    // the loop has gone round.
    setImmediate(() => {
      this.#cut();
      setImmediate(() => setImmediate(() => process.exit()));
    });
  }
}
