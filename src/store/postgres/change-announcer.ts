// Announces the changes that this process has committed. Changes made at about the same time are announced together, by this process or by
// another process: see change-log.ts.
import type { Clock } from "../../runtime/clock.ts";
import type { Announcement } from "../repositories/change-log.ts";

// How long to wait if another process is announcing right now, and after an attempt that failed.
const NEXT_ATTEMPT_MS = 2;
const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 1000;
const CLOSING_MS = 1000;

interface ChangeAnnouncerOptions {
  readonly clock: Clock;
  /** Announces all pending changes, if it is time. Rejects if the database does not respond. */
  readonly announce: (ids: readonly number[]) => Promise<Announcement>;
}

interface Waiter {
  /** How many changes had been added when it began to wait. */
  readonly added: number;
  readonly resolve: (number: number) => void;
}

export class ChangeAnnouncer {
  readonly #options: ChangeAnnouncerOptions;
  readonly #pending = new Set<number>();
  #waiters: readonly Waiter[] = [];
  #added = 0;
  // The last batch with a change of this process, or a later one.
  #last = 0;
  #isAnnouncing = false;
  #isClosed = false;

  constructor(options: ChangeAnnouncerOptions) {
    this.#options = options;
  }

  /** Adds a change that was committed, or may have been. `id` is its id among the pending changes. */
  add(id: number): void {
    this.#added += 1;
    this.#pending.add(id);
    if (!this.#isAnnouncing) {
      this.#isAnnouncing = true;
      void this.#announce();
    }
  }

  /**
   * Waits until all changes that this process has made so far are announced, and returns the number of a batch: each change is in that
   * batch or in an earlier one. 0 if there were no changes. Never rejects; stays pending while the database does not respond.
   */
  announced(): Promise<number> {
    return this.#pending.size === 0
      ? Promise.resolve(this.#last)
      : new Promise((resolve) => {
          this.#waiters = [...this.#waiters, { added: this.#added, resolve }];
        });
  }

  /** Called when the database has lost batches; `number` is the number of its last batch. */
  forget(number: number): void {
    this.#last = Math.min(this.#last, number);
  }

  /** Waits until everything is announced, for at most a second. A server soon announces the rest. */
  async close(): Promise<void> {
    const { promise: late, resolve } = Promise.withResolvers<void>();
    const cancel = this.#options.clock.after(CLOSING_MS, resolve);
    await Promise.race([this.announced(), late]);
    cancel();
    this.#isClosed = true;
  }

  async #announce(): Promise<void> {
    const { clock } = this.#options;
    let retryMs = FIRST_RETRY_MS;
    while (this.#pending.size > 0 && !this.#isClosed) {
      const pauseMs = await this.#attempt().catch(() => {
        const failedMs = retryMs;
        retryMs = Math.min(2 * retryMs, LAST_RETRY_MS);
        return failedMs;
      });
      if (pauseMs > 0) {
        await new Promise<void>((resolve) => clock.after(pauseMs, resolve));
      }
    }
    this.#isAnnouncing = false;
  }

  // Returns how long to wait until the next attempt.
  async #attempt(): Promise<number> {
    const ids = [...this.#pending];
    const added = this.#added;
    const { number, isPending, pauseMs } = await this.#options.announce(ids);
    if (isPending) {
      return Math.max(NEXT_ATTEMPT_MS, pauseMs);
    }
    this.#last = number;
    for (const id of ids) {
      this.#pending.delete(id);
    }
    const done = this.#waiters.filter((waiter) => waiter.added <= added);
    this.#waiters = this.#waiters.filter((waiter) => waiter.added > added);
    for (const { resolve } of done) {
      resolve(number);
    }
    return 0;
  }
}
