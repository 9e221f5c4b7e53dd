// Finds a key's owner, in memory if possible. Valid keys and unknown ones are kept in two bounded caches, so that made-up keys cannot push
// out valid ones. What is cached about a key is no longer used once its account has changed. Callers with the same key share a lookup.
// Keys that were valid before are looked up first. All others may be made up: a few of them are looked up at a time, from short queues that
// refuse callers when they are full. Addresses that have tried many unknown keys wait in a separate queue, so that newcomers do not wait
// behind them.

import { hashSecret, LruMap, NetworkThrottle, type RateLimit } from "@quintet/guard";
import type { Plans } from "../../catalogue/plans.ts";
import type { Clock } from "../../runtime/clock.ts";
import type { Log } from "../../runtime/log.ts";
import type { Credential } from "../../store/records.ts";
import type { GuardStore } from "../../store/store.ts";
import { StoreUnavailable } from "../../store/store-errors.ts";
import type { StoreBreaker } from "../breaker/store-breaker.ts";
import { WaitQueue, type WaitQueueLimits } from "../breaker/wait-queue.ts";
import type { Epoch } from "../memory/slots.ts";
import { type AccountEpoch, KnownKey } from "./access.ts";
import type { AccessRefusals } from "./access-refusals.ts";

/** A key with what is known about it. */
interface Remembered {
  readonly key: string;
  readonly caller: KnownKey;
  readonly bytes: number;
  /** Whether it was used since the last pass. */
  isUsed: boolean;
}

// Keys end in random characters; this many of them tell keys apart.
const HASHED_CHARACTERS = 16;
// The memory of a key that calls one service, and of each subscription of its account, measured on 64-bit V8.
const KEY_BYTES = 850;
const SUBSCRIPTION_BYTES = 300;
const OWN_LIMITS_BYTES = 400;

const limitBytes = ({ restriction, ownLimits }: KnownKey): number =>
  (restriction?.bytes ?? 0) + (ownLimits === undefined ? 0 : OWN_LIMITS_BYTES);

// V8 internalizes each string that is used as the key of a map, which takes longer than the lookup, and each request has its key in a new
// string. A number avoids that. Two keys with the same hash, a chance of one in a billion, evict each other.
function hashOf(key: string): number {
  let hash = 0;
  for (let at = Math.max(0, key.length - HASHED_CHARACTERS); at < key.length; at += 1) {
    hash = (Math.imul(hash, 31) + key.charCodeAt(at)) & 0x3fff_ffff;
  }
  return hash;
}

// A substring keeps the whole string in memory, and a request's key may be a substring of its head.
const ownCopyOf = (text: string): string => Buffer.from(text, "latin1").toString("latin1");

export class RememberedKeys {
  readonly #bytesMax: number;
  readonly #byHash = new Map<number, Remembered>();
  #bytes = 0;
  // The hand of SIEVE: cycles through all keys, from the oldest to the newest.
  #hand = this.#byHash.entries();

  /** `bytesMax`: how much memory they may take. */
  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  /** What is known about a key; undefined if that was forgotten. */
  get(key: string): KnownKey | undefined {
    const found = this.#byHash.get(hashOf(key));
    if (found?.key !== key) {
      return undefined;
    }
    found.isUsed = true;
    return found.caller;
  }

  set(key: string, caller: KnownKey): void {
    const hash = hashOf(key);
    const before = this.#byHash.get(hash);
    const bytes = KEY_BYTES + SUBSCRIPTION_BYTES * caller.subscriptions.length + limitBytes(caller);
    this.#bytes += bytes - (before?.bytes ?? 0);
    this.#byHash.set(hash, { key: before?.key === key ? before.key : ownCopyOf(key), caller, bytes, isUsed: before !== undefined });
    while (this.#bytes > this.#bytesMax && this.#byHash.size > 1) {
      this.#forgetOne();
    }
  }

  delete(key: string): void {
    const hash = hashOf(key);
    const found = this.#byHash.get(hash);
    if (found?.key === key) {
      this.#forget(hash, found);
    }
  }

  get size(): number {
    return this.#byHash.size;
  }

  #forgetOne(): void {
    for (;;) {
      const { value, done } = this.#hand.next();
      if (done === true) {
        this.#hand = this.#byHash.entries();
      } else if (value[1].isUsed) {
        value[1].isUsed = false;
      } else {
        this.#forget(...value);
        return;
      }
    }
  }

  #forget(hash: number, { bytes }: Remembered): void {
    this.#byHash.delete(hash);
    this.#bytes -= bytes;
  }
}

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
