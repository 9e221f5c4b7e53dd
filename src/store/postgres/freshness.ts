// How long this server may use its caches of keys and plans: for a limited time after the database's last response. A key may have been
// revoked since then.
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import type { NodeStatus } from "../node-status.ts";

export interface FreshnessOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Read by the threads that admit calls. */
  readonly status: NodeStatus;
  /** How long the caches may be used without a response from the database. */
  readonly staleAfterMs: number;
}

/** The time until which the caches may be used. */
export class Freshness {
  readonly #options: FreshnessOptions;
  #cancelWarning = (): void => {};
  #isClosed = false;

  constructor(options: FreshnessOptions) {
    this.#options = options;
  }

  /** Called when the database has responded to a query that was sent at this time, on the monotonic clock. */
  responded(sentAtMs: number): void {
    const { clock, log, status, staleAfterMs } = this.#options;
    this.#cancelWarning();
    if (this.#isClosed) {
      return;
    }
    const untilMs = sentAtMs + staleAfterMs;
    status.setFreshUntil(untilMs);
    this.#cancelWarning = clock.after(Math.max(0, untilMs - clock.monotonicMs()), () => {
      log.error({ stale_after_ms: staleAfterMs }, "The database has not responded for too long; calls are refused until it does");
    });
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelWarning();
  }
}
