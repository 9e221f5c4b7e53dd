// The tables of the first release, for both databases. Column types are those that both accept; `bigint` holds counts and Unix
// milliseconds.
import { type Kysely, sql } from "kysely";
import { isPostgres as isOnPostgres } from "../repositories/dialect.ts";

const COUNT_BUCKETS = 64;

/** Creates the tables. */
export async function up(db: Kysely<never>): Promise<void> {
  for (const statement of statements(isOnPostgres(db))) {
    await sql.raw(statement).execute(db);
  }
}

/** In this order. The types of the tables are generated from them. */
export const statements = (isPostgres: boolean): readonly string[] => [...tables(isPostgres), ...(isPostgres ? ON_POSTGRES : [])];

// Of a distribution: how many were in each range.
const buckets = (count: number): string => Array.from({ length: count }, (_, index) => `took_${index} bigint not null`).join(", ");

function tables(isPostgres: boolean): readonly string[] {
  // The number of digits, times ten, plus the first digit: it changes only a few times in a month, so that the many updates of a row hardly
  // ever touch its index.
  const magnitude = isPostgres
    ? "length(leased::text) * 10 + substr(leased::text, 1, 1)::integer"
    : "length(leased) * 10 + substr(leased, 1, 1)";
  return [
    // Accounts, their owners and how these sign in.
    `create table accounts (
      id text primary key, name text not null unique, email text, suspended integer not null check (suspended in (0, 1)),
      created_at_ms bigint not null,
      operator integer default 0 not null check (operator in (0, 1)), -- Whether its owner may manage all accounts
      deleted_at_ms bigint, -- Null for an account that is not deleted
      email_verified_at_ms bigint, -- When the owner followed a link that was sent to the address; null if they never did
      mailbox text -- email in lower case and without its tag
    )`,
    "create index accounts_by_creation on accounts (created_at_ms desc, id) where deleted_at_ms is null",
    "create index accounts_by_deletion on accounts (deleted_at_ms) where deleted_at_ms is not null",
    "create index accounts_by_email on accounts (lower(email))",
    "create index accounts_by_mailbox on accounts (mailbox)",
    "create index accounts_counted on accounts (operator) where deleted_at_ms is null",
    "create index accounts_of_operators on accounts (created_at_ms desc, id) where operator = 1 and deleted_at_ms is null",
    "create index accounts_suspended on accounts (created_at_ms desc, id) where suspended = 1 and deleted_at_ms is null",
    // The owner of an account, who signs in to it.
    `create table owners (
      account_id text primary key references accounts (id),
      email text not null unique, -- In lower case
      password_hash text not null, -- The scrypt hash, with its salt and its cost
      created_at_ms bigint not null,
      changed_at_ms bigint not null -- When the password was set
    )`,
    `create table owner_sessions (
      token_hash text primary key, -- The SHA-256 of the token, lower-case hex
      account_id text not null references owners (account_id), begun_at_ms bigint not null, expires_at_ms bigint not null,
      last_used_at_ms bigint, -- Null if it was not used after it started
      address text, -- Where it started, and in which program; null if unknown
      user_agent text
    )`,
    "create index owner_sessions_by_account on owner_sessions (account_id)",
    "create index owner_sessions_by_expiry on owner_sessions (expires_at_ms)",
    // Mailed links. The column password_hash is no longer used: servers of an older version, which write it, may still run.
    `create table mail_tokens (
      token_hash text primary key, -- The SHA-256 of the token, lower-case hex
      purpose text not null,
      email text not null, -- In lower case
      account_id text, password_hash text, created_at_ms bigint not null, expires_at_ms bigint not null
    )`,
    "create index mail_tokens_by_account on mail_tokens (account_id)",
    "create index mail_tokens_by_email on mail_tokens (email, purpose)",
    "create index mail_tokens_by_expiry on mail_tokens (expires_at_ms)",
    // The second factor of an owner.
    `create table two_factors (
      account_id text primary key references owners (account_id),
      secret text not null, -- The secret of the authenticator app, in base32
      on_since_ms bigint, -- Null until the owner has confirmed the secret
      last_step bigint not null, -- The time step of the last code that was used. Only codes of later steps count
      failures integer not null, -- Wrong codes since the last right one
      wait_until_ms bigint not null -- No code is checked before this time
    )`,
    `create table recovery_codes (
      account_id text not null references owners (account_id),
      code_hash text not null, -- The SHA-256 of the code, lower-case hex
      constraint recovery_codes_key primary key (account_id, code_hash)
    )`,
    // Sign-ins that still need a code.
    `create table sign_in_challenges (
      token_hash text primary key, -- The SHA-256 of the token, lower-case hex
      account_id text not null references owners (account_id), created_at_ms bigint not null, expires_at_ms bigint not null
    )`,
    "create index sign_in_challenges_by_account on sign_in_challenges (account_id)",
    "create index sign_in_challenges_by_expiry on sign_in_challenges (expires_at_ms)",
    // Public keys of owners' authenticators.
    `create table passkeys (
      id text primary key, -- A UUID
      account_id text not null references owners (account_id),
      credential_id text not null unique, -- The id that the authenticator gave it, in base64url
      public_key text not null, -- A COSE key, in base64url
      counter bigint not null, -- How many signatures the authenticator says that it has made; 0 if it does not count
      transports text not null, -- A JSON array
      name text not null, created_at_ms bigint not null, last_used_at_ms bigint
    )`,
    "create index passkeys_by_account on passkeys (account_id)",
    // Challenges that an authenticator has not signed yet.
    `create table passkey_challenges (
      challenge_hash text primary key, -- The SHA-256 of the challenge, lower-case hex
      account_id text, -- The account that is adding a passkey; null for a sign-in
      expires_at_ms bigint not null
    )`,
    "create index passkey_challenges_by_account on passkey_challenges (account_id)",
    "create index passkey_challenges_by_expiry on passkey_challenges (expires_at_ms)",
    // Deleted accounts whose monthly usage continues in the next account with the same e-mail address.
    `create table former_accounts (
      email_hash text primary key, -- The SHA-256 of the month and the address in lower case, as hex
      account_id text not null references accounts (id),
      month text not null -- The month in which it was deleted
    )`,
    "create index former_accounts_by_account on former_accounts (account_id)",
    "create index former_accounts_by_month on former_accounts (month)",
    // Who may use an account besides the person whose own account it is.
    `create table members (
      account_id text not null,
      member_account_id text not null, -- The person's own account
      role text not null, created_at_ms bigint not null, constraint members_key primary key (account_id, member_account_id)
    )`,
    "create index members_by_member on members (member_account_id)",
    // Invitations, including those that were accepted or withdrawn, because they count against the daily limit.
    `create table invitations (
      id text primary key, account_id text not null,
      email text not null, -- In lower case. Empty once the invitation has ended
      role text not null,
      token_hash text not null unique, -- The SHA-256 of the link's token, lower-case hex
      invited_by text not null, -- The account of the owner who sent the invitation
      created_at_ms bigint not null, expires_at_ms bigint not null,
      ended_at_ms bigint -- When it was accepted or withdrawn; null while it is open
    )`,
    "create index invitations_by_account on invitations (account_id, created_at_ms)",
    "create index invitations_by_email on invitations (email)",
    "create index invitations_by_end on invitations (expires_at_ms)",
    // Keys and subscriptions, and the calls of each month. A cap's calls are counted with `key:` and its id in place of a service.
    `create table api_keys (
      id text primary key, account_id text not null references accounts (id), name text not null, hash text not null unique,
      prefix text not null, last_four text not null,
      services text, -- A JSON array of service names; null for all
      created_at_ms bigint not null, expires_at_ms bigint, disabled integer not null check (disabled in (0, 1)),
      revoked_at_ms bigint, lifetime_ms bigint, notes text default '' not null,
      replaced_by text, -- The id of the last key that replaced it; null if none did
      allowed_addresses text, -- A JSON array of addresses and networks; null for all
      allowed_origins text, -- A JSON array of origins; null for all
      calls_per_month bigint, -- Null for no limit of its own
      requests_per_second integer, -- Null for no limit of its own
      cap_id text -- The id of the first of the keys that replaced each other by rotation; null if it is this one
    )`,
    "create index api_keys_by_account on api_keys (account_id)",
    "create index api_keys_by_expiry on api_keys (expires_at_ms) where expires_at_ms is not null and revoked_at_ms is null",
    "create index api_keys_by_last_four on api_keys (last_four)",
    "create index api_keys_capped on api_keys (account_id) where calls_per_month is not null",
    // The requests in the last day that created keys.
    `create table key_requests (
      account_id text not null,
      request_id text not null, -- A UUID that the caller generated
      asked text not null, -- The SHA-256 of the request, as hex
      key_id text not null references api_keys (id) on delete cascade, made_at_ms bigint not null,
      constraint key_requests_key primary key (account_id, request_id)
    )`,
    "create index key_requests_by_key on key_requests (key_id)",
    "create index key_requests_by_time on key_requests (made_at_ms)",
    // The versions of plans. Only position ever changes.
    `create table plans (
      id text primary key, -- radio/pro/2: the service, the plan's name, and the number of the version
      service text not null, name text not null, version integer not null,
      price_minor bigint not null check (price_minor >= 0), -- The price of a billing interval, in the currency's minor unit
      currency text not null, -- ISO 4217
      billing_interval text not null check (billing_interval = 'month'), calls_per_month bigint not null,
      requests_per_second integer not null,
      entitlements text not null, -- A JSON object
      position integer, -- Its place among the plans on offer; null if it is not offered
      created_at_ms bigint not null, constraint plans_versions unique (service, name, version)
    )`,
    "create unique index plans_offered on plans (service, name) where position is not null",
    `create table subscriptions (
      id text primary key, account_id text not null references accounts (id), service text not null,
      plan_id text not null references plans (id),
      agreed_at_ms bigint not null, -- When the customer chose this version, or was moved to it
      requested_plan_id text references plans (id), requested_at_ms bigint,
      moves_to_plan_id text references plans (id), -- The version to which the subscription will be moved; null for none
      moves_at_ms bigint, state text not null check (state in ('requested', 'active', 'cancelled')), created_at_ms bigint not null
    )`,
    "create index subscriptions_by_account on subscriptions (account_id)",
    "create index subscriptions_by_plan on subscriptions (plan_id, id) where state <> 'cancelled'",
    "create index subscriptions_moving on subscriptions (moves_at_ms) where moves_at_ms is not null",
    "create index subscriptions_counted on subscriptions (state)",
    `create index subscriptions_waiting on subscriptions (account_id) where state = 'requested' or (state = 'active' and requested_plan_id is not null)`,
    "create unique index subscriptions_one_in_force on subscriptions (account_id, service) where state <> 'cancelled'",
    // No foreign key to the subscription, of which cancelled ones are deleted.
    // When a subscription was active on a version that costs something.
    `create table paid_periods (
      subscription_id text not null, account_id text not null, service text not null, plan_id text not null references plans (id),
      began_at_ms bigint not null,
      ended_at_ms bigint -- Null while it lasts
    )`,
    "create unique index paid_periods_current on paid_periods (subscription_id) where ended_at_ms is null",
    "create index paid_periods_by_end on paid_periods (ended_at_ms, began_at_ms)",
    "create index paid_periods_by_account on paid_periods (account_id)",
    // Calls of a month that nodes have leased, by account and service, so that a subscription that follows a cancelled one
    // continues its count.
    `create table month_leases (
      account_id text not null references accounts (id),
      service text not null, -- For a key's cap, key: followed by the cap's id
      month text not null, leased bigint not null check (leased >= 0),
      credited bigint default 0 not null, -- Calls that an operator has credited on top of the plan's
      -- How many of the leased calls were never leased by a server, but counted as used because the database had lost its counts
      raised bigint default 0 not null,
      -- Whether nothing more is leased, because the monthly usage continues in another account
      closed integer default 0 not null check (closed in (0, 1)),
      -- The number of digits of leased, times ten, and its first digit; 0 below 1,000
      magnitude integer generated always as (case when leased < 1000 then 0 else ${magnitude} end) ${isPostgres ? "stored" : "virtual"},
      constraint month_leases_key primary key (account_id, service, month)
    )`,
    "create index month_leases_by_magnitude on month_leases (month, magnitude)",
    // One row for each time that calls were counted as used because the database had lost its counts.
    `create table quota_raises (
      id text primary key, month text not null,
      seconds bigint not null, -- For how many seconds of a plan's rate each subscription is charged; 0 if it is charged by percent
      -- The percentage of its monthly quota that each subscription is charged; 0 if it is charged by seconds
      percent bigint not null,
      made_at_ms bigint not null
    )`,
    // What was called. No foreign keys: rows are written in batches, and one whose account was deleted must not fail the whole batch.
    // Counts that servers have written and that have not been added to the tables above yet.
    `create table count_batches (
      bucket integer not null, -- From 0 to 63. All counts of an account are in the same bucket
      writer text not null, -- A UUID
      number bigint not null, -- The number of the writer's batch
      kind text not null, written_at_ms bigint not null,
      size integer not null, -- How many counts the batch has
      counts text not null, -- A JSON array
      constraint count_batches_key primary key (bucket, writer, number)
    )`,
    // The last batch of each writer.
    `create table count_writers (
      writer text primary key, number bigint not null, written_at_ms bigint not null
    )`,
    "create index count_writers_by_time on count_writers (written_at_ms)",
    // One row for each bucket.
    `create table count_buckets (
      bucket integer primary key, added_up_at_ms bigint not null
    )`,
    `create table usage_counts (
      account_id text not null, key_id text not null, service text not null, method text not null, day text not null,
      outcome text not null, calls bigint not null,
      constraint usage_counts_key primary key (account_id, day, service, method, key_id, outcome)
    )`,
    "create index usage_counts_by_day on usage_counts (day)",
    // Calls in the last few days by hour. The hours of a day add up to its counts above.
    `create table usage_hours (
      account_id text not null, key_id text not null, service text not null, method text not null,
      hour text not null, -- UTC, 2026-11-21T14
      outcome text not null, calls bigint not null,
      constraint usage_hours_key primary key (account_id, hour, service, method, key_id, outcome)
    )`,
    "create index usage_hours_by_hour on usage_hours (hour)",
    // Refused calls with keys that are known.
    `create table refusal_counts (
      account_id text not null,
      key_id text not null, -- Empty if an account had too many kinds of refusals in a day to count them by key
      service text not null, day text not null, reason text not null, calls bigint not null,
      -- A plan with this many requests per second would have admitted all these calls; 0 if that is not known
      rate_needed bigint not null,
      constraint refusal_counts_key primary key (account_id, day, service, reason, key_id)
    )`,
    "create index refusal_counts_by_day on refusal_counts (day)",
    // Refused calls in the last few days by hour. The hours of a day add up to its counts above.
    `create table refusal_hours (
      account_id text not null,
      key_id text not null, -- Empty as in the table above
      service text not null,
      hour text not null, -- UTC, 2026-11-21T14
      reason text not null, calls bigint not null,
      constraint refusal_hours_key primary key (account_id, hour, service, reason, key_id)
    )`,
    "create index refusal_hours_by_hour on refusal_hours (hour)",
    // How long calls took, by day, in the same columns.
    `create table latency_days (
      account_id text not null, day text not null, service text not null, ${buckets(19)},
      constraint latency_days_key primary key (account_id, day, service)
    )`,
    "create index latency_days_by_day on latency_days (day)",
    // How long calls in the last few days took, by hour. The columns took_0 to took_18 count the calls in each latency bucket.
    `create table latency_hours (
      account_id text not null,
      hour text not null, -- UTC, 2026-11-21T14
      service text not null, ${buckets(19)}, constraint latency_hours_key primary key (account_id, hour, service)
    )`,
    "create index latency_hours_by_hour on latency_hours (hour)",
    // When each key was last used.
    `create table key_uses (
      key_id text primary key, account_id text not null, last_used_at_ms bigint not null
    )`,
    "create index key_uses_by_account on key_uses (account_id)",
    // The call log: a bounded number of calls per second, for the last seven days.
    `create table logged_calls (
      account_id text not null, started_at_ms bigint not null, id text not null, service text not null, method text not null,
      protocol text not null, http_status integer not null, outcome text not null, refused integer not null,
      dry_run integer not null, duration_us bigint not null, request_bytes bigint not null, response_bytes bigint not null,
      request_id text not null, key_id text not null, key_last_four text not null,
      left_out bigint not null, -- How many of the account's calls in the same second are not in the log
      parameters text, -- The request message in JSON; null if it is not kept
      constraint logged_calls_key primary key (account_id, started_at_ms, id)
    )`,
    "create index logged_calls_by_request on logged_calls (account_id, request_id)",
    "create index logged_calls_by_time on logged_calls (started_at_ms)",
    // The accounts that want the parameters of their calls kept.
    `create table parameter_logs (
      account_id text primary key
    )`,
    // Calls in the last few hours.
    `create table recent_calls (
      account_id text not null, service text not null,
      since_ms bigint not null, -- When the five minutes begin
      calls bigint not null, failed bigint not null, constraint recent_calls_key primary key (account_id, service, since_ms)
    )`,
    "create index recent_calls_by_time on recent_calls (since_ms)",
    "create index recent_calls_failing on recent_calls (account_id, service) where failed > 0",
    // What servers measured in an hour, of calls to a service or of requests to its source. The columns took_0 to took_12 count
    // them by latency bucket.
    `create table health_hours (
      hour text not null, service text not null, part text not null, calls bigint not null, failed bigint not null,
      refused bigint not null, ${buckets(13)}, constraint health_hours_key primary key (hour, service, part)
    )`,
    // Alerts, webhooks, incidents and the audit trail, whose entries are kept for longer than their account.
    // Months of subscriptions whose calls have been added up since they were last checked.
    `create table alert_checks (
      account_id text not null, service text not null, month text not null, noted_at_ms bigint not null,
      constraint alert_checks_key primary key (account_id, service, month)
    )`,
    "create index alert_checks_by_time on alert_checks (noted_at_ms)",
    `create table alerts (
      id text primary key, -- A UUID: a hash of account, type, subject, period and level
      account_id text not null, type text not null, subject text not null, period text not null, level integer not null,
      created_at_ms bigint not null,
      details text not null, -- A JSON object
      constraint alerts_once unique (account_id, type, subject, period, level)
    )`,
    "create index alerts_by_account on alerts (account_id, created_at_ms)",
    "create index alerts_by_time on alerts (created_at_ms)",
    `create table alert_deliveries (
      id text primary key, -- A UUID: a hash of the alert and the receiver
      alert_id text not null references alerts (id) on delete cascade, account_id text not null,
      endpoint_id text, -- Null for an e-mail to the owner
      state text not null, created_at_ms bigint not null,
      attempts integer not null, -- How many times a server has started to send it
      due_at_ms bigint not null, -- When a server may send it or, while one does, when another may take over
      last_attempt_at_ms bigint, last_result text
    )`,
    "create index alert_deliveries_by_account on alert_deliveries (account_id, created_at_ms)",
    "create index alert_deliveries_by_alert on alert_deliveries (alert_id)",
    "create index alert_deliveries_by_endpoint on alert_deliveries (endpoint_id, created_at_ms) where endpoint_id is not null",
    "create index alert_deliveries_due on alert_deliveries (due_at_ms) where state = 'waiting'",
    `create table alert_preferences (
      account_id text primary key,
      muted text not null -- A JSON array: the types of alerts that are not mailed
    )`,
    `create table webhook_endpoints (
      id text primary key, account_id text not null, url text not null, description text not null,
      alert_types text not null, -- A JSON array; empty for all types of alerts
      secret text not null, previous_secret text, previous_until_ms bigint, disabled_by text, failing_since_ms bigint,
      created_at_ms bigint not null
    )`,
    "create index webhook_endpoints_by_account on webhook_endpoints (account_id)",
    `create table webhook_attempts (
      delivery_id text not null, attempt integer not null, account_id text not null, endpoint_id text not null,
      at_ms bigint not null, duration_ms bigint not null, http_status integer, response text not null, error text,
      constraint webhook_attempts_key primary key (delivery_id, attempt)
    )`,
    "create index webhook_attempts_by_account on webhook_attempts (account_id)",
    "create index webhook_attempts_by_endpoint on webhook_attempts (endpoint_id)",
    "create index webhook_attempts_by_time on webhook_attempts (at_ms)",
    `create table incidents (
      id text primary key, title text not null, impact text not null,
      services text not null, -- A JSON array; empty for all
      begins_at_ms bigint not null, ends_at_ms bigint, created_at_ms bigint not null
    )`,
    `create table incident_updates (
      incident_id text not null references incidents (id) on delete cascade,
      number integer not null, -- Counts from 1
      at_ms bigint not null, state text not null, text text not null,
      constraint incident_updates_key primary key (incident_id, number)
    )`,
    // Who changed what.
    `create table audit_entries (
      number ${isPostgres ? "bigint primary key generated always as identity" : "integer primary key autoincrement"},
      at_ms bigint not null, actor_kind text not null, actor text not null, origin text not null, action text not null,
      account_id text, subject text,
      details text not null, -- A JSON object
      is_routine integer default 0 not null -- Whether entries of its kind are frequent
    )`,
    "create index audit_entries_by_account on audit_entries (account_id, number)",
    "create index audit_entries_by_action on audit_entries (action, number)",
    "create index audit_entries_by_actor on audit_entries (actor, number)",
    "create index audit_entries_by_kind on audit_entries (actor_kind, number)",
    "create index audit_entries_by_time on audit_entries (at_ms)",
    "create index audit_entries_routine on audit_entries (account_id, number) where is_routine = 1",
    `insert into count_buckets (bucket, added_up_at_ms) values ${Array.from({ length: COUNT_BUCKETS }, (_, bucket) => `(${bucket}, 0)`).join(", ")}`,
  ];
}

