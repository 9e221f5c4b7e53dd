// Counts that are added up in memory and written once a second, in batches. A write that fails is tried again with the next one, so after
// an outage of the store a count may be too high, but never too low. What does not fit in memory is dropped, and the log says how much.
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import { StoreConflict } from "../store/store-errors.ts";

const FLUSH_EVERY_MS = 1000;
// How many counts go into one transaction: small enough that a lease does not wait long for it.
const BATCH_MAX = 500;

/** How many calls there were of one kind. */
interface Count {
  calls: number;
}

/** How counts are kept and written. */
interface BatchedCountsOptions<One extends Count> {
  /** What is counted, for the log: `usage`. */
  readonly what: string;
  /** Writes counts, all or none. */
  readonly write: (counts: readonly One[]) => Promise<void>;
  /** Adds a count to another one of the same name. */
  readonly merge: (into: One, count: One) => void;
  readonly clock: Clock;
  readonly log: Log;
  /** How many different counts are kept in memory. */
  readonly countsMax: number;
}

export class BatchedCounts<One extends Count> {
  readonly #options: BatchedCountsOptions<One>;
  #counts = new Map<string, One>();
  #dropped = 0;
  // Whether the last write failed, which is logged once.
  #behind = false;
  #closed = false;
  #cancelFlush: (() => void) | undefined;
  #flushing: Promise<boolean> | undefined;

  constructor(options: BatchedCountsOptions<One>) {
    this.#options = options;
  }

  /** Changes whenever counts have been taken out to be written: after that, counts that were returned before must not be used. */
  get generation(): object {
    return this.#counts;
  }

  /** Adds a count, and returns the kept count that it was added to; undefined if there is no room for it. */
  add(name: string, count: One): One | undefined {
    const kept = this.#keep(name, count);
    this.#schedule();
    return kept;
  }

  /** Writes the counts once, and waits at most `waitMs` for it. Anything counted after that is lost. Never rejects. */
  async close(waitMs: number): Promise<void> {
    const { clock, log, what } = this.#options;
    this.#closed = true;
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    const { promise: late, resolve: giveUp } = Promise.withResolvers<boolean>();
    const cancel = clock.after(waitMs, () => giveUp(false));
    const written = await Promise.race([this.#writeAll(), late]);
    cancel();
    if (!written) {
      log.error({ counts: this.#counts.size }, `The last ${what} counts could not be written and are lost`);
    }
  }

  async #writeAll(): Promise<boolean> {
    await this.#flushing;
    return this.#flush();
  }

  #schedule(): void {
    if (this.#cancelFlush === undefined && this.#flushing === undefined && !this.#closed) {
      this.#cancelFlush = this.#options.clock.after(FLUSH_EVERY_MS, () => {
        this.#cancelFlush = undefined;
        this.#flushing = this.#flush().finally(() => {
          this.#flushing = undefined;
          if (this.#counts.size > 0) {
            this.#schedule();
          }
        });
      });
    }
  }

  // Returns whether everything has been written.
  async #flush(): Promise<boolean> {
    const { write, log, what } = this.#options;
    const counts = [...this.#counts];
    this.#counts = new Map();
    if (this.#dropped > 0) {
      log.error({ calls: this.#dropped }, `Counts of ${what} could not be kept in memory and are lost`);
      this.#dropped = 0;
    }
    for (let start = 0; start < counts.length; start += BATCH_MAX) {
      const batch = counts.slice(start, start + BATCH_MAX);
      try {
        await write(batch.map(([, count]) => count));
      } catch (error) {
        const refused = error instanceof StoreConflict;
        if (refused) {
          log.error({ err: error }, `The store refused counts of ${what}, which are lost`);
        } else if (!this.#behind) {
          log.warn({ err: error }, `Counts of ${what} cannot be written; they are kept and tried again`);
        }
        this.#behind = true;
        // Counts that the store has refused would be refused again.
        for (const [name, count] of counts.slice(refused ? start + BATCH_MAX : start)) {
          this.#keep(name, count);
        }
        return false;
      }
    }
    this.#behind = false;
    return true;
  }

  #keep(name: string, count: One): One | undefined {
    const found = this.#counts.get(name);
    if (found !== undefined) {
      this.#options.merge(found, count);
      return found;
    }
    if (this.#counts.size < this.#options.countsMax) {
      this.#counts.set(name, count);
      return count;
    }
    this.#dropped += count.calls;
    return undefined;
  }
}
