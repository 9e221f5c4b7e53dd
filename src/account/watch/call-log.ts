// Writes the calls that workers have selected to the call log. A process has one, next to its store. It runs one statement at a
// time; calls that arrive in the meantime wait for the next one, up to a bound. Nobody waits for the log, and calls are dropped if the
// store does not accept them.
import type { Log } from "../../runtime/log.ts";
import type { Store } from "../../store/store.ts";
import type { LoggedCall } from "../../store/usage-records.ts";

const CALLS_PER_STATEMENT_MAX = 500;
const WAITING_MAX = 20_000;

interface CallLogOptions {
  readonly store: Pick<Store, "logCalls">;
  readonly log: Log;
}

export class CallLog {
  readonly #options: CallLogOptions;
  #waiting: LoggedCall[] = [];
  #inProgress: Promise<void> | undefined;
  // Whether the last attempt failed, which is logged once.
  #isFailing = false;
  #dropped = 0;

  constructor(options: CallLogOptions) {
    this.#options = options;
  }

  /** How many calls were dropped since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  add(calls: readonly LoggedCall[]): void {
    const kept = calls.slice(0, WAITING_MAX - this.#waiting.length);
    this.#dropped += calls.length - kept.length;
    this.#waiting.push(...kept);
    this.#inProgress ??= this.#writeAll();
  }

  /** Resolves once everything is written or dropped. Never rejects. */
  async close(): Promise<void> {
    await this.#inProgress;
  }

  async #writeAll(): Promise<void> {
    while (this.#waiting.length > 0) {
      const calls = this.#waiting.slice(0, CALLS_PER_STATEMENT_MAX);
      this.#waiting = this.#waiting.slice(CALLS_PER_STATEMENT_MAX);
      try {
        await this.#options.store.logCalls(calls);
        this.#isFailing = false;
      } catch (error) {
        if (!this.#isFailing) {
          this.#options.log.warn({ err: error }, "Calls cannot be written to the call log; they are left out of it");
        }
        this.#isFailing = true;
        this.#dropped += calls.length;
      }
    }
    this.#inProgress = undefined;
  }
}
