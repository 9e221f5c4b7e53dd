// What a thread admitted by itself and has not told Redis of: for each bucket the time at which it would have been full again. What is
// older than that is no debt any more.

// As many as a node's subscriptions; beyond it those that are no debts any more are forgotten.
const DEBTS_MAX = 10_000;

interface Debt {
  readonly requestsPerSecond: number;
  readonly intervalMs: number;
  fullAtMs: number;
}

/** A bucket's debt. */
export interface OwedTokens {
  readonly name: string;
  readonly requestsPerSecond: number;
  readonly tokens: number;
}

/** One thread's debts. */
export class Debts {
  readonly #byName = new Map<string, Debt>();

  get isEmpty(): boolean {
    return this.#byName.size === 0;
  }

  /** A request was admitted out of this thread's node's share of the rate. */
  add(name: string, requestsPerSecond: number, share: number, nowMs: number): void {
    const intervalMs = 1000 / share;
    const before = this.#byName.get(name);
    const fullAtMs = Math.max(before?.fullAtMs ?? 0, nowMs) + intervalMs;
    this.#byName.set(name, { requestsPerSecond, intervalMs, fullAtMs });
    if (this.#byName.size > DEBTS_MAX) {
      this.#forget(nowMs);
    }
  }

  /** A request that was admitted is refused after all. */
  remove(name: string): void {
    const debt = this.#byName.get(name);
    if (debt !== undefined) {
      debt.fullAtMs -= debt.intervalMs;
    }
  }

  /** Answers what is owed, and forgets it. */
  take(nowMs: number): OwedTokens[] {
    const owed = Array.from(this.#byName, ([name, { requestsPerSecond, intervalMs, fullAtMs }]) => ({
      name,
      requestsPerSecond,
      tokens: Math.ceil((fullAtMs - nowMs) / intervalMs),
    }));
    this.#byName.clear();
    return owed.filter(({ tokens }) => tokens > 0);
  }

  #forget(nowMs: number): void {
    for (const [name, { fullAtMs }] of this.#byName) {
      if (fullAtMs <= nowMs) {
        this.#byName.delete(name);
      }
    }
  }
}
