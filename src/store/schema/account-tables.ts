// The tables of accounts: their keys, their subscriptions, and their owners' preferences.
import type { Generated } from "kysely";
import type { SubscriptionState } from "../records.ts";
import type { Flag } from "./flag.ts";

export interface AccountsTable {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly suspended: Flag;
  readonly created_at_ms: number;
  /** Whether its owner may manage all accounts. */
  readonly operator: Generated<Flag>;
  /** When the owner followed a link that was sent to the address; null if they never did. */
  readonly email_verified_at_ms: Generated<number | null>;
  /** Null for an account that is not deleted. */
  readonly deleted_at_ms: Generated<number | null>;
}

export interface ApiKeysTable {
  readonly id: string;
  readonly account_id: string;
  readonly name: string;
  readonly hash: string;
  readonly prefix: string;
  readonly last_four: string;
  /** A JSON array of service names; null for all. */
  readonly services: string | null;
  readonly created_at_ms: number;
  readonly expires_at_ms: number | null;
  readonly lifetime_ms: number | null;
  readonly disabled: Flag;
  readonly revoked_at_ms: number | null;
  readonly notes: Generated<string>;
  /** The id of the last key that replaced it; null if none did. */
  readonly replaced_by: Generated<string | null>;
  /** A JSON array of addresses and networks; null for all. */
  readonly allowed_addresses: Generated<string | null>;
  /** A JSON array of origins; null for all. */
  readonly allowed_origins: Generated<string | null>;
  /** Null for no limit of its own. */
  readonly calls_per_month: Generated<number | null>;
  /** Null for no limit of its own. */
  readonly requests_per_second: Generated<number | null>;
  /** The id of the first of the keys that replaced each other by rotation; null if it is this one. */
  readonly cap_id: Generated<string | null>;
}

/** The requests in the last day that created keys. */
export interface KeyRequestsTable {
  readonly account_id: string;
  /** A UUID that the caller generated. */
  readonly request_id: string;
  /** The SHA-256 of the request, as hex. */
  readonly asked: string;
  readonly key_id: string;
  readonly made_at_ms: number;
}

export interface SubscriptionsTable {
  readonly id: string;
  readonly account_id: string;
  readonly service: string;
  readonly plan: string;
  readonly requested_plan: string | null;
  readonly state: SubscriptionState;
  readonly created_at_ms: number;
}

/** Deleted accounts whose monthly usage continues in the next account with the same e-mail address. */
export interface FormerAccountsTable {
  /** The SHA-256 of the month and the address in lower case, as hex. */
  readonly email_hash: string;
  readonly account_id: string;
  /** The month in which it was deleted. */
  readonly month: string;
}

/** The accounts that want the parameters of their calls kept. */
export interface ParameterLogsTable {
  readonly account_id: string;
}

export interface AlertPreferencesTable {
  readonly account_id: string;
  /** A JSON array: the types of alerts that are not mailed. */
  readonly muted: string;
}
