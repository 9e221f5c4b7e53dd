// Leases that run low but still have calls wait a moment and are then refilled together: one statement for many leases costs the database
// and this process much less than a statement for each. A lease that is about to run out ends the wait for all.
import type { Clock } from "../../runtime/clock.ts";

const ROUND_MS = 1000;

export class RefillRound<Lease> {
  readonly #clock: Clock;
  readonly #refill: (leases: readonly Lease[]) => void;
  readonly #waiting = new Set<Lease>();
  #cancel: (() => void) | undefined;

  /** `refill` starts the query that refills the leases. */
  constructor(clock: Clock, refill: (leases: readonly Lease[]) => void) {
    this.#clock = clock;
    this.#refill = refill;
  }

  /** Adds a lease to the next round. */
  add(lease: Lease): void {
    this.#waiting.add(lease);
    this.#cancel ??= this.#clock.after(ROUND_MS, () => this.now());
  }

  /** Refills all waiting leases. */
  now(): void {
    const waiting = [...this.#waiting];
    this.stop();
    if (waiting.length > 0) {
      this.#refill(waiting);
    }
  }

  /** Cancels the round: the waiting leases are not refilled. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#waiting.clear();
  }
}
