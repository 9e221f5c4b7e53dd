// How a worker thread ends without taking the process with it. Node aborts the process when a thread ends while HTTP/2 requests arrive: a
// stream that begins after the last of the JavaScript has nobody to hear its data (https://github.com/nodejs/node/issues/38418). So
// whatever ends a thread, first there is nothing left that could arrive.
import { containUncaught } from "../http/connection-scope.ts";
import type { Log } from "../runtime/log.ts";

// Errors that nobody caught, one after the other without a single answer between them, after which a thread is taken for broken: another
// in its place begins with nothing half-done.
const FAILURES_MAX = 20;

/** What an ending takes. */
export interface WorkerExitOptions {
  readonly thread: number;
  readonly log: Log;
  /** Cuts all connections, and accepts no more. */
  readonly cut: () => void;
  /** How many exchanges have been answered so far. */
  readonly answered: () => number;
}

/** A thread's end. It comes with an error that nobody has caught and that is no single connection's, or when it is called for. */
export class WorkerExit {
  readonly #cut: () => void;
  readonly #answered: () => number;
  #failures = 0;
  #answeredAtFailure = 0;
  #hasBegun = false;

  constructor({ thread, log, cut, answered }: WorkerExitOptions) {
    this.#cut = cut;
    this.#answered = answered;
    // Of a rejection that nobody handles too: Node throws it.
    process.on("uncaughtException", (error) => {
      if (!containUncaught(error, log) || this.#isBroken()) {
        log.error({ thread }, "a worker thread failed");
        this.begin();
      }
    });
  }

  // Counts a failure.
  #isBroken(): boolean {
    const answered = this.#answered();
    this.#failures = answered === this.#answeredAtFailure ? this.#failures + 1 : 1;
    this.#answeredAtFailure = answered;
    return this.#failures >= FAILURES_MAX;
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
