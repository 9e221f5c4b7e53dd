// What a known key may call, apart from what depends on the time of the call. Access is computed once for each key and service, and kept
// until the account changes.

import { type KeyRecord, subscriptionOf, unusable } from "@quintet/guard";
import { IpNetworks } from "@quintet/http";
import { isFree, type Plan } from "../../catalogue/plan.ts";
import type { Plans } from "../../catalogue/plans.ts";
import type { ServiceName } from "../../catalogue/service-names.ts";
import type { Problem } from "../../problem/problem.ts";
import type { AllowedCallers, Credential, Key } from "../../store/records.ts";
import { type AccessRefusals, problemOf } from "./access-refusals.ts";
import { type OwnLimits, ownLimitsOf } from "./key-limits.ts";
import { keyAddressRefused, keyOriginRefused } from "./key-refusals.ts";

// Where calls with a key may come from: the addresses of machines, and the origins of pages. Nearly all keys have no such restriction, and
// need none of these objects.

// The memory of the sets, and of each network and origin in them, measured on 64-bit V8.
const SETS_BYTES = 700;
const ENTRY_BYTES = 200;

/** What a request says about where it comes from. */
interface CallerOrigin {
  /** The caller's IP address. */
  readonly address: string;
  /** The `Origin` header, which browsers send; undefined if there is none. */
  readonly origin?: string | undefined;
}

type RestrictedKey = AllowedCallers & Pick<Key, "id">;

class CallerRestriction {
  /** How much memory it takes. */
  readonly bytes: number;
  readonly #networks: IpNetworks | undefined;
  readonly #origins: readonly string[];

  readonly #keyId: string;

  private constructor({ id, allowedAddresses, allowedOrigins }: RestrictedKey) {
    this.#keyId = id;
    this.bytes = SETS_BYTES + ENTRY_BYTES * (allowedAddresses.length + allowedOrigins.length);
    this.#networks = allowedAddresses.length === 0 ? undefined : new IpNetworks(allowedAddresses);
    this.#origins = allowedOrigins;
  }

  /** A key's restriction; undefined if its calls may come from anywhere. */
  static of(key: RestrictedKey): CallerRestriction | undefined {
    return key.allowedAddresses.length + key.allowedOrigins.length === 0 ? undefined : new CallerRestriction(key);
  }

  /** Why a call from this place is refused; undefined if it is not. */
  refusal({ address, origin }: CallerOrigin): Problem | undefined {
    if (this.#networks?.has(address) === false) {
      return keyAddressRefused(this.#keyId, address);
    }
    const isAllowed = this.#origins.length === 0 || (origin !== undefined && this.#origins.includes(origin));
    return isAllowed ? undefined : keyOriginRefused(this.#keyId, origin);
  }
}

/** Identifies an account and a service: limits belong to the pair. */
export const allowanceKeyOf = (accountId: string, service: ServiceName): string => `${accountId}/${service}`;

/** The account in an access's `allowanceKey`. */
export const accountOf = (allowanceKey: string): string => allowanceKey.slice(0, allowanceKey.lastIndexOf("/"));

/** The key and its owner, for logs and traces. */
export interface CallerIdentity {
  readonly accountId: string;
  readonly keyId: string;
  /** The key's last four characters, which every list of keys shows. */
  readonly keyLastFour: string;
}

/** Who is calling a data service. */
export interface Principal {
  readonly accountId: string;
  readonly keyId: string;
  readonly identity: CallerIdentity;
  readonly subscriptionId: string;
  readonly service: ServiceName;
  readonly plan: Plan;
}

/** Permission to call a service, within its limits. */
export interface Access {
  readonly principal: Principal;
  /** Identifies the account and the service that the limits belong to. */
  readonly allowanceKey: string;
  /** The account's epoch at which this was true. */
  readonly epoch: number;
}

/** The cell in which an account's changes are counted, and the count at which the cached facts were true. */
export interface AccountEpoch {
  readonly cell: number;
  readonly epoch: number;
}

/** What is known about a key. Only what calls need is kept: a process remembers many of them. */
export class KnownKey implements KeyRecord<Plan> {
  readonly cell: number;
  readonly epoch: number;
  readonly identity: CallerIdentity;
  readonly state: KeyRecord["state"];
  readonly expiresAtMs: number;
  readonly services: readonly ServiceName[] | null;
  readonly isSuspended: boolean;
  readonly subscriptions: KeyRecord<Plan>["subscriptions"];
  readonly refusals: AccessRefusals;
  /** Where its calls may come from; undefined for anywhere. */
  readonly restriction: CallerRestriction | undefined;
  /** Its own limits, besides those of its plans; undefined for none. */
  readonly ownLimits: OwnLimits | undefined;
  readonly #plans: Plans;
  // Access to the services that it has called.
  #granted: Access[] | undefined;

  constructor({ key, account, subscriptions }: Credential, plans: Plans, refusals: AccessRefusals, { cell, epoch }: AccountEpoch) {
    this.cell = cell;
    this.epoch = epoch;
    this.identity = { accountId: account.id, keyId: key.id, keyLastFour: key.lastFour };
    this.state = key.revokedAtMs !== null ? "revoked" : key.disabled ? "disabled" : "enabled";
    this.expiresAtMs = key.expiresAtMs ?? Number.POSITIVE_INFINITY;
    this.services = key.services;
    this.isSuspended = account.suspended;
    this.subscriptions = subscriptions.flatMap(({ service, id, terms, state }) =>
      state === "cancelled" ? [] : [{ service, id, plan: plans.shared(terms), state }],
    );
    this.refusals = refusals;
    this.restriction = CallerRestriction.of(key);
    this.ownLimits = ownLimitsOf(key);
    this.#plans = plans;
  }

  get id(): string {
    return this.identity.keyId;
  }

  get accountId(): string {
    return this.identity.accountId;
  }

  /** Access to a service, apart from what depends on the time, or why there is none. */
  of(service: ServiceName): Access | Problem {
    for (const access of this.#granted ?? []) {
      if (access.principal.service === service) {
        return access;
      }
    }
    const access = this.#accessTo(service);
    if (!("reason" in access)) {
      this.#granted = [...(this.#granted ?? []), access];
    }
    return access;
  }

  #accessTo(service: ServiceName): Access | Problem {
    const { refusals, identity, epoch } = this;
    const subscription = subscriptionOf(this, service);
    if ("reason" in subscription) {
      return problemOf(subscription, refusals, () => this.#plans.of(service).find(isFree)?.name);
    }
    const { id: subscriptionId, plan } = subscription;
    const { accountId, keyId } = identity;
    const principal = { accountId, keyId, identity, subscriptionId, service, plan };
    return { principal, allowanceKey: allowanceKeyOf(accountId, service), epoch };
  }
}

/** Why a known key may not be used for anything at `nowMs`; undefined if it may. */
export function unusableAt(key: KnownKey, nowMs: number): Problem | undefined {
  const refusal = unusable(key, nowMs);
  return refusal && problemOf(refusal, key.refusals);
}

/** Why a known key may not be used for anything from this place at `nowMs`; undefined if it may. */
export function unusableFrom(key: KnownKey, place: CallerOrigin, nowMs: number): Problem | undefined {
  return unusableAt(key, nowMs) ?? key.restriction?.refusal(place);
}

/** A call for which access is requested. */
export interface AccessRequest extends CallerOrigin {
  readonly service: ServiceName;
}

/** A known key's access to a service at `nowMs`, or why there is none. */
export function accessOf(key: KnownKey, request: AccessRequest, nowMs: number): Access | Problem {
  return unusableFrom(key, request, nowMs) ?? key.of(request.service);
}
