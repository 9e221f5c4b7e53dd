// Finds a key's owner, in memory if possible. Valid keys and unknown ones are kept in two bounded caches, so that made-up keys cannot push
// out valid ones. What is cached about a key is no longer used once its account has changed. Callers with the same key share a lookup.
// Keys that were valid before are looked up first. All others may be made up: a few of them are looked up at a time, from short queues that
// refuse callers when they are full. Addresses that have tried many unknown keys wait in a separate queue, so that newcomers do not wait
// behind them.
import type { Plans } from "../../catalogue/plans.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import { LruMap } from "../../runtime/lru-map.ts";
import { hashSecret } from "../../runtime/secret-hash.ts";
import type { Credential } from "../../store/records.ts";
import type { GuardStore } from "../../store/store.ts";
import { StoreUnavailable } from "../../store/store-errors.ts";
import { NetworkThrottle } from "../../throttle/network-throttle.ts";
import type { RateLimit } from "../../throttle/throttle.ts";
import type { StoreBreaker } from "../breaker/store-breaker.ts";
import { WaitQueue, type WaitQueueLimits } from "../breaker/wait-queue.ts";
import type { Epoch } from "../memory/epoch.ts";
import { type AccountEpoch, KnownKey } from "./access.ts";
import type { AccessRefusals } from "./access-refusals.ts";
import { RememberedKeys } from "./remembered-keys.ts";

// Runs a bounded number of lookups at once, and keeps the others in a bounded queue. The next one starts in a later turn of the event
// loop, so that calls without a lookup are served in between, however long the queue is.
interface LookupQueueOptions {
  readonly clock: Clock;
  readonly breaker: StoreBreaker;
  readonly limits: WaitQueueLimits;
  readonly atOnceMax: number;
}

class LookupQueue {
  readonly #queue: WaitQueue<boolean>;
  readonly #atOnceMax: number;
  #running = 0;

  constructor({ clock, breaker, limits, atOnceMax }: LookupQueueOptions) {
    this.#queue = new WaitQueue<boolean>(clock, limits, breaker, false);
    this.#atOnceMax = atOnceMax;
  }

  /**
   * Does the work in its turn, and rejects as it does. Resolves to undefined immediately if the queue is full, or later if it has waited
   * too long.
   */
  async run<Result>(work: () => Promise<Result>): Promise<Result | undefined> {
    if (this.#running < this.#atOnceMax) {
      this.#running++;
    } else if (!(await this.#queue.wait())) {
      return undefined;
    }
    try {
      return await work();
    } finally {
      setImmediate(() => this.#startNext());
    }
  }

  #startNext(): void {
    if (this.#queue.size > 0) {
      this.#queue.resolveFirst(true);
    } else {
      this.#running--;
    }
  }
}

/** The result of a lookup: the key's owner, "unknown" if nobody owns it, or "unavailable" if the store is. */
export type CredentialLookup = KnownKey | "unknown" | "unavailable";

/** Bounds of the lookups. */
export interface CredentialLimits extends WaitQueueLimits {
  /** How much memory the known keys may take. */
  readonly keysBytesMax: number;
  /** The most unknown keys that are cached. */
  readonly unknownKeysMax: number;
  /** The most lookups that run at once for keys that were valid before; the others wait for their turn. */
  readonly lookupsMax: number;
  /**
   * The most lookups that run at once for new keys from addresses within their rate. The same number may run for all other addresses
   * together.
   */
  readonly unknownLookupsMax: number;
  /** The most new keys that may wait to be looked up, in each of the two groups. */
  readonly unknownWaitersMax: number;
}

/** How many unknown keys an address may try before it waits behind other addresses. Wider networks may try more in total. */
export const UNKNOWN_KEYS_PER_NETWORK: RateLimit = { burst: 8, everyMs: 10_000 };

interface CredentialOptions {
  readonly store: Pick<GuardStore, "findCredential">;
  readonly breaker: StoreBreaker;
  readonly epoch: Epoch;
  readonly plans: Plans;
  /** Why an account's caller has no access. */
  readonly refusalsFor: (account: Credential["account"]) => AccessRefusals;
  readonly clock: Clock;
  readonly log: Log;
}

interface Lookup {
  /** The count of all changes when the lookup started. Its result must not be used for a caller who arrives after a later change. */
  readonly startedEpoch: number;
  /** Callers that wait for it. */
  readonly waiting: WaitQueue<CredentialLookup | "changed">;
}

export class Credentials {
  readonly #options: CredentialOptions;
  readonly #limits: CredentialLimits;
  /** The keys that were valid. They stay when their account changes, so that they are looked up first. */
  readonly #callers: RememberedKeys;
  /** The count of all changes when the store reported that nobody has the key. */
  readonly #unknown: LruMap<string, number>;
  readonly #known: LookupQueue;
  readonly #newcomers: LookupQueue;
  readonly #guessers: LookupQueue;
  /** Keys that were looked up and that nobody has, by the address that sent them. */
  readonly #guesses: NetworkThrottle;
  readonly #inProgress = new Map<string, Lookup>();