const setOptions = (options: string, ...names: readonly string[]): readonly string[] =>
  names.map((name) => `alter table ${name} set (${options})`);

const ON_POSTGRES: readonly string[] = [
  // The servers that share the database, and the changes that they announce to each other. A change adds a row to `pending_changes` in its
  // own transaction, and waits for no other change. The process that announces it moves all rows into one numbered batch. Its random id
  // tells it from a batch of the same number that a standby has made which took over without the last changes.
  // A server that shares the database with others.
  `create table nodes (
    id text primary key,
    change_number bigint not null, -- The number of the last change that it has applied
    expires_at_ms bigint not null, -- The time until which it may be serving, by the database's clock
    protocol integer not null -- The version of the protocol by which it receives changes
  )`,
  // One row: the last change.
  `create table change_counter (
    number bigint not null,
    change_id text not null, -- Empty if there was none
    previous_id text not null, announced_at_ms bigint not null default 0, alive_nodes integer not null default 0,
    counted_at_ms bigint not null default 0
  )`,
  "insert into change_counter (number, change_id, previous_id) values (0, '', '')",
  // The last changes to accounts, keys and subscriptions.
  `create table changes (
    number bigint primary key,
    change_id text not null, -- A random id
    previous_id text not null, -- The id of the change before it
    account_ids text[] not null
  )`,
  "create table pending_changes (id bigint primary key generated always as identity, account_id text not null)",
  // Rows that live for seconds, or are updated several times a second: space is kept free in each page, so that an update touches no index,
  // and dead rows are removed soon.
  ...setOptions(
    "fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000",
    ...["nodes", "count_batches", "count_writers", "count_buckets"],
  ),
  ...setOptions(
    "fillfactor = 80, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000",
    ...["alert_checks", "recent_calls"],
  ),
  ...setOptions(
    "fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02",
    ...["key_uses", "month_leases", "refusal_counts", "refusal_hours", "usage_counts", "usage_hours"],
  ),
  ...setOptions("autovacuum_vacuum_scale_factor = 0.05", ...["logged_calls"]),
  ...setOptions("autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000", ...["pending_changes"]),
  // A batch lives for a minute or two: compressing it costs more than writing it.
  "alter table count_batches alter column counts set storage external",
  // Finds accounts by part of their name or address. The extension comes with PostgreSQL, but may not be installed, or not be permitted:
  // then a search reads all accounts.
  `do $$ begin
    create extension if not exists pg_trgm;
    create index accounts_by_text on accounts using gin (name gin_trgm_ops, lower(email) gin_trgm_ops) where deleted_at_ms is null;
  exception when undefined_file or insufficient_privilege or feature_not_supported or undefined_object then
    raise notice 'pg_trgm is not available';
  end $$`,
];
