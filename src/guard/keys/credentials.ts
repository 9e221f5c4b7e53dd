// Finds who a key belongs to, in memory where that is known. Good keys and unknown ones are remembered in two bounded caches, so that made-up
// keys cannot push out good ones. What is remembered of a key does not count any more once its account has changed, and an answer that was
// asked for before a change is never used after it. Callers with the same key share a look-up. Keys that were good before are looked up
// first. All others may be made up: a few of them are looked up at a time, from short queues that refuse callers when they are full. Addresses that
// have tried many keys which nobody has wait in a queue of their own, so that newcomers do not wait behind them.

import type { Plans } from "../../catalogue/plans.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import { LruMap } from "../../runtime/lru-map.ts";
import type { Credential } from "../../store/records.ts";
import type { GuardStore } from "../../store/store.ts";
import { StoreUnavailable } from "../../store/store-errors.ts";
import type { StoreBreaker } from "../breaker/store-breaker.ts";
import { WaitQueue, type WaitQueueLimits } from "../breaker/wait-queue.ts";
import type { Epoch } from "../memory/epoch.ts";
import { NetworkPace } from "../pace/network-pace.ts";
import type { RateLimit } from "../pace/throttle.ts";
import { type KnownIn, type KnownKey, knownKeyOf } from "./access.ts";
import { hashKey } from "./key.ts";
import { LookUpQueue } from "./look-up-queue.ts";

/** What is known of a key: its owner, that nobody owns it, or nothing, because the store cannot be asked. */
export type CredentialLookup = KnownKey | "unknown" | "unavailable";

/** Bounds of the look-ups. */
export interface CredentialLimits extends WaitQueueLimits {
  /** How many keys are remembered, and how many unknown ones. */
  readonly cachedKeysMax: number;
  /** How many look-ups of keys that were good before run at once; the others wait for their turn. */
  readonly lookUpsMax: number;
  /** How many look-ups of keys that were never seen run at once: for addresses within their pace, and as many for the others. */
  readonly unknownLookUpsMax: number;
  /** How many keys that were never seen wait to be looked up, of either. */
  readonly unknownWaitersMax: number;
}

/** How many keys that nobody has may be tried from one address before it waits behind the others. Wider networks may try more together. */
export const UNKNOWN_KEYS_OF_A_NETWORK: RateLimit = { burst: 8, everyMs: 10_000 };

/** What look-ups work with. */
export interface CredentialDependencies {
  readonly store: Pick<GuardStore, "findCredential">;
  readonly breaker: StoreBreaker;
  readonly epoch: Epoch;
  readonly plans: Plans;
  readonly clock: Clock;
  readonly log: Log;
}

interface LookUp {
  /** The count of all changes when it began. Its result is no answer for a caller who comes after a later change. */
  readonly begunIn: number;
  /** Callers that wait for it. */
  readonly waiting: WaitQueue<CredentialLookup | "changed">;
}

/** The keys. */
export class Credentials {
  readonly #dependencies: CredentialDependencies;
  readonly #limits: CredentialLimits;
  /** The keys that were good. They stay when their account changes, so that they are looked up first. */
  readonly #callers: LruMap<string, KnownKey>;
  /** The count of all changes when the store said that nobody has the key. */
  readonly #unknown: LruMap<string, number>;
  readonly #known: LookUpQueue;
  readonly #newcomers: LookUpQueue;
  readonly #guessers: LookUpQueue;
  /** Keys that were looked up and that nobody has, by the address from which they came. */
  readonly #guesses: NetworkPace;
  readonly #underWay = new Map<string, LookUp>();

  constructor(dependencies: CredentialDependencies, limits: CredentialLimits) {
    const { clock, breaker } = dependencies;
    this.#dependencies = dependencies;
    this.#limits = limits;
    this.#callers = new LruMap(limits.cachedKeysMax);
    this.#unknown = new LruMap(limits.cachedKeysMax);
    this.#known = new LookUpQueue({ clock, breaker, limits, atOnceMax: limits.lookUpsMax });
    const ofUnknown = { clock, breaker, limits: { ...limits, waitersMax: limits.unknownWaitersMax } };
    this.#newcomers = new LookUpQueue({ ...ofUnknown, atOnceMax: limits.unknownLookUpsMax });
    this.#guessers = new LookUpQueue({ ...ofUnknown, atOnceMax: limits.unknownLookUpsMax });
    this.#guesses = new NetworkPace(clock, UNKNOWN_KEYS_OF_A_NETWORK);
  }

