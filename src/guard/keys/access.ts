// What a known key may call, apart from what depends on the time. It is computed once for each key and service, and kept until the account
// changes.
import type { Plan } from "../../catalogue/plan.ts";
import type { Plans } from "../../catalogue/plans.ts";
import { SERVICE_NAMES, type ServiceName } from "../../catalogue/service-names.ts";
import type { Problem } from "../../problem/problem.ts";
import type { Credential } from "../../store/records.ts";
import type { AccessRefusals } from "./access-refusals.ts";

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
  /** The account's epoch in which this was true. */
  readonly epoch: number;
}

/** Where an account's changes are counted, and the count at which the cached facts were true. */
export interface KnownIn {
  readonly cell: number;
  readonly epoch: number;
}

export interface KnownKey extends KnownIn {
  readonly identity: CallerIdentity;
  /** When the key expires, in milliseconds since the epoch; Infinity if it does not. */
  readonly expiresAtMs: number;
  /** Why the key may not be used at all; undefined if it may. */
  readonly unusable: Problem | undefined;
  readonly refusals: AccessRefusals;
  /** For each service, access to it or why there is none. */
  readonly services: Readonly<Record<ServiceName, Access | Problem>>;
}

/** Why a known key may not be used for anything at `nowMs`; undefined where it may. */
export function unusableAt({ unusable, expiresAtMs, refusals }: KnownKey, nowMs: number): Problem | undefined {
  return unusable ?? (nowMs >= expiresAtMs ? refusals.expired(expiresAtMs) : undefined);
}

/** A known key's access to a service at `nowMs`, or why there is none. */
export function accessOf(key: KnownKey, service: ServiceName, nowMs: number): Access | Problem {
  return unusableAt(key, nowMs) ?? key.services[service];
}

/** Computes what a key may call. */
export function knownKeyOf(credential: Credential, plans: Plans, refusals: AccessRefusals, knownIn: KnownIn): KnownKey {
  const { key, account } = credential;
  const identity = { accountId: account.id, keyId: key.id, keyLastFour: key.lastFour };
  const { epoch } = knownIn;
  const entries = SERVICE_NAMES.map((service) => [service, accessTo(service, credential, { identity, plans, refusals, epoch })]);
  return {
    ...knownIn,
    identity,
    expiresAtMs: key.expiresAtMs ?? Number.POSITIVE_INFINITY,
    unusable: key.revokedAtMs !== null ? refusals.revoked() : key.disabled ? refusals.disabled() : undefined,
    refusals,
    services: Object.fromEntries(entries) as Record<ServiceName, Access | Problem>,
  };
}

interface AccessContext {
  readonly identity: CallerIdentity;
  readonly plans: Plans;
  readonly refusals: AccessRefusals;
  readonly epoch: number;
}

function accessTo(
  service: ServiceName,
  { key, account, subscriptions }: Credential,
  { identity, plans, refusals, epoch }: AccessContext,
): Access | Problem {
  if (key.services !== null && !key.services.includes(service)) {
    return refusals.outOfScope(service, key.services);
  }
  if (account.suspended) {
    return refusals.suspended(service);
  }
  const subscription = subscriptions.find((one) => one.service === service && one.state !== "cancelled");
  if (subscription === undefined) {
    return refusals.notSubscribed(
      service,
      plans.of(service).some(({ priceMinor }) => priceMinor === 0),
    );
  }
  if (subscription.state === "requested") {
    return refusals.notActivated(service, subscription.plan);
  }
  const plan = plans.find(service, subscription.plan);
  if (plan === undefined) {
    return refusals.planWithdrawn(service, subscription.plan);
  }
  const principal = {
    accountId: account.id,
    keyId: key.id,
    identity,
    subscriptionId: subscription.id,
    service,
    plan,
  };
  return { principal, allowanceKey: allowanceKeyOf(account.id, service), epoch };
}