  constructor(options: CredentialOptions, limits: CredentialLimits) {
    const { clock, breaker } = options;
    this.#options = options;
    this.#limits = limits;
    this.#callers = new RememberedKeys(limits.keysBytesMax);
    this.#unknown = new LruMap(limits.unknownKeysMax);
    this.#known = new LookupQueue({ clock, breaker, limits, atOnceMax: limits.lookupsMax });
    const ofUnknown = { clock, breaker, limits: { ...limits, waitersMax: limits.unknownWaitersMax } };
    this.#newcomers = new LookupQueue({ ...ofUnknown, atOnceMax: limits.unknownLookupsMax });
    this.#guessers = new LookupQueue({ ...ofUnknown, atOnceMax: limits.unknownLookupsMax });
    this.#guesses = new NetworkThrottle(clock, UNKNOWN_KEYS_PER_NETWORK);
  }

  /** What is cached about a key, if it is still valid. */
  remembered(key: string): KnownKey | "unknown" | undefined {
    const caller = this.#callers.get(key);
    if (caller !== undefined) {
      return this.#isCurrent(caller) ? caller : undefined;
    }
    return this.#unknown.get(key) === this.#options.epoch.now() ? "unknown" : undefined;
  }

  /** Looks up a well-formed key from this address. Never rejects. Returns "unavailable" immediately while the store is known to be down. */
  async find(key: string, address: string): Promise<CredentialLookup> {
    const { breaker, clock, epoch } = this.#options;
    const untilMs = clock.monotonicMs() + this.#limits.callerWaitMaxMs;
    while (clock.monotonicMs() < untilMs) {
      const isStoreDown = breaker.isOpen;
      const running = this.#inProgress.get(key);
      const lookUp = running?.startedEpoch === epoch.now() ? running : this.#startLookUp(key, address);
      if (isStoreDown || lookUp === undefined) {
        return "unavailable";
      }
      const found = await lookUp.waiting.wait();
      if (found !== "changed") {
        return found;
      }
    }
    return "unavailable";
  }

  #isCurrent({ epoch, cell }: KnownKey): boolean {
    return this.#options.epoch.at(cell) === epoch;
  }

  #startLookUp(key: string, address: string): Lookup | undefined {
    const { breaker, clock, epoch } = this.#options;
    if (!breaker.admits()) {
      return undefined;
    }
    const waiting = new WaitQueue<CredentialLookup | "changed">(clock, this.#limits, breaker, "unavailable");
    const lookUp = { startedEpoch: epoch.now(), waiting };
    this.#inProgress.set(key, lookUp);
    void this.#lookUp(key, address).then((found) => {
      if (this.#inProgress.get(key) === lookUp) {
        this.#inProgress.delete(key);
      }
      waiting.resolveAll(found);
    });
    return lookUp;
  }

  async #lookUp(key: string, address: string): Promise<CredentialLookup | "changed"> {
    const before = this.#callers.get(key);
    if (before !== undefined) {
      return this.#findInTurn(this.#known, key, before);
    }
    // Each lookup counts as a guess until the key turns out to have an owner.
    const isNewcomer = this.#guesses.take(address);
    const found = await this.#findInTurn(isNewcomer ? this.#newcomers : this.#guessers, key, undefined);
    if (isNewcomer && found !== "unknown" && found !== "unavailable") {
      this.#guesses.refund(address);
    }
    return found;
  }

  async #findInTurn(queue: LookupQueue, key: string, before: KnownKey | undefined): Promise<CredentialLookup | "changed"> {
    try {
      return (await queue.run(() => this.#find(key, before))) ?? "unavailable";
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) {
        this.#options.log.error({ err: error }, "A key could not be looked up");
      }
      return "unavailable";
    }
  }

  async #find(key: string, before: KnownKey | undefined): Promise<CredentialLookup | "changed"> {
    const { breaker, store, epoch } = this.#options;
    const total = epoch.now();
    const known = before && { cell: before.cell, epoch: epoch.at(before.cell) };
    const credential = await breaker.run(() => store.findCredential(hashSecret(key)));
    return credential === undefined ? this.#keepUnknown(key, total) : this.#keep(key, credential, total, known);
  }

  #keepUnknown(key: string, total: number): CredentialLookup {
    this.#callers.delete(key);
    // Waiting callers arrived before the store was queried, and nobody had the key then. It may have been created since then: if so, the
    // count of changes has grown, and the next caller queries again.
    this.#unknown.set(key, total);
    return "unknown";
  }

  #keep(key: string, credential: Credential, total: number, known: AccountEpoch | undefined): CredentialLookup | "changed" {
    const { epoch, plans, refusalsFor } = this.#options;
    const cell = epoch.cellOf(credential.account.id);
    // The order matters: see Epoch.
    const read = epoch.at(cell);
    const isCurrent = total === epoch.now() || (known?.cell === cell && known.epoch === read);
    const caller = new KnownKey(credential, plans, refusalsFor(credential.account), { cell, epoch: isCurrent ? read : read - 1 });
    // Kept even if the account may have changed: then the next lookup knows which account's changes to watch for.
    this.#callers.set(key, caller);
    return isCurrent ? caller : "changed";
  }
}
