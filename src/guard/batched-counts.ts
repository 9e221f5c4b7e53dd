// Adds up counts in memory and writes them in batches: after a second, or later if there are many different counts, so that each written
// row stands for several calls. A batch that may not have been written is retried unchanged before any other batch, so that the store adds
// it only once. Counts that do not fit in memory, or that the store refuses, are dropped: the log says so, and operators see how many calls
// they stood for.
import type { Clock } from "../runtime/clock.ts";
import type { Log } from "../runtime/log.ts";
import type { Randomness } from "../runtime/randomness.ts";
import { bucketOf } from "../store/repositories/count-batches.ts";
import type { GuardStore } from "../store/store.ts";
import { StoreConflict } from "../store/store-errors.ts";
import type { BatchId, UsageCount } from "../store/usage-records.ts";
import type { Principal } from "./keys/access.ts";

// The usage history: every admitted call is counted by account, key, service, method, hour and outcome.
type UsageTally = UsageCount & { calls: number };

/** Where a principal's last call was counted. */
interface LastCount {
  readonly generation: object;
  readonly count: UsageTally;
}

export class UsageCounter {
  readonly #counts: BatchedCounts<UsageTally>;
  // Most calls belong to the same count as their caller's last call, so the count's name need not be built for them.
  readonly #last = new WeakMap<Principal, LastCount>();

  constructor({ store, ...options }: CounterOptions<"addUsage">) {
    this.#counts = new BatchedCounts({
      ...options,
      what: "usage",
      write: (counts, id) => store.addUsage(counts, id),
      merge: (into, { calls }) => {
        into.calls += calls;
      },
    });
  }

  /**
   * Counts one admitted call on a day in UTC, such as `2026-11-21`, and in an hour of it, from 0 to 23. With 0 `calls` it only records that
   * the key was used.
   */
  count(principal: Principal, method: string, day: string, hour: number, outcome: string, calls: 0 | 1 = 1): void {
    const { generation } = this.#counts;
    const last = this.#last.get(principal);
    if (last?.generation === generation && isSame(last.count, method, day, hour, outcome)) {
      last.count.calls += calls;
      return;
    }
    const { accountId, keyId, service } = principal;
    const name = `${keyId} ${service} ${method} ${day} ${hour} ${outcome}`;
    const count = this.#counts.add(name, { accountId, keyId, service, method, day, hour, outcome, calls });
    if (count !== undefined) {
      this.#last.set(principal, { generation, count });
    }
  }

  /** Writes the counts once, and waits at most `waitMs` for that. Calls that are counted later are lost. Never rejects. */
  close(waitMs: number): Promise<void> {
    return this.#counts.close(waitMs);
  }
}

const isSame = (count: UsageTally, method: string, day: string, hour: number, outcome: string): boolean =>
  count.method === method && count.hour === hour && count.day === day && count.outcome === outcome;

// How often to check whether it is time to write the counts.
const CHECK_EVERY_MS = 1000;
// Each different count delays the next batch by this long, up to this maximum. If ten thousand customers call occasionally, a row written
// each second for each of them would stand for one call; a row written every half minute stands for several.
const WAIT_MS_PER_COUNT = 10;
const WAIT_MS_MAX = 30_000;
// The most counts in one transaction: small enough that a lease does not wait long behind it.
const BATCH_MAX = 500;

/** How many calls there were of one kind. */
interface Count {
  readonly accountId: string;
  calls: number;
}

/** What every counter needs; `Write` is the store's method that writes its counts. */
export interface CounterOptions<Write extends keyof GuardStore> {
  readonly store: Pick<GuardStore, Write>;
  readonly clock: Clock;
  readonly randomness: Pick<Randomness, "uuid">;
  readonly log: Log;
  /** The most different counts that are kept in memory. */
  readonly countsMax: number;
  /** Called whenever counts are dropped, with how many calls are now missing. */
  readonly dropped: (calls: number) => void;
}

/** How counts are kept and written. */
interface BatchedCountsOptions<One extends Count> extends Omit<CounterOptions<never>, "store"> {
  /** What is counted, for the log: `usage`. */
  readonly what: string;
  /** Writes a batch, all of it or none. The store adds it only once, however often it is tried. */
  readonly write: (counts: readonly One[], id: BatchId) => Promise<void>;
  /** Adds a count to another with the same name. */
  readonly merge: (into: One, count: One) => void;
}

type Named<One> = readonly (readonly [string, One])[];

