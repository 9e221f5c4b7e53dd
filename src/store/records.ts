// The records of accounts, keys, subscriptions and months that the store keeps and returns, and the queries for them.
import type { Plan } from "../catalogue/plan.ts";
import type { ServiceName } from "../catalogue/service-names.ts";
import type { Month } from "../runtime/calendar.ts";

/** A customer. */
export interface Account {
  readonly id: string;
  /** Unique. The command line accepts it in place of the id. */
  readonly name: string;
  readonly email: string | null;
  /** A suspended account's calls are refused. */
  readonly suspended: boolean;
  /** Whether its owner is an operator, who may manage all accounts. */
  readonly isOperator: boolean;
  readonly createdAtMs: number;
  /** When the owner followed a link that was sent to the address. Left out if they never did. */
  readonly emailVerifiedAtMs?: number;
}

/** Where calls with a key may come from. */
export interface AllowedCallers {
  /** Addresses and networks in CIDR notation, in canonical form; empty for all. */
  readonly allowedAddresses: readonly string[];
  /** Origins of pages, as browsers send them; empty for all callers. */
  readonly allowedOrigins: readonly string[];
}

/** A key's own limits, in addition to those of the plans. Null for none. A key and its successors by rotation share them. */
export interface KeyLimits {
  /** Calls to all services together. */
  readonly callsPerMonth: number | null;
  /** Requests to all services together. */
  readonly requestsPerSecond: number | null;
}

/** A key's monthly cap, which it shares with the keys that it replaced. */
export interface KeyCap {
  readonly accountId: string;
  /** The id of the first of these keys. */
  readonly capId: string;
}

/** What a month's calls are leased for: a subscription, by its id, or the cap of a key. */
export type LeaseSubject = string | KeyCap;

/** An API key, without the key: only its SHA-256 is stored. */
export interface Key extends AllowedCallers, KeyLimits, KeyCap {
  readonly id: string;
  /** The name that the customer gave it. */
  readonly name: string;
  /** For display: `qk_live_`, without any of the secret. */
  readonly prefix: string;
  readonly lastFour: string;
  /** The services that it may call; null for all. */
  readonly services: readonly ServiceName[] | null;
  readonly createdAtMs: number;
  readonly expiresAtMs: number | null;
  /** Its original lifetime; null if it does not expire. A rotation, which lets it expire sooner, does not change this. */
  readonly lifetimeMs: number | null;
  readonly disabled: boolean;
  readonly revokedAtMs: number | null;
  /** What the customer wrote about it, for people only; empty if nothing. */
  readonly notes: string;
  /** The id of the key that replaced it in a rotation, and that may since have been deleted; null if it was not replaced. */
  readonly replacedBy: string | null;
}

/** `requested`: a paid plan that is pending activation. `active`: calls are allowed. `cancelled`: has ended. */
export type SubscriptionState = "requested" | "active" | "cancelled";

/** A version of a plan, and when it was requested or begins. */
export interface PlanRequest {
  readonly terms: Plan;
  readonly atMs: number;
}

/** A version of a plan that is offered or has subscribers. */
export interface PlanVersion extends Plan {
  /** Otherwise it is retired: its subscribers keep it, and nobody else can choose it. */
  readonly isOffered: boolean;
  readonly subscribers: number;
  /** How many of them will be moved to another version. */
  readonly moving: number;
  readonly createdAtMs: number;
}

/**
 * What a plan file changes. `offered`: a plan that was not on offer. `changed`: another version is. `retired`: no longer offered, but kept
 * by its subscribers. `removed`: no longer offered, and without subscribers.
 */
export interface PlanChange {
  readonly kind: "offered" | "changed" | "unchanged" | "retired" | "removed";
  readonly plan: Plan;
  /** What is offered today; undefined if the plan is not. */
  readonly before: PlanVersion | undefined;
}

/** An account's subscription to a service. At most one per account and service is not cancelled. */
/** The time that a subscription was active on a version that costs something. */
export interface PaidPeriod {
  readonly subscriptionId: string;
  readonly accountId: string;
  /** Null if the account has been deleted. */
  readonly accountName: string | null;
  readonly terms: Plan;
  readonly beganAtMs: number;
  /** Null while it lasts. */
  readonly endedAtMs: number | null;
  /** What was last read of the payment at Stripe; undefined if an operator activated the plan. */
  readonly payment: { readonly id: string; readonly invoiceUrl: string | null; readonly unpaidSinceMs: number | null } | undefined;
}

export interface Subscription {
  readonly id: string;
  readonly accountId: string;
  readonly service: ServiceName;
  /** The plan's name. */
  readonly plan: string;
  /** The version of the plan, which it keeps until it is moved or the customer changes the plan. */
  readonly terms: Plan;
  /** When the customer chose that version, or was moved to it. */
  readonly agreedAtMs: number;
  /** The plan that the customer has requested and an operator has not activated yet, besides the active one. */
  readonly requestedPlan: string | null;
  /** The requested version, and when it was requested. */
  readonly request: PlanRequest | null;
  /** The version to which it will be moved, and when. */
  readonly move: PlanRequest | null;
  readonly state: SubscriptionState;
  readonly createdAtMs: number;
}

