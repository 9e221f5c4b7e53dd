// How long this server may use what it remembers of keys and plans: until some time after the database last answered. A key may have been
// revoked since.
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import type { NodeStatus } from "../node-status.ts";

/** What it works with. */
export interface FreshnessOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Where those who admit calls look. */
  readonly status: NodeStatus;
  /** How long what is remembered may be used without an answer of the database. */
  readonly staleAfterMs: number;
}

/** The time until which what is remembered may be used. */
export class Freshness {
  readonly #options: FreshnessOptions;
  #cancelWarning = (): void => {};
  #isClosed = false;

  constructor(options: FreshnessOptions) {
    this.#options = options;
  }

  /** The database has answered a question that was sent at this time, on the monotonic clock. */
  answered(sentAtMs: number): void {
    const { clock, log, status, staleAfterMs } = this.#options;
    this.#cancelWarning();
    if (this.#isClosed) {
      return;
    }
    const untilMs = sentAtMs + staleAfterMs;
    status.setFreshUntil(untilMs);
    this.#cancelWarning = clock.after(Math.max(0, untilMs - clock.monotonicMs()), () => {
      log.error({ stale_after_ms: staleAfterMs }, "The database has not answered for too long; calls are refused until it does");
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelWarning();
  }
}