export class BatchedCounts<One extends Count> {
  readonly #options: BatchedCountsOptions<One>;
  readonly #writer: string;
  #counts = new Map<string, One>();
  // How many batches have been started, and the last one if it may not have been written.
  #batches = 0;
  #unwritten: Named<One> | undefined;
  #dropped = 0;
  // Whether the last write failed, which is logged once.
  #isBehind = false;
  #isClosed = false;
  #cancelCheck: (() => void) | undefined;
  /** When the oldest count in memory was added, on the monotonic clock. */
  #firstAtMs = 0;
  #flushing: Promise<boolean> | undefined;

  constructor(options: BatchedCountsOptions<One>) {
    this.#options = options;
    this.#writer = options.randomness.uuid();
  }

  /** Changes whenever counts are taken out to be written. Counts that `add` returned before that must no longer be used. */
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
    this.#isClosed = true;
    this.#cancelCheck?.();
    this.#cancelCheck = undefined;
    const { promise: late, resolve: giveUp } = Promise.withResolvers<boolean>();
    const cancel = clock.after(waitMs, () => giveUp(false));
    const written = await Promise.race([this.#writeAll(), late]);
    cancel();
    if (!written) {
      log.error(
        { counts: this.#counts.size + (this.#unwritten?.length ?? 0) },
        `The last ${what} counts could not be written and are lost`,
      );
    }
  }

  async #writeAll(): Promise<boolean> {
    await this.#flushing;
    return this.#flush();
  }

  #schedule(): void {
    if (this.#cancelCheck === undefined && this.#flushing === undefined && !this.#isClosed) {
      this.#firstAtMs = this.#options.clock.monotonicMs();
      this.#checkLater();
    }
  }

  #checkLater(): void {
    this.#cancelCheck = this.#options.clock.after(CHECK_EVERY_MS, () => {
      this.#cancelCheck = undefined;
      if (!this.#isDue()) {
        this.#checkLater();
        return;
      }
      this.#flushing = this.#flush().finally(() => {
        this.#flushing = undefined;
        if (this.#counts.size > 0 || this.#unwritten !== undefined) {
          this.#schedule();
        }
      });
    });
  }

  #isDue(): boolean {
    const { clock, countsMax } = this.#options;
    const { size } = this.#counts;
    const waitMs = Math.min(size * WAIT_MS_PER_COUNT, WAIT_MS_MAX);
    return this.#unwritten !== undefined || clock.monotonicMs() - this.#firstAtMs >= waitMs || size >= countsMax / 2;
  }

  // Returns whether everything has been written.
  async #flush(): Promise<boolean> {
    const { log, what } = this.#options;
    if (this.#unwritten !== undefined && !(await this.#write(this.#unwritten))) {
      return false;
    }
    // The store writes a row for each bucket in a batch, so counts of the same bucket are written together.
    const buckets = Map.groupBy(this.#counts, ([, { accountId }]) => bucketOf(accountId));
    const counts = [...buckets.values()].flat();
    this.#counts = new Map();
    if (this.#dropped > 0) {
      log.error({ calls: this.#dropped }, `Counts of ${what} could not be kept in memory and are lost`);
      this.#dropped = 0;
    }
    for (let start = 0; start < counts.length; start += BATCH_MAX) {
      this.#batches++;
      if (!(await this.#write(counts.slice(start, start + BATCH_MAX)))) {
        for (const [name, count] of counts.slice(start + BATCH_MAX)) {
          this.#keep(name, count);
        }
        return false;
      }
    }
    this.#isBehind = false;
    return true;
  }

  // Writes the batch that was started last. Counts that the store has refused would be refused again, so they are not kept.
  async #write(batch: Named<One>): Promise<boolean> {
    const { write, log, what } = this.#options;
    this.#unwritten = batch;
    try {
      await write(
        batch.map(([, count]) => count),
        { writer: this.#writer, number: this.#batches },
      );
      this.#unwritten = undefined;
      return true;
    } catch (error) {
      if (error instanceof StoreConflict) {
        this.#options.dropped(batch.reduce((calls, [, count]) => calls + count.calls, 0));
        log.error({ err: error }, `The store refused counts of ${what}, which are lost`);
        this.#unwritten = undefined;
      } else if (!this.#isBehind) {
        log.warn({ err: error }, `Counts of ${what} cannot be written; they are kept and tried again`);
      }
      this.#isBehind = true;
      return false;
    }
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
    this.#options.dropped(count.calls);
    return undefined;
  }
}
