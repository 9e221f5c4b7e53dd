// The tables as the queries see them. They use only types that both SQLite and PostgreSQL have: text, and whole numbers for times (Unix
// milliseconds) and booleans (0 or 1). The migrations create these tables.
import type { Generated, GeneratedAlways, Kysely } from "kysely";
import type { DeliveryState, DisabledBy } from "./alert-records.ts";
import type { IncidentImpact, IncidentState } from "./incident-records.ts";
import type { MailPurpose, MemberRole } from "./owner-records.ts";
import type { SubscriptionState } from "./records.ts";

/** Table name → its columns. */
export interface Tables {
  readonly accounts: AccountsTable;
  readonly api_keys: ApiKeysTable;
  readonly key_requests: KeyRequestsTable;
  readonly plans: PlansTable;
  readonly subscriptions: SubscriptionsTable;
  readonly payment_customers: PaymentCustomersTable;
  readonly payment_subscriptions: PaymentSubscriptionsTable;
  readonly payment_events: PaymentEventsTable;
  readonly paid_periods: PaidPeriodsTable;
  readonly month_leases: MonthLeasesTable;
  readonly quota_raises: QuotaRaisesTable;
  readonly former_accounts: FormerAccountsTable;
  readonly usage_counts: UsageCountsTable;
  readonly usage_hours: UsageHoursTable;
  readonly refusal_counts: RefusalCountsTable;
  readonly refusal_hours: RefusalHoursTable;
  readonly count_batches: CountBatchesTable;
  readonly count_writers: CountWritersTable;
  readonly count_buckets: CountBucketsTable;
  readonly health_hours: HealthHoursTable;
  readonly latency_hours: LatencyHoursTable;
  readonly latency_days: LatencyDaysTable;
  readonly key_uses: KeyUsesTable;
  readonly logged_calls: LoggedCallsTable;
  readonly parameter_logs: ParameterLogsTable;
  readonly members: MembersTable;
  readonly invitations: InvitationsTable;
  readonly owners: OwnersTable;
  readonly owner_sessions: OwnerSessionsTable;
  readonly mail_tokens: MailTokensTable;
  readonly two_factors: TwoFactorsTable;
  readonly recovery_codes: RecoveryCodesTable;
  readonly sign_in_challenges: SignInChallengesTable;
  readonly passkeys: PasskeysTable;
  readonly passkey_challenges: PasskeyChallengesTable;
  readonly nodes: NodesTable;
  readonly change_counter: ChangeCounterTable;
  readonly changes: ChangesTable;
  readonly audit_entries: AuditEntriesTable;
  readonly alert_checks: AlertChecksTable;
  readonly recent_calls: RecentCallsTable;
  readonly alerts: AlertsTable;
  readonly alert_deliveries: AlertDeliveriesTable;
  readonly alert_preferences: AlertPreferencesTable;
  readonly webhook_endpoints: WebhookEndpointsTable;
  readonly webhook_attempts: WebhookAttemptsTable;
  readonly incidents: IncidentsTable;
  readonly incident_updates: IncidentUpdatesTable;
  readonly quintet_migrations: AppliedMigrationsTable;
}

/** Runs queries: a database or a transaction. */
export type Queries = Kysely<Tables>;

/** 1 for yes, 0 for no. */
type Flag = 0 | 1;

interface AccountsTable {
  readonly id: string;
  readonly name: string;
  readonly email: string | null;
  readonly suspended: Flag;
  readonly created_at_ms: number;
  /** Whether its owner may manage all accounts. */
  readonly operator: Generated<Flag>;
  /** When the owner followed a link that was sent to the address; null if they never did. */
  readonly email_verified_at_ms: Generated<number | null>;
  /** `email` in lower case and without its tag. */
  readonly mailbox: Generated<string | null>;
  /** Null for an account that is not deleted. */
  readonly deleted_at_ms: Generated<number | null>;
}

