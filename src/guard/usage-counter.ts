// The usage history: every admitted call is counted by account, key, service, method, day and outcome. Counts are added up in memory and
// written once a second. A write that fails is tried again with the next one, so after an outage of the store a count may be too high, but
// never too low. What does not fit in memory meanwhile is dropped, and the log says how much.
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { UsageCount } from "../store/records.ts";
import type { GuardStore } from "../store/store.ts";
import { StoreConflict } from "../store/store-errors.ts";
import type { Principal } from "./keys/access.ts";

const FLUSH_EVERY_MS = 1000;
// How many counts go into one transaction: small enough that a lease does not wait long for it.
const BATCH_MAX = 500;

type Count = UsageCount & { calls: number };

/** Where a principal's last call was counted. */
interface LastCount {
  readonly counts: ReadonlyMap<string, Count>;
  readonly count: Count;
}

/** Counts calls. */
export class UsageCounter {
  readonly #store: Pick<GuardStore, "addUsage">;
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #countsMax: number;
  #counts = new Map<string, Count>();
  // Most calls are counted where their caller's last call was: no name has to be built for them.
  readonly #last = new WeakMap<Principal, LastCount>();
  #dropped = 0;
  // Whether the last write failed, which is logged once.
  #behind = false;
  #closed = false;
  #cancelFlush: (() => void) | undefined;
  #flushing: Promise<boolean> | undefined;

  /** `countsMax`: how many different counts are kept in memory. */
  constructor(store: Pick<GuardStore, "addUsage">, clock: Clock, log: Log, countsMax: number) {
    this.#store = store;
    this.#clock = clock;
    this.#log = log;
    this.#countsMax = countsMax;
  }

  /** Counts one call. */
  count(principal: Principal, method: string, day: string, outcome: string): void {
    const last = this.#last.get(principal);
    if (last?.counts === this.#counts && isOf(last.count, method, day, outcome)) {
      last.count.calls++;
      return;
    }
    const { accountId, keyId, service } = principal;
    const name = `${keyId} ${service} ${method} ${day} ${outcome}`;
    const found = this.#counts.get(name);
    if (found !== undefined) {
      found.calls++;
      this.#last.set(principal, { counts: this.#counts, count: found });
    } else {
      this.#add(name, { accountId, keyId, service, method, day, outcome, calls: 1 });
    }
    this.#schedule();
  }

  /** Writes what there is, once, and waits for it for at most `waitMs`. What is counted after that is lost. Never rejects. */
  async close(waitMs: number): Promise<void> {
    this.#closed = true;
    this.#cancelFlush?.();
    this.#cancelFlush = undefined;
    const { promise: late, resolve: giveUp } = Promise.withResolvers<boolean>();
    const cancel = this.#clock.after(waitMs, () => giveUp(false));
    const written = await Promise.race([this.#writeAll(), late]);
    cancel();
    if (!written) {
      this.#log.error({ counts: this.#counts.size }, "The last usage counts could not be written and are lost");
    }
  }

  async #writeAll(): Promise<boolean> {
    await this.#flushing;
    return this.#flush();
  }

  #schedule(): void {
    if (this.#cancelFlush === undefined && this.#flushing === undefined && !this.#closed) {
      this.#cancelFlush = this.#clock.after(FLUSH_EVERY_MS, () => {
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
    const counts = [...this.#counts];
    this.#counts = new Map();
    if (this.#dropped > 0) {
      this.#log.error({ calls: this.#dropped }, "Usage could not be kept in memory and is lost");
      this.#dropped = 0;
    }
    for (let start = 0; start < counts.length; start += BATCH_MAX) {
      const batch = counts.slice(start, start + BATCH_MAX);
      try {
        await this.#store.addUsage(batch.map(([, count]) => count));
      } catch (error) {
        const refused = error instanceof StoreConflict;
        if (refused) {
          this.#log.error({ err: error }, "The store refused usage, which is lost");
        } else if (!this.#behind) {
          this.#log.warn({ err: error }, "Usage cannot be written; it is kept and tried again");
        }
        this.#behind = true;
        // What the store refuses once it would refuse again.
        for (const [name, count] of counts.slice(refused ? start + BATCH_MAX : start)) {
          this.#add(name, count);
        }
        return false;
      }
    }
    this.#behind = false;
    return true;
  }

  #add(name: string, count: Count): void {
    const found = this.#counts.get(name);
    if (found !== undefined) {
      found.calls += count.calls;
    } else if (this.#counts.size < this.#countsMax) {
      this.#counts.set(name, count);
    } else {
      this.#dropped += count.calls;
    }
  }
}

const isOf = (count: Count, method: string, day: string, outcome: string): boolean =>
  count.method === method && count.day === day && count.outcome === outcome;
