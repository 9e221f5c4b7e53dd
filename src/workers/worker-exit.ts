// Ends a worker thread without ending the process. Whatever ends a thread, its connections are closed first, so that no input reaches code
// that no longer runs.
import { containUncaught } from "@quintet/http";
import type { Log } from "../runtime/log.ts";

// After this many uncaught errors without a single response in between, a thread counts as broken and is replaced.
const FAILURES_MAX = 20;

interface WorkerExitOptions {
  readonly thread: number;
  readonly log: Log;
  /** Cuts all connections, and accepts no more. */
  readonly disconnect: () => void;
  /** How many responses have been sent so far. */
  readonly responded: () => number;
}

/** Ends the thread: after an uncaught error that is not a single connection's, or when `begin` is called. */
export class WorkerExit {
  readonly #disconnect: () => void;
  readonly #responded: () => number;
  #failures = 0;
  #respondedAtFailure = 0;
  #hasStarted = false;

  constructor({ thread, log, disconnect, responded }: WorkerExitOptions) {
    this.#disconnect = disconnect;
    this.#responded = responded;
    // This includes unhandled rejections: Node throws them.
    process.on("uncaughtException", (error) => {
      if (!containUncaught(error, log) || this.#isBroken()) {
        log.error({ thread }, "a worker thread failed");
        this.begin();
      }
    });
  }

  // Counts a failure. True if there were too many.
  #isBroken(): boolean {
    const responded = this.#responded();
    this.#failures = responded === this.#respondedAtFailure ? this.#failures + 1 : 1;
    this.#respondedAtFailure = responded;
    return this.#failures >= FAILURES_MAX;
  }

  /** Cuts all connections and ends the thread a moment later. */
  begin(): void {
    if (this.#hasStarted) {
      return;
    }
    this.#hasStarted = true;
    // Not immediately: this may be called while a connection is being read. The handles of cut connections are closed one turn of the event
    // loop later.
    setImmediate(() => {
      this.#disconnect();
      setImmediate(() => setImmediate(() => process.exit()));
    });
  }
}