interface ApiKeysTable {
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
interface KeyRequestsTable {
  readonly account_id: string;
  /** A UUID that the caller generated. */
  readonly request_id: string;
  /** The SHA-256 of the request, as hex. */
  readonly asked: string;
  readonly key_id: string;
  readonly made_at_ms: number;
}

/** The versions of plans. Only `position` ever changes. */
interface PlansTable {
  /** `radio/pro/2`: the service, the plan's name, and the number of the version. */
  readonly id: string;
  readonly service: string;
  readonly name: string;
  readonly version: number;
  /** The price of a billing interval, in the currency's minor unit. */
  readonly price_minor: number;
  /** ISO 4217. */
  readonly currency: string;
  readonly billing_interval: "month";
  readonly calls_per_month: number;
  readonly requests_per_second: number;
  /** A JSON object. */
  readonly entitlements: string;
  /** Its place among the plans on offer; null if it is not offered. */
  readonly position: number | null;
  readonly created_at_ms: number;
}

interface SubscriptionsTable {
  readonly id: string;
  readonly account_id: string;
  readonly service: string;
  readonly plan_id: string;
  /** When the customer chose this version, or was moved to it. */
  readonly agreed_at_ms: number;
  readonly requested_plan_id: string | null;
  readonly requested_at_ms: number | null;
  /** The version to which the subscription will be moved; null for none. */
  readonly moves_to_plan_id: string | null;
  readonly moves_at_ms: number | null;
  readonly state: SubscriptionState;
  readonly created_at_ms: number;
}

/** Who pays for an account at Stripe. */
interface PaymentCustomersTable {
  readonly account_id: string;
  /** `cus_...` */
  readonly customer_id: string;
  readonly created_at_ms: number;
}

/** What was last read of a subscription at Stripe, and whether the account has its plan. */
interface PaymentSubscriptionsTable {
  /** `sub_...` */
  readonly id: string;
  readonly account_id: string;
  readonly service: string;
  /** The version of the plan that is paid; null if what is paid is no plan of the service. */
  readonly plan_id: string | null;
  /** The subscription that it pays for; null if it never has. */
  readonly subscription_id: string | null;
  /** As Stripe names it. */
  readonly status: string;
  /** Whether the subscription has the plan because of it. */
  readonly is_granted: Flag;
  /** Whether Stripe collects nothing for the time being. */
  readonly is_paused: Flag;
  /** The end of what is paid and of the grace after it; 0 if nothing is. */
  readonly entitled_until_ms: number;
  /** Since when an invoice is open; null if none is. */
  readonly unpaid_since_ms: number | null;
  /** When Stripe will cancel it; null if it continues. */
  readonly cancels_at_ms: number | null;
  /** `dispute` or `refund`; null if neither ended it. */
  readonly ended_because: string | null;
  /** Stripe's page of the last invoice. */
  readonly invoice_url: string | null;
  readonly created_at_ms: number;
  readonly read_at_ms: number;
  /** Counts the changes of the row. */
  readonly version: number;
}

/** Events that Stripe has sent. */
interface PaymentEventsTable {
  /** `evt_...` */
  readonly id: string;
  readonly type: string;
  readonly received_at_ms: number;
  /** Null until what it is about has been read from Stripe. */
  readonly handled_at_ms: number | null;
}

/** When a subscription was active on a version that costs something. */
interface PaidPeriodsTable {
  readonly subscription_id: string;
  readonly account_id: string;
  readonly service: string;
  readonly plan_id: string;
  readonly began_at_ms: number;
  /** Null while it lasts. */
  readonly ended_at_ms: number | null;
}

/** Deleted accounts whose monthly usage continues in the next account with the same e-mail address. */
interface FormerAccountsTable {
  /** The SHA-256 of the month and the address in lower case, as hex. */
  readonly email_hash: string;
  readonly account_id: string;
  /** The month in which it was deleted. */
  readonly month: string;
}

/** The accounts that want the parameters of their calls kept. */
interface ParameterLogsTable {
  readonly account_id: string;
}

interface AlertPreferencesTable {
  readonly account_id: string;
  /** A JSON array: the types of alerts that are not mailed. */
  readonly muted: string;
}

/** The owner of an account, who signs in to it. */
interface OwnersTable {
  readonly account_id: string;
  /** In lower case. */
  readonly email: string;
  /** The scrypt hash, with its salt and its cost. */
  readonly password_hash: string;
  readonly created_at_ms: number;
  /** When the password was set. */
  readonly changed_at_ms: number;
}

interface OwnerSessionsTable {
  /** The SHA-256 of the token, lower-case hex. */
  readonly token_hash: string;
  readonly account_id: string;
  readonly begun_at_ms: number;
  readonly expires_at_ms: number;
  /** Null if it was not used after it started. */
  readonly last_used_at_ms: Generated<number | null>;
  /** Where it started, and in which program; null if unknown. */
  readonly address: Generated<string | null>;
  readonly user_agent: Generated<string | null>;
}

/** Mailed links. The column `password_hash` is no longer used: servers of an older version, which write it, may still run. */
interface MailTokensTable {
  /** The SHA-256 of the token, lower-case hex. */
  readonly token_hash: string;
  readonly purpose: MailPurpose;
  /** In lower case. */
  readonly email: string;
  readonly account_id: string | null;
  readonly created_at_ms: number;
  readonly expires_at_ms: number;
}

/** The second factor of an owner. */
interface TwoFactorsTable {
  readonly account_id: string;
  /** The secret of the authenticator app, in base32. */
  readonly secret: string;
  /** Null until the owner has confirmed the secret. */
  readonly on_since_ms: number | null;
  /** The time step of the last code that was used. Only codes of later steps count. */
  readonly last_step: number;
  /** Wrong codes since the last right one. */
  readonly failures: number;
  /** No code is checked before this time. */
  readonly wait_until_ms: number;
}

interface RecoveryCodesTable {
  readonly account_id: string;
  /** The SHA-256 of the code, lower-case hex. */
  readonly code_hash: string;
}

/** Sign-ins that still need a code. */
interface SignInChallengesTable {
  /** The SHA-256 of the token, lower-case hex. */
  readonly token_hash: string;
  readonly account_id: string;
  readonly created_at_ms: number;
  readonly expires_at_ms: number;
}

/** Public keys of owners' authenticators. */
interface PasskeysTable {
  /** A UUID. */
  readonly id: string;
  readonly account_id: string;
  /** The id that the authenticator gave it, in base64url. */
  readonly credential_id: string;
  /** A COSE key, in base64url. */
  readonly public_key: string;
  /** How many signatures the authenticator says that it has made; 0 if it does not count. */
  readonly counter: number;
  /** A JSON array. */
  readonly transports: string;
  readonly name: string;
  readonly created_at_ms: number;
  readonly last_used_at_ms: number | null;
}

/** Challenges that an authenticator has not signed yet. */
interface PasskeyChallengesTable {
  /** The SHA-256 of the challenge, lower-case hex. */
  readonly challenge_hash: string;
  /** The account that is adding a passkey; null for a sign-in. */
  readonly account_id: string | null;
  readonly expires_at_ms: number;
}

/** Who may use an account besides the person whose own account it is. */
interface MembersTable {
  readonly account_id: string;
  /** The person's own account. */
  readonly member_account_id: string;
  readonly role: MemberRole;
  readonly created_at_ms: number;
}

/** Invitations, including those that were accepted or withdrawn, because they count against the daily limit. */
interface InvitationsTable {
  readonly id: string;
  readonly account_id: string;
  /** In lower case. Empty once the invitation has ended. */
  readonly email: string;
  readonly role: MemberRole;
  /** The SHA-256 of the link's token, lower-case hex. */
  readonly token_hash: string;
  /** The account of the owner who sent the invitation. */
  readonly invited_by: string;
  readonly created_at_ms: number;
  readonly expires_at_ms: number;
  /** When it was accepted or withdrawn; null while it is open. */
  readonly ended_at_ms: number | null;
}

/** A server that shares the database with others. */
interface NodesTable {
  readonly id: string;
  /** The number of the last change that it has applied. */
  readonly change_number: number;
  /** The time until which it may be serving, by the database's clock. */
  readonly expires_at_ms: number;
  /** The version of the protocol by which it receives changes. */
  readonly protocol: number;
}

/** One row: the last change. */
interface ChangeCounterTable {
  readonly number: number;
  /** Empty if there was none. */
  readonly change_id: string;
  readonly previous_id: string;
}

/** The last changes to accounts, keys and subscriptions. */
interface ChangesTable {
  readonly number: number;
  /** A random id. */
  readonly change_id: string;
  /** The id of the change before it. */
  readonly previous_id: string;
  readonly account_id: string;
}

/** Who changed what. */
interface AuditEntriesTable {
  readonly number: Generated<number>;
  readonly at_ms: number;
  readonly actor_kind: string;
  readonly actor: string;
  readonly origin: string;
  readonly action: string;
  readonly account_id: string | null;
  readonly subject: string | null;
  /** A JSON object. */
  readonly details: string;
  /** Whether entries of its kind are frequent. */
  readonly is_routine: Generated<Flag>;
}

interface AppliedMigrationsTable {
  readonly name: string;
  readonly applied_at_ms: number;
  /** Whether older versions can work with it. */
  readonly additive: Generated<Flag>;
}

/** Months of subscriptions whose calls have been added up since they were last checked. */
interface AlertChecksTable {
  readonly account_id: string;
  readonly service: string;
  readonly month: string;
  readonly noted_at_ms: number;
}

/** Calls in the last few hours. */
interface RecentCallsTable {
  readonly account_id: string;
  readonly service: string;
  /** When the five minutes begin. */
  readonly since_ms: number;
  readonly calls: number;
  readonly failed: number;
}

interface AlertsTable {
  /** A UUID: a hash of account, type, subject, period and level. */
  readonly id: string;
  readonly account_id: string;
  readonly type: string;
  readonly subject: string;
  readonly period: string;
  readonly level: number;
  readonly created_at_ms: number;
  /** A JSON object. */
  readonly details: string;
}

interface AlertDeliveriesTable {
  /** A UUID: a hash of the alert and the receiver. */
  readonly id: string;
  readonly alert_id: string;
  readonly account_id: string;
  /** Null for an e-mail to the owner. */
  readonly endpoint_id: string | null;
  readonly state: DeliveryState;
  readonly created_at_ms: number;
  /** How many times a server has started to send it. */
  readonly attempts: number;
  /** When a server may send it or, while one does, when another may take over. */
  readonly due_at_ms: number;
  readonly last_attempt_at_ms: number | null;
  readonly last_result: string | null;
}

interface WebhookEndpointsTable {
  readonly id: string;
  readonly account_id: string;
  readonly url: string;
  readonly description: string;
  /** A JSON array; empty for all types of alerts. */
  readonly alert_types: string;
  readonly secret: string;
  readonly previous_secret: string | null;
  readonly previous_until_ms: number | null;
  readonly disabled_by: DisabledBy | null;
  readonly failing_since_ms: number | null;
  readonly created_at_ms: number;
}

interface WebhookAttemptsTable {
  readonly delivery_id: string;
  readonly attempt: number;
  readonly account_id: string;
  readonly endpoint_id: string;
  readonly at_ms: number;
  readonly duration_ms: number;
  readonly http_status: number | null;
  readonly response: string;
  readonly error: string | null;
}

interface IncidentsTable {
  readonly id: string;
  readonly title: string;
  readonly impact: IncidentImpact;
  /** A JSON array; empty for all. */
  readonly services: string;
  readonly begins_at_ms: number;
  readonly ends_at_ms: number | null;
  readonly created_at_ms: number;
}

interface IncidentUpdatesTable {
  readonly incident_id: string;
  /** Counts from 1. */
  readonly number: number;
  readonly at_ms: number;
  readonly state: IncidentState;
  readonly text: string;
}

/**
 * Calls of a month that nodes have leased, by account and service, so that a subscription that follows a cancelled one continues its count.
 */
interface MonthLeasesTable {
  readonly account_id: string;
  /** For a key's cap, `key:` followed by the cap's id. */
  readonly service: string;
  readonly month: string;
  readonly leased: number;
  /** Calls that an operator has credited on top of the plan's. */
  readonly credited: Generated<number>;
  /** How many of the leased calls were never leased by a server, but counted as used because the database had lost its counts. */
  readonly raised: Generated<number>;
  /** Whether nothing more is leased, because the monthly usage continues in another account. */
  readonly closed: Generated<Flag>;
  /** The number of digits of `leased`, times ten, and its first digit; 0 below 1,000. */
  readonly magnitude: GeneratedAlways<number>;
}

/** One row for each time that calls were counted as used because the database had lost its counts. */
interface QuotaRaisesTable {
  readonly id: string;
  readonly month: string;
  /** For how many seconds of a plan's rate each subscription is charged; 0 if it is charged by `percent`. */
  readonly seconds: number;
  /** The percentage of its monthly quota that each subscription is charged; 0 if it is charged by `seconds`. */
  readonly percent: number;
  readonly made_at_ms: number;
}

interface UsageCountsTable {
  readonly account_id: string;
  readonly key_id: string;
  readonly service: string;
  readonly method: string;
  readonly day: string;
  readonly outcome: string;
  readonly calls: number;
}

/** Calls in the last few days by hour. The hours of a day add up to its counts above. */
interface UsageHoursTable {
  readonly account_id: string;
  readonly key_id: string;
  readonly service: string;
  readonly method: string;
  /** UTC, `2026-11-21T14`. */
  readonly hour: string;
  readonly outcome: string;
  readonly calls: number;
}

/** Refused calls with keys that are known. */
interface RefusalCountsTable {
  readonly account_id: string;
  /** Empty if an account had too many kinds of refusals in a day to count them by key. */
  readonly key_id: string;
  readonly service: string;
  readonly day: string;
  readonly reason: string;
  readonly calls: number;
  /** A plan with this many requests per second would have admitted all these calls; 0 if that is not known. */
  readonly rate_needed: number;
}

/** Refused calls in the last few days by hour. The hours of a day add up to its counts above. */
interface RefusalHoursTable {
  readonly account_id: string;
  /** Empty as in the table above. */
  readonly key_id: string;
  readonly service: string;
  /** UTC, `2026-11-21T14`. */
  readonly hour: string;
  readonly reason: string;
  readonly calls: number;
}

/** Counts that servers have written and that have not been added to the tables above yet. */
interface CountBatchesTable {
  /** From 0 to 63. All counts of an account are in the same bucket. */
  readonly bucket: number;
  /** A UUID. */
  readonly writer: string;
  /** The number of the writer's batch. */
  readonly number: number;
  readonly kind: "usage" | "refusals";
  readonly written_at_ms: number;
  /** How many counts the batch has. */
  readonly size: number;
  /** A JSON array. */
  readonly counts: string;
}

/** The last batch of each writer. */
interface CountWritersTable {
  readonly writer: string;
  readonly number: number;
  readonly written_at_ms: number;
}

/** One row for each bucket. */
interface CountBucketsTable {
  readonly bucket: number;
  readonly added_up_at_ms: number;
}

/** When each key was last used. */
interface KeyUsesTable {
  readonly key_id: string;
  readonly account_id: string;
  readonly last_used_at_ms: number;
}

/** The call log: a bounded number of calls per second, for the last seven days. */
interface LoggedCallsTable {
  readonly account_id: string;
  readonly started_at_ms: number;
  readonly id: string;
  readonly service: string;
  readonly method: string;
  readonly protocol: string;
  readonly http_status: number;
  readonly outcome: string;
  readonly refused: Flag;
  readonly dry_run: Flag;
  readonly duration_us: number;
  readonly request_bytes: number;
  readonly response_bytes: number;
  readonly request_id: string;
  readonly key_id: string;
  readonly key_last_four: string;
  /** How many of the account's calls in the same second are not in the log. */
  readonly left_out: number;
  /** The request message in JSON; null if it is not kept. */
  readonly parameters: string | null;
}

/** How long calls in the last few days took, by hour. The columns `took_0` to `took_18` count the calls in each latency bucket. */
interface LatencyHoursTable {
  readonly account_id: string;
  /** UTC, `2026-11-21T14`. */
  readonly hour: string;
  readonly service: string;
  readonly [took: `took_${number}`]: number;
}

/** How long calls took, by day, in the same columns. */
interface LatencyDaysTable {
  readonly account_id: string;
  readonly day: string;
  readonly service: string;
  readonly [took: `took_${number}`]: number;
}

/**
 * What servers measured in an hour, of calls to a service or of requests to its source. The columns `took_0` to `took_12` count them by
 * latency bucket.
 */
interface HealthHoursTable {
  readonly hour: string;
  readonly service: string;
  readonly part: string;
  readonly calls: number;
  readonly failed: number;
  readonly refused: number;
  readonly [took: `took_${number}`]: number;
}
