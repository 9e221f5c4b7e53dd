// The guard decides about a call from its headers alone: whose key it is, whether it may call the service, and whether its rate and its
// month have room. node-guard.ts, fetch-guard.ts and interceptor.ts ask it on behalf of servers.
import { AsyncLocalStorage } from "node:async_hooks";
import { type Subscription, subscriptionOf, unusable } from "./access.ts";
import { type Clock, systemClock } from "./clock.ts";
import { hashSecret, type KeyFormat } from "./key-format.ts";
import type { LimitState } from "./limits.ts";
import { LruMap } from "./lru-map.ts";
import { NetworkThrottle } from "./network-throttle.ts";
import type { Refusal } from "./refusal.ts";
import type { Charge, GuardStore } from "./store.ts";
import { type RateLimit, takeAll } from "./throttle.ts";

/** How many unknown keys an address may try at once, and how often after that. Wider networks may try more in total. */
const UNKNOWN_KEYS: RateLimit = { burst: 8, everyMs: 10_000 };
// Keys that were valid before, with their hashes: about 200 bytes each.
const KNOWN_KEYS_MAX = 10_000;
const RETRY_SOON_MS = 1000;

/** What a guard works with. */
export interface GuardOptions {
  readonly store: GuardStore;
  readonly keys: KeyFormat;
  /** The machine's by default. */
  readonly clock?: Clock;
  /** Gets what the store or a server's handler has thrown; the call itself gets an error. */
  readonly onError: (error: unknown) => void;
}

/** A call, as far as its headers show. */
export interface Call {
  /** The header with the key, as sent; undefined if there is none. */
  readonly key: string | undefined;
  /** The service that is called, as in subscriptions. */
  readonly service: string;
  /** The caller's IP address, of which unknown keys are limited; undefined if it is not known. */
  readonly address?: string | undefined;
  /** How many calls it counts as in the month; 1 by default. */
  readonly cost?: number;
}

/** Who calls. */
export interface Caller {
  readonly accountId: string;
  readonly keyId: string;
  readonly subscription: Subscription;
}

/** A refused call. Nothing was charged. */
export interface Refused {
  readonly admitted: false;
  readonly refusal: Refusal;
  /** Present if the limits were checked. */
  readonly limits?: LimitState;
}

/** An admitted call, which was charged. */
export class Admitted {
  readonly admitted = true;
  readonly caller: Caller;
  readonly limits: LimitState;
  readonly #refund: () => Promise<void>;
  #settled = false;

  constructor(caller: Caller, limits: LimitState, refund: () => Promise<void>) {
    this.caller = caller;
    this.limits = limits;
    this.#refund = refund;
  }

  /** Keeps the charge, or refunds it to the month. Only the first time counts. Never rejects. */
  async settle(isCharged: boolean): Promise<void> {
    if (!this.#settled) {
      this.#settled = true;
      if (!isCharged) {
        await this.#refund();
      }
    }
  }
}

export class Guard {
  /** The call that is being served, in whatever is called for it. */
  readonly current = new AsyncLocalStorage<Admitted>();
  readonly #options: GuardOptions;
  readonly #clock: Clock;
  /** The hashes of keys that were valid. */
  readonly #known = new LruMap<string, string>(KNOWN_KEYS_MAX);
  readonly #guesses: NetworkThrottle;

  constructor(options: GuardOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#guesses = new NetworkThrottle(this.#clock, UNKNOWN_KEYS);
  }

  /** Who is being served; undefined outside of guarded calls. */
  get caller(): Caller | undefined {
    return this.current.getStore()?.caller;
  }

  /** Passes an error on to whom the guard's owner has named. */
  report(error: unknown): void {
    this.#options.onError(error);
  }

