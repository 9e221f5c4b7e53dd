// One stream that watches an account's calls, with a bounded queue of calls that its reader has not received.
import type { ServiceName } from "../../catalogue/service-names.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { CallRecord } from "./call-record.ts";

/** How many of the newest calls are kept for a reader that is too slow. */
const UNREAD_MAX = 500;
const CALLS_PER_MESSAGE_MAX = 100;

export interface CallFilter {
  /** Undefined for all. */
  readonly service: ServiceName | undefined;
  /** Undefined for all. */
  readonly keyId: string | undefined;
  readonly onlyRefused: boolean;
}

/** Some calls, and how many were left out before them. */
export interface WatchedBatch {
  readonly calls: readonly CallRecord[];
  readonly leftOut: number;
}

/** Whether a call passes the filter. */
export const isWatched = ({ service, keyId, onlyRefused }: CallFilter, call: CallRecord): boolean =>
  (service === undefined || call.service === service) &&
  (keyId === undefined || call.keyId === keyId) &&
  (!onlyRefused || call.isRefused);

export class CallWatcher {
  /** The id of the own account of the person who reads the stream. */
  readonly personId: string;
  readonly #filter: CallFilter;
  readonly #clock: Pick<Clock, "after">;
  #unread: CallRecord[] = [];
  #leftOut = 0;
  #hasAccountChanged = false;
  #wasEvicted = false;
  #wake: (() => void) | undefined;

  constructor(filter: CallFilter, clock: Pick<Clock, "after">, personId: string) {
    this.personId = personId;
    this.#filter = filter;
    this.#clock = clock;
  }

  /** Adds calls made by the account. `leftOut`: how many more were not even recorded. */
  offer(calls: readonly CallRecord[], leftOut: number): void {
    this.#unread.push(...calls.filter((call) => isWatched(this.#filter, call)));
    const surplus = Math.max(0, this.#unread.length - UNREAD_MAX);
    this.#unread.splice(0, surplus);
    this.#leftOut += leftOut + surplus;
    if (this.#hasUnread()) {
      this.#wake?.();
    }
  }

  /** Wakes the waiting reader, because the account or its sessions have changed. */
  accountChanged(): void {
    this.#hasAccountChanged = true;
    this.#wake?.();
  }

  /** Whether the account or its sessions have changed since the last time this was called. */
  takeAccountChange(): boolean {
    const hasChanged = this.#hasAccountChanged;
    this.#hasAccountChanged = false;
    return hasChanged;
  }

  /** Ends the stream, because another watcher takes its place. */
  evict(): void {
    this.#wasEvicted = true;
    this.#wake?.();
  }

  /** Whether another watcher took its place. */
  get wasEvicted(): boolean {
    return this.#wasEvicted;
  }

  /**
   * Waits for calls. Resolves after `waitMs` at the latest, or once the account changes, another watcher takes its place or the signal
   * aborts; undefined if there are no calls by then.
   */
  async take(waitMs: number, signal: AbortSignal): Promise<WatchedBatch | undefined> {
    if (!this.#hasUnread() && !this.#hasAccountChanged && !this.#wasEvicted && !signal.aborted) {
      await this.#untilUnread(waitMs, signal);
    }
    if (!this.#hasUnread()) {
      return undefined;
    }
    const next = { calls: this.#unread.splice(0, CALLS_PER_MESSAGE_MAX), leftOut: this.#leftOut };
    this.#leftOut = 0;
    return next;
  }

  #hasUnread(): boolean {
    return this.#unread.length > 0 || this.#leftOut > 0;
  }

  async #untilUnread(waitMs: number, signal: AbortSignal): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const wake = (): void => resolve();
    const cancel = this.#clock.after(waitMs, wake);
    signal.addEventListener("abort", wake, { once: true });
    this.#wake = wake;
    await promise;
    this.#wake = undefined;
    signal.removeEventListener("abort", wake);
    cancel();
  }
}
