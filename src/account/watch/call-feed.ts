// Passes the calls that workers have recorded to the streams that watch them. A process has one, next to its store. For an account that is
// not watched, nothing is recorded or kept. For a watched account, the last calls are remembered until some time after its last stream has
// ended, so that a reloaded page misses little.
import { Failure } from "../../problem/failure.ts";
import type { Clock } from "../../runtime/clock.ts";
import { tooManyWatchers } from "../refusals.ts";
import type { CallBatch, CallRecord } from "./call-record.ts";
import { type CallFilter, CallWatcher, isWatched } from "./call-watcher.ts";
import { WatchedAccounts } from "./watched-accounts.ts";

const WATCHERS_PER_ACCOUNT_MAX = 8;
const WATCHERS_MAX = 256;
// Room for all accounts that are watched, and for as many that were watched recently.
const ACCOUNTS_MAX = 2 * WATCHERS_MAX;
const REMEMBERED_MAX = 100;
const REMEMBERED_FOR_MS = 60_000;

interface WatchedAccount {
  readonly watchers: Set<CallWatcher>;
  /** The last calls, oldest first. */
  readonly remembered: CallRecord[];
  /** Cancels the timer that forgets the account. */
  cancelForget: () => void;
}

export interface StartedWatch {
  readonly watcher: CallWatcher;
  /** The last remembered calls that pass the filter, oldest first. */
  readonly backlog: readonly CallRecord[];
  /** Ends the watch. Call it once. */
  readonly end: () => void;
}

export class CallFeed {
  /** Workers record only calls by these accounts. */
  readonly accounts: WatchedAccounts;
  readonly #clock: Pick<Clock, "after">;
  readonly #watched = new Map<string, WatchedAccount>();
  #watchers = 0;

  constructor(clock: Pick<Clock, "after">) {
    this.#clock = clock;
    this.accounts = new WatchedAccounts();
  }

  /** Adds the calls that a worker has recorded. */
  add(batches: readonly CallBatch[]): void {
    for (const { accountId, calls, leftOut } of batches) {
      const account = this.#watched.get(accountId);
      if (account !== undefined) {
        account.remembered.push(...calls);
        account.remembered.splice(0, Math.max(0, account.remembered.length - REMEMBERED_MAX));
        for (const watcher of account.watchers) {
          watcher.offer(calls, leftOut);
        }
      }
    }
  }

  /**
   * Tells watchers to check whether they may continue, because the account or its sessions have changed. Without `accountId`, any account
   * may have changed.
   */
  accountChanged(accountId?: string): void {
    for (const [watchedId, { watchers }] of this.#watched) {
      for (const watcher of watchers) {
        if (accountId === undefined || accountId === watchedId || accountId === watcher.personId) {
          watcher.accountChanged();
        }
      }
    }
  }

  /**
   * Begins to watch an account's calls, for the person whose own account is `personId`. Throws a Failure RATE_LIMITED if the account has
   * too many watchers. If there are too many in total, an account with more than its share loses a watcher, so that a few accounts cannot
   * keep other accounts out.
   */
  watch(accountId: string, filter: CallFilter, backlogMax: number, personId = accountId): StartedWatch {
    const account = this.#watched.get(accountId) ?? { watchers: new Set(), remembered: [], cancelForget() {} };
    if (account.watchers.size >= WATCHERS_PER_ACCOUNT_MAX) {
      throw new Failure(tooManyWatchers(WATCHERS_PER_ACCOUNT_MAX));
    }
    if (this.#watchers >= WATCHERS_MAX && !this.#makeRoom(account)) {
      throw new Failure(tooManyWatchers(undefined));
    }
    this.#watchers += 1;
    account.cancelForget();
    const watcher = new CallWatcher(filter, this.#clock, personId);
    account.watchers.add(watcher);
    this.#remember(accountId, account);
    const backlog = account.remembered.filter((call) => isWatched(filter, call));
    return {
      watcher,
      backlog: backlog.slice(backlog.length - Math.min(backlog.length, backlogMax)),
      end: () => this.#end(accountId, account, watcher),
    };
  }

  // The account with the most watchers loses its oldest watcher, unless the new watcher's account would then have as many watchers.
  #makeRoom(newcomer: WatchedAccount): boolean {
    const [most] = [...this.#watched.values()].toSorted((a, b) => b.watchers.size - a.watchers.size);
    const [oldest] = most?.watchers ?? [];
    if (most === undefined || oldest === undefined || most.watchers.size <= newcomer.watchers.size + 1) {
      return false;
    }
    most.watchers.delete(oldest);
    this.#watchers -= 1;
    oldest.evict();
    return true;
  }

  #remember(accountId: string, account: WatchedAccount): void {
    if (this.#watched.has(accountId)) {
      return;
    }
    if (this.#watched.size >= ACCOUNTS_MAX) {
      const longestUnwatched = Array.from(this.#watched).find(([, { watchers }]) => watchers.size === 0);
      if (longestUnwatched !== undefined) {
        const [unwatchedId, { cancelForget }] = longestUnwatched;
        cancelForget();
        this.#watched.delete(unwatchedId);
      }
    }
    this.#watched.set(accountId, account);
    this.#notifyWorkers();
  }

  #end(accountId: string, account: WatchedAccount, watcher: CallWatcher): void {
    if (!account.watchers.delete(watcher)) {
      // Another watcher took its place.
      return;
    }
    this.#watchers -= 1;
    if (account.watchers.size === 0) {
      account.cancelForget = this.#clock.after(REMEMBERED_FOR_MS, () => {
        this.#watched.delete(accountId);
        this.#notifyWorkers();
      });
    }
  }

  #notifyWorkers(): void {
    this.accounts.set([...this.#watched.keys()]);
  }
}