/** Everything that the guard must know about a key. */
export interface Credential {
  readonly key: Key;
  readonly account: Account;
  /** The account's subscriptions that are not cancelled; and, as `unpaid`, the last ones that ended because they were not paid. */
  readonly subscriptions: readonly (Pick<Subscription, "id" | "service" | "terms"> & {
    readonly state: SubscriptionState | "unpaid";
  })[];
}

export interface LeaseGrant {
  /** How many calls were leased: 0 if all calls of the month already are. */
  readonly granted: number;
  /** How many calls of the month no node has leased. */
  readonly unleased: number;
}

export interface AccountQuery {
  /** A substring of the name or the e-mail address, in any case, or the whole id; empty for all. */
  readonly search: string;
  readonly onlySuspended: boolean;
  readonly onlyOperators: boolean;
  readonly limit: number;
  readonly offset: number;
}

/** A page of accounts, and how many there are in total. */
export interface AccountPage {
  readonly total: number;
  readonly accounts: readonly Account[];
}

export interface SubscriptionQuery {
  /** Left out for all accounts. */
  readonly accountId?: string | undefined;
  readonly includeCancelled: boolean;
  /** Whether to select only subscriptions with a plan that is pending activation. */
  readonly pendingOnly: boolean;
  readonly limit: number;
  readonly offset: number;
}

/** A page of subscriptions with their accounts, and how many there are in total. */
export interface SubscriptionPage {
  readonly total: number;
  readonly rows: readonly { readonly account: Account; readonly subscription: Subscription }[];
}

/** How much of a subscription's monthly quota is leased, including calls that nodes hold and have not spent. */
export interface LeasedCalls {
  readonly subscriptionId: string;
  readonly month: Month;
  readonly leased: number;
  /** Calls that an operator has credited on top of the plan's. */
  readonly credited: number;
  /** How many of the leased calls count as used because the database had lost its counts. No server ever held them. */
  readonly raised: number;
}

/** How much of a key's cap is leased in a month, including calls that nodes hold and have not spent. */
export interface LeasedCapCalls {
  readonly capId: string;
  readonly month: Month;
  readonly leased: number;
  /** Always 0: no calls are ever added to a cap. */
  readonly credited: 0;
}

/** Calls of a month that count as used because the database has lost its counts. */
export interface QuotaRaise {
  readonly id: string;
  readonly month: Month;
  /** Charges each subscription the calls that its plan's rate allows in this many seconds. A whole number; 0 if it charges by `percent`. */
  readonly seconds: number;
  /** Charges each subscription this percentage, 1 to 100, of its plan's calls plus its credited calls; 0 if it charges by `seconds`. */
  readonly percent: number;
}

/** What a plan allows in a month. It decides how much a subscription is charged for calls that the database has lost. */
export interface PlanTerms {
  readonly callsPerMonth: number;
  readonly requestsPerSecond: number;
}

/** Calls that an operator gave a subscription in addition to its plan's, and the month's total of such calls so far. */
export interface CreditedCalls {
  readonly accountId: string;
  readonly service: ServiceName;
  readonly month: Month;
  readonly credited: number;
}

export interface KeyRequest {
  /** A UUID that the caller generated. */
  readonly id: string;
  /** The SHA-256 of the request, as hex: the same id with a different request is an error. */
  readonly inputHash: string;
}

/** A key's position in the list of an account's keys. */
export type KeyCursor = Pick<Key, "id" | "createdAtMs">;

/** A new key. The secret itself never reaches the store. A limit that is left out does not apply. */
export interface NewKey extends Partial<AllowedCallers>, Partial<KeyLimits> {
  readonly id: string;
  readonly accountId: string;
  readonly name: string;
  readonly hash: string;
  readonly prefix: string;
  readonly lastFour: string;
  readonly services: readonly ServiceName[] | null;
  readonly expiresAtMs: number | null;
  /** The time from now until it expires; null if it does not expire. */
  readonly lifetimeMs: number | null;
  /** Left out for none. */
  readonly notes?: string | undefined;
  /** The request for the key, if it may be repeated. */
  readonly request?: KeyRequest | undefined;
}

/** The new key of a rotation. It gets the old key's name, services, notes, allowed callers and limits. */
export type NextKey = Omit<NewKey, "name" | "services" | "notes" | keyof AllowedCallers | keyof KeyLimits>;

/** What to change in a key. A field that is left out stays as it is. */
export interface KeyChanges extends Partial<AllowedCallers>, Partial<KeyLimits> {
  readonly name?: string | undefined;
  readonly disabled?: boolean | undefined;
  /** Null for all. */
  readonly services?: readonly ServiceName[] | null | undefined;
  readonly notes?: string | undefined;
}

/** Where a session started, and in which program, if known. */
export interface SessionOrigin {
  readonly address?: string | undefined;
  readonly userAgent?: string | undefined;
}