  /** What is remembered of a key and is still true. */
  remembered(key: string): KnownKey | "unknown" | undefined {
    const caller = this.#callers.get(key);
    if (caller !== undefined) {
      return this.#isCurrent(caller) ? caller : undefined;
    }
    return this.#unknown.get(key) === this.#dependencies.epoch.now() ? "unknown" : undefined;
  }

  /** Looks up a well-formed key that came from this address. Never rejects. Answers "unavailable" at once while the store is known to be down. */
  async find(key: string, address: string): Promise<CredentialLookup> {
    const { breaker, clock, epoch } = this.#dependencies;
    const untilMs = clock.monotonicMs() + this.#limits.callerWaitMaxMs;
    while (clock.monotonicMs() < untilMs) {
      const isStoreDown = breaker.isOpen;
      const begun = this.#underWay.get(key);
      const lookUp = begun?.begunIn === epoch.now() ? begun : this.#startLookUp(key, address);
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
    return this.#dependencies.epoch.at(cell) === epoch;
  }

  #startLookUp(key: string, address: string): LookUp | undefined {
    const { breaker, clock, epoch } = this.#dependencies;
    if (!breaker.admits()) {
      return undefined;
    }
    const waiting = new WaitQueue<CredentialLookup | "changed">(clock, this.#limits, breaker, "unavailable");
    const lookUp = { begunIn: epoch.now(), waiting };
    this.#underWay.set(key, lookUp);
    void this.#lookUp(key, address).then((found) => {
      if (this.#underWay.get(key) === lookUp) {
        this.#underWay.delete(key);
      }
      waiting.answerAll(found);
    });
    return lookUp;
  }

  async #lookUp(key: string, address: string): Promise<CredentialLookup | "changed"> {
    const before = this.#callers.get(key);
    if (before !== undefined) {
      return this.#askInTurn(this.#known, key, before);
    }
    // Each counts as a guess until somebody turns out to have the key.
    const isNewcomer = this.#guesses.take(address);
    const found = await this.#askInTurn(isNewcomer ? this.#newcomers : this.#guessers, key, undefined);
    if (isNewcomer && found !== "unknown" && found !== "unavailable") {
      this.#guesses.giveBack(address);
    }
    return found;
  }

  async #askInTurn(queue: LookUpQueue, key: string, before: KnownKey | undefined): Promise<CredentialLookup | "changed"> {
    try {
      return (await queue.run(() => this.#ask(key, before))) ?? "unavailable";
    } catch (error) {
      if (!(error instanceof StoreUnavailable)) {
        this.#dependencies.log.error({ err: error }, "A key could not be looked up");
      }
      return "unavailable";
    }
  }

  async #ask(key: string, before: KnownKey | undefined): Promise<CredentialLookup | "changed"> {
    const { breaker, store, epoch } = this.#dependencies;
    const total = epoch.now();
    const known = before && { cell: before.cell, epoch: epoch.at(before.cell) };
    const credential = await breaker.ask(() => store.findCredential(hashKey(key)));
    return credential === undefined ? this.#keepUnknown(key, total) : this.#keep(key, credential, total, known);
  }

  #keepUnknown(key: string, total: number): CredentialLookup | "changed" {
    // The key may have been created meanwhile.
    if (total !== this.#dependencies.epoch.now()) {
      return "changed";
    }
    this.#callers.delete(key);
    this.#unknown.set(key, total);
    return "unknown";
  }

  #keep(key: string, credential: Credential, total: number, known: KnownIn | undefined): CredentialLookup | "changed" {
    const { epoch, plans } = this.#dependencies;
    const cell = epoch.cellOf(credential.account.id);
    // In this order: see Epoch.
    const read = epoch.at(cell);
    const isSure = total === epoch.now() || (known?.cell === cell && known.epoch === read);
    const caller = knownKeyOf(credential, plans, { cell, epoch: isSure ? read : read - 1 });
    // Kept even if the account may have changed: then the next look-up knows which account's changes to watch for.
    this.#callers.set(key, caller);
    return isSure ? caller : "changed";
  }
}
