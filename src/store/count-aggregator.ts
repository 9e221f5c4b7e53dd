// Adds up the counts that servers have written: an account's counts before they are reported, and all counts in the background.
import type { Clock } from "../runtime/clock.ts";
import type { Backend } from "./backend.ts";
import { deletedAccounts, deleteUsage } from "./repositories/account-deletion.ts";
import { addUpBucket, addUpNext, hasWaitingCounts, isAnyBucketDue, waitingBuckets } from "./repositories/aggregated-counts.ts";
import { bucketOf } from "./repositories/count-batches.ts";

// The most transactions that a report waits for. The rest is added up in the background.
const TRANSACTIONS_MAX = 50;

export class CountAggregator {
  readonly #backend: Pick<Backend, "read" | "writeSyncedLater">;
  readonly #clock: Pick<Clock, "nowMs">;
  // The work in progress by bucket, so that concurrent reports wait for the same work.
  readonly #inProgress = new Map<number, Promise<void>>();
  #sweptToMs = Number.NEGATIVE_INFINITY;

  constructor(backend: Pick<Backend, "read" | "writeSyncedLater">, clock: Pick<Clock, "nowMs">) {
    this.#backend = backend;
    this.#clock = clock;
  }

  /** Adds up an account's counts. Rejects as the database does. */
  addUp(accountId: string): Promise<void> {
    return this.#addUpWhole(bucketOf(accountId));
  }

  /** Adds up the counts of all accounts. */
  async addUpAll(): Promise<void> {
    for (const bucket of await this.#backend.read(waitingBuckets)) {
      await this.#addUpWhole(bucket);
    }
  }

  /**
   * Adds up some of the counts that are at least half a minute old, in one transaction. If there are none, removes some of the counts and
   * records of calls that deleted accounts still have: those that were written during the deletion, and those that were too many to be
   * removed with the account. Returns whether there may be more.
   */
  async addUpSome(): Promise<boolean> {
    const nowMs = this.#clock.nowMs();
    // Most of the time there is nothing to do. To find that out, a read costs much less than a transaction.
    const isDue = await this.#backend.read((db) => isAnyBucketDue(db, nowMs));
    if (isDue && (await this.#backend.writeSyncedLater((db) => addUpNext(db, nowMs)))) {
      return true;
    }
    const { accountIds, untilMs } = await this.#backend.read((db) => deletedAccounts(db, this.#sweptToMs, nowMs));
    if (accountIds.length > 0 && (await this.#backend.writeSyncedLater((db) => deleteUsage(db, accountIds)))) {
      return true;
    }
    this.#sweptToMs = Math.max(this.#sweptToMs, untilMs);
    return false;
  }

  #addUpWhole(bucket: number): Promise<void> {
    let inProgress = this.#inProgress.get(bucket);
    if (inProgress === undefined) {
      inProgress = this.#addUpWaiting(bucket).finally(() => this.#inProgress.delete(bucket));
      this.#inProgress.set(bucket, inProgress);
    }
    return inProgress;
  }

  async #addUpWaiting(bucket: number): Promise<void> {
    if (!(await this.#backend.read((db) => hasWaitingCounts(db, bucket)))) {
      return;
    }
    let hasMore = true;
    for (let transactions = 0; hasMore && transactions < TRANSACTIONS_MAX; transactions++) {
      hasMore = await this.#backend.writeSyncedLater((db) => addUpBucket(db, bucket, this.#clock.nowMs()));
    }
  }
}