  /** Decides about a call, and charges it if it is admitted. Settle it once its outcome is known. Never rejects. */
  async admit(call: Call): Promise<Admitted | Refused> {
    try {
      return await this.#admit(call);
    } catch (error) {
      this.report(error);
      return { admitted: false, refusal: { reason: "LIMITS_UNAVAILABLE", waitMs: RETRY_SOON_MS } };
    }
  }

  async #admit({ key, service, address, cost = 1 }: Call): Promise<Admitted | Refused> {
    if (!Number.isSafeInteger(cost) || cost < 1) {
      throw new RangeError(`cost must be a whole number of at least 1, not ${cost}`);
    }
    const found = await this.#find(key, address);
    if ("reason" in found) {
      return { admitted: false, refusal: found };
    }
    const nowMs = this.#clock.nowMs();
    const subscription = unusable(found, nowMs) ?? subscriptionOf(found, service);
    if ("reason" in subscription) {
      return { admitted: false, refusal: subscription };
    }
    const { id: subscriptionId, plan } = subscription;
    const month = monthAt(nowMs);
    const charge: Charge = { subscriptionId, plan, month: month.name, cost, nowMs };
    const { refusedBy, secondRemaining, nextMs, monthRemaining } = await this.#options.store.charge(charge);
    const monthLeftMs = month.endMs - nowMs;
    const limits: LimitState = {
      plan,
      secondRemaining,
      secondResetSeconds: Math.ceil(nextMs / 1000),
      monthRemaining,
      monthResetSeconds: Math.ceil(monthLeftMs / 1000),
      monthSeconds: (month.endMs - month.startMs) / 1000,
    };
    if (refusedBy === undefined) {
      const caller = { accountId: found.accountId, keyId: found.id, subscription };
      return new Admitted(caller, limits, () => this.#refund(charge));
    }
    const { requestsPerSecond, callsPerMonth } = plan;
    const refusal: Refusal =
      refusedBy === "second"
        ? { reason: "RATE_LIMITED", service, requestsPerSecond, waitMs: nextMs }
        : { reason: "QUOTA_EXCEEDED", service, callsPerMonth, month: month.name, waitMs: monthLeftMs };
    return { admitted: false, refusal, limits };
  }

  async #find(header: string | undefined, address: string | undefined) {
    const known = header === undefined ? undefined : this.#known.get(header);
    if (header !== undefined && known !== undefined) {
      return (await this.#options.store.findKey(known)) ?? this.#forget(header);
    }
    const parsed = this.#options.keys.parse(header);
    if (parsed.kind !== "ok") {
      return parsed.kind === "missing"
        ? ({ reason: "KEY_MISSING" } as const)
        : ({ reason: "KEY_MALFORMED", problem: parsed.kind } as const);
    }
    // Each lookup counts as a guess until the key turns out to have an owner.
    const waitMs = address === undefined ? 0 : takeAll(this.#guesses.attempts(address));
    if (waitMs > 0) {
      return { reason: "TOO_MANY_KEYS", waitMs } as const;
    }
    const hash = hashSecret(parsed.key);
    const found = await this.#options.store.findKey(hash);
    if (found === undefined) {
      return { reason: "KEY_UNKNOWN" } as const;
    }
    if (address !== undefined) {
      this.#guesses.refund(address);
    }
    this.#known.set(parsed.key, hash);
    return found;
  }

  #forget(key: string) {
    this.#known.delete(key);
    return { reason: "KEY_UNKNOWN" } as const;
  }

  async #refund(charge: Charge): Promise<void> {
    try {
      await this.#options.store.refund(charge);
    } catch (error) {
      this.report(error);
    }
  }
}

/** The calendar month of a time, UTC: `2026-11`, and when it starts and ends, in milliseconds since the epoch. */
function monthAt(nowMs: number): { readonly name: string; readonly startMs: number; readonly endMs: number } {
  const date = new Date(nowMs);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  return { name: date.toISOString().slice(0, 7), startMs: Date.UTC(year, month), endMs: Date.UTC(year, month + 1) };
}
