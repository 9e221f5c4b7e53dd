// Fills a PostgreSQL with the requested number of accounts, and what belongs to them, by SQL that runs in the database.
import { createHash } from "node:crypto";
import { inDatabase } from "../../fixtures/servers/postgres.ts";

export interface FillSize {
  readonly accounts: number;
  readonly keys: number;
  /** Rows of usage by day. */
  readonly usageRows: number;
}

/** The time of the database's clock. The usage is of this month and the ones before. */
export const FILLED_AT_MS = Date.UTC(2026, 10, 24, 12);

/** The id of the account, key or subscription with this number, from 1. */
export function idOf(kind: "account" | "key" | "subscription", number: number): string {
  const hex = createHash("md5").update(`${kind}-${number}`).digest("hex");
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

/** The SHA-256 that is stored of the key with this number. */
export const keyHashOf = (number: number): string => createHash("sha256").update(`key-${number}`).digest("hex");

const id = (kind: string, number: string): string => `md5('${kind}-' || ${number})::uuid::text`;
const SERVICES = "(array['radio', 'token-price', 'token-list', 'bitcoin', 'farkle'])";
const DAY_MS = 86_400_000;
const TOOK = Array.from({ length: 19 }, (_, bucket) => `took_${bucket}`).join(", ");
const TOOK_COUNTS = new Array(19).fill(1).join(", ");

function statements({ accounts, keys, usageRows }: FillSize): string[] {
  const now = FILLED_AT_MS;
  const account = (number: string): string => id("account", number);
  // Which account, which of its keys and which day a row of usage is about.
  const ofUsage = `${account(`1 + n % ${accounts}`)}, ${id("key", `1 + n % ${keys}`)}, ${SERVICES}[1 + n / ${accounts} % 5]`;
  const day = `to_char(timestamp '2026-11-24' - ((n / ${accounts} % 60) || ' days')::interval, 'YYYY-MM-DD')`;
  const hour = `to_char(timestamp '2026-11-24 12:00' - ((n / ${accounts} % 160) || ' hours')::interval, 'YYYY-MM-DD"T"HH24')`;
  const series = (count: number): string => `from generate_series(1, ${Math.ceil(count)}) as n`;
  return [
    `insert into accounts (id, name, email, suspended, created_at_ms, operator, deleted_at_ms)
      select ${account("n")}, case when n % 100 = 99 then 'deleted-' || ${account("n")} else 'customer-' || to_char(n, 'FM00000000') end,
        case when n % 100 <> 99 then 'Owner.' || n || '@example.com' end, case when n % 100 >= 98 then 1 else 0 end, ${now} - n * 1000::bigint,
        case when n % 100000 = 1 then 1 else 0 end, case when n % 100 = 99 then ${now} - n * 1000::bigint end ${series(accounts)}`,
    `insert into owners (account_id, email, password_hash, created_at_ms, changed_at_ms)
      select ${account("n")}, 'owner.' || n || '@example.com', 'scrypt', ${now}, ${now} ${series(accounts)} where n % 100 <> 99`,
    `insert into owner_sessions (token_hash, account_id, begun_at_ms, expires_at_ms)
      select 'session-' || n, ${account("n")}, ${now} - n, ${now} + n * 1000::bigint ${series(accounts / 2)} where n % 100 <> 99`,
    `insert into mail_tokens (token_hash, purpose, email, account_id, created_at_ms, expires_at_ms)
      select 'token-' || n, 'reset', 'owner.' || n || '@example.com', ${account("n")}, ${now}, ${now} + n ${series(accounts / 5)}`,
    `insert into api_keys (id, account_id, name, hash, prefix, last_four, created_at_ms, disabled)
      select ${id("key", "n")}, ${account(`1 + n % ${accounts}`)}, 'key ' || n, encode(sha256(('key-' || n)::bytea), 'hex'), 'qk_live_',
        left(md5(n::text), 4), ${now} - n * 10::bigint, 0 ${series(keys)}`,
    `insert into key_uses (key_id, account_id, last_used_at_ms)
      select ${id("key", "n")}, ${account(`1 + n % ${accounts}`)}, ${now} - n ${series(keys / 2)}`,
    `insert into key_requests (account_id, request_id, asked, key_id, made_at_ms)
      select ${account(`1 + n % ${accounts}`)}, 'request-' || n, 'asked', ${id("key", "n")}, ${now} - n ${series(keys / 20)}`,
    `insert into plans (id, service, name, version, price_minor, currency, billing_interval, calls_per_month, requests_per_second,
        entitlements, position, created_at_ms)
      select service || '/' || name || '/1', service, name, 1, 0, 'EUR', 'month', 1000000, 10, '{}', place, ${now}
      from unnest(${SERVICES}) as service, unnest(array['free', 'pro', 'mega']) with ordinality as plan (name, place)`,
    `insert into subscriptions (id, account_id, service, plan_id, agreed_at_ms, requested_plan_id, requested_at_ms, state, created_at_ms)
      select ${id("subscription", "n")}, ${account(`1 + n % ${accounts}`)}, ${SERVICES}[1 + n / ${accounts} % 5],
        ${SERVICES}[1 + n / ${accounts} % 5] || (array['/free/1', '/pro/1', '/mega/1'])[1 + n % 3], ${now} - n,
        case when n % 200 = 0 then ${SERVICES}[1 + n / ${accounts} % 5] || '/mega/1' end, case when n % 200 = 0 then ${now} - n end,
        case when n % 100 = 97 then 'requested' when n % 10 = 9 then 'cancelled' else 'active' end, ${now} - n ${series(accounts * 2)}`,
    `insert into paid_periods (subscription_id, account_id, service, plan_id, began_at_ms, ended_at_ms)
      select ${id("subscription", "n")}, ${account("1 + n")}, 'radio', 'radio/pro/1', ${now} - n * 1000::bigint, null ${series(accounts / 2)}`,
    `insert into payment_customers (account_id, customer_id, created_at_ms) select ${account("n")}, 'cus_' || n, ${now} ${series(accounts / 2)}`,
    // One of them is overdue, and none of accounts that are suspended or deleted, or of cancelled subscriptions.
    `insert into payment_subscriptions (id, account_id, service, plan_id, subscription_id, status, is_granted, is_paused, entitled_until_ms,
        created_at_ms, read_at_ms, version)
      select 'paid_' || n, ${account("1 + n")}, 'radio', 'radio/pro/1', ${id("subscription", "n")}, 'active', 1, 0,
        case when n = 3 then ${now - DAY_MS} else ${now} + n * 1000::bigint end, ${now}, ${now}, 1 ${series(accounts / 2)} where n % 10 < 7`,
    `insert into payment_events (id, type, received_at_ms, handled_at_ms)
      select 'evt_filled_' || n, 'invoice.paid', ${now} - n * 60000::bigint, ${now} ${series(accounts)}`,
    `insert into month_leases (account_id, service, month, leased)
      select ${account(`1 + n % ${accounts}`)}, ${SERVICES}[1 + n / ${accounts} % 5], '2026-11', (random() ^ 4 * 1000000)::bigint
      ${series(accounts * 1.5)}`,
    `insert into former_accounts (email_hash, account_id, month)
      select 'former-' || n, ${account(`99 + 100 * (n % ${Math.floor(accounts / 100)})`)}, '2026-11' ${series(accounts / 5)}`,
    `insert into usage_counts (account_id, key_id, service, method, day, outcome, calls)
      select ${ofUsage}, 'm/Search', ${day}, 'OK', n % 1000 ${series(usageRows)} on conflict do nothing`,
    `insert into usage_hours (account_id, key_id, service, method, hour, outcome, calls)
      select ${ofUsage}, 'm/Search', ${hour}, 'OK', n % 1000 ${series(usageRows / 3)} on conflict do nothing`,
    `insert into refusal_counts (account_id, key_id, service, day, reason, calls, rate_needed)
      select ${ofUsage}, ${day}, 'RATE_LIMITED', n % 100, 7 ${series(usageRows / 6)} on conflict do nothing`,
    `insert into refusal_hours (account_id, key_id, service, hour, reason, calls)
      select ${ofUsage}, ${hour}, 'RATE_LIMITED', n % 100 ${series(usageRows / 6)} on conflict do nothing`,
    `insert into logged_calls (account_id, started_at_ms, id, service, method, protocol, http_status, outcome, refused, dry_run, duration_us,
        request_bytes, response_bytes, request_id, key_id, key_last_four, left_out, parameters)
      select ${account(`1 + n % ${accounts}`)}, ${now} - n * 100::bigint, 'call-' || n, 'radio', 'm/Search', 'rest', 200, 'OK', 0, 0, 1000, 0,
        100, 'request-' || n, ${id("key", "n")}, 'wxyz', 0, case when n % 10 = 0 then '{}' end ${series(usageRows / 3)}`,
    `insert into health_hours (hour, service, part, calls, failed, refused,
        ${Array.from({ length: 13 }, (_, bucket) => `took_${bucket}`).join(", ")})
      select to_char(timestamp '2026-11-24 12:00' - (n / 10 || ' hours')::interval, 'YYYY-MM-DD"T"HH24'), ${SERVICES}[1 + n % 5],
        (array['calls', 'source'])[1 + n / 5 % 2], 1000, 1, 10, ${new Array(13).fill(10).join(", ")} ${series(90 * 24 * 10)}`,
    `insert into latency_hours (account_id, hour, service, ${TOOK})
      select ${account(`1 + n % ${accounts}`)}, ${hour}, ${SERVICES}[1 + n / ${accounts} % 5], ${TOOK_COUNTS} ${series(usageRows / 3)} on conflict do nothing`,
    `insert into latency_days (account_id, day, service, ${TOOK})
      select ${account(`1 + n % ${accounts}`)}, ${day}, ${SERVICES}[1 + n / ${accounts} % 5], ${TOOK_COUNTS} ${series(usageRows / 3)} on conflict do nothing`,
    `insert into incidents (id, title, impact, services, begins_at_ms, ends_at_ms, created_at_ms)
      select 'incident-' || n, 'Slow', 'degraded', '[]', ${now} - n * 1000000::bigint, ${now} - n * 1000::bigint, ${now} ${series(150)}`,
    `insert into incident_updates (incident_id, number, at_ms, state, text)
      select 'incident-' || (1 + n % 150), 1 + n / 150, ${now}, 'resolved', 'text' ${series(150 * 40 - 1)}`,
    `insert into parameter_logs (account_id) select ${account("n")} ${series(accounts * 10)}`,
    // The oldest are those of subscriptions.
    `insert into alert_checks (account_id, service, month, noted_at_ms)
      select ${account(`1 + n % ${accounts}`)}, ${SERVICES}[1 + n / ${accounts} % 5], '2026-11', ${now} - n ${series(accounts * 2)}`,
    `insert into recent_calls (account_id, service, since_ms, calls, failed)
      select ${account(`1 + n % ${accounts}`)}, ${SERVICES}[1 + n / ${accounts} % 5], ${now} - n / ${accounts} * 300000::bigint, 10, 1
      ${series(accounts * 5)} on conflict do nothing`,
    `insert into alerts (id, account_id, type, subject, period, level, created_at_ms, details)
      select 'alert-' || n, ${account(`1 + n % ${accounts}`)}, 'quota.threshold', 'radio', 'period-' || n, 80, ${now} - n * 1000::bigint,
        '{"percent": 80}' ${series(accounts * 5)}`,
    // Few are waiting.
    `insert into alert_deliveries (id, alert_id, account_id, state, created_at_ms, attempts, due_at_ms, last_attempt_at_ms, last_result)
      select 'delivery-' || n, 'alert-' || n, ${account(`1 + n % ${accounts}`)}, case when n % 500 = 0 then 'waiting' else 'delivered' end,
        ${now} - n * 1000::bigint, 1, ${now} - n * 1000::bigint, ${now} - n * 1000::bigint, 'SENT' ${series(accounts * 5)}`,
    `insert into webhook_endpoints (id, account_id, url, description, alert_types, secret, created_at_ms)
      select 'endpoint-' || n, ${account("n")}, 'https://example.com/hook', '', '[]', 'whsec_secret', ${now} ${series(accounts)}`,
    `insert into alert_deliveries (id, alert_id, account_id, endpoint_id, state, created_at_ms, attempts, due_at_ms, last_attempt_at_ms, last_result)
      select 'webhook-' || n, 'alert-' || n, ${account(`1 + n % ${accounts}`)}, 'endpoint-' || (1 + n % ${accounts}),
        case when n % 500 = 0 then 'waiting' else 'delivered' end, ${now} - n * 1000::bigint, 1, ${now} - n * 1000::bigint, ${now}, '200'
        ${series(accounts * 5)}`,
    `insert into webhook_attempts (delivery_id, attempt, account_id, endpoint_id, at_ms, duration_ms, http_status, response)
      select 'webhook-' || n, 1, ${account(`1 + n % ${accounts}`)}, 'endpoint-' || (1 + n % ${accounts}), ${now} - n * 1000::bigint, 5, 200, 'ok'
        ${series(accounts * 5)}`,
    `insert into alert_preferences (account_id, muted) select ${account("n")}, '[]' ${series(accounts * 10)}`,
    // For some accounts: others turn it on.
    `insert into two_factors (account_id, secret, on_since_ms, last_step, failures, wait_until_ms)
      select ${account("n")}, 'secret-' || n, ${now} - n, 1, 0, 0 ${series(accounts * 5)} where n % 10 <> 0`,
    `insert into recovery_codes (account_id, code_hash)
      select ${account(`1 + n % ${accounts}`)}, 'code-' || n ${series(accounts * 8)} where n % 10 <> 9`,
    `insert into sign_in_challenges (token_hash, account_id, created_at_ms, expires_at_ms)
      select 'challenge-' || n, ${account(`1 + n % ${accounts}`)}, ${now} - n, ${now} + n * 1000::bigint ${series(accounts * 2)}`,
    `insert into passkeys (id, account_id, credential_id, public_key, counter, transports, name, created_at_ms)
      select 'passkey-' || n, ${account(`1 + n % ${accounts}`)}, 'credential-' || n, 'key', 1, '[]', 'laptop', ${now} - n ${series(accounts * 8)}`,
    `insert into passkey_challenges (challenge_hash, account_id, expires_at_ms)
      select 'passkey-challenge-' || n, null, ${now} + n * 1000::bigint ${series(accounts * 2)}`,
    // Each account has two members and three invitations, one of them open. Each person is a member of two accounts.
    `insert into members (account_id, member_account_id, role, created_at_ms)
      select ${account(`1 + n % ${accounts}`)}, ${account(`1 + (n + 1 + n / ${accounts}) % ${accounts}`)}, 'developer', ${now} - n
        ${series(accounts * 2)}`,
    `insert into invitations (id, account_id, email, role, token_hash, invited_by, created_at_ms, expires_at_ms, ended_at_ms)
      select 'invitation-' || n, ${account(`1 + n % ${accounts}`)}, case when n > ${accounts} then '' else 'guest.' || n || '@example.com' end,
        'reader', 'invitation-hash-' || n, ${account(`1 + n % ${accounts}`)}, ${now} - n, ${now} + n * 1000::bigint,
        case when n > ${accounts} then ${now} end ${series(accounts * 3)}`,
    `insert into audit_entries (at_ms, actor_kind, actor, origin, action, account_id, subject, details)
      select ${now} - (${accounts * 2} - n) * 1000::bigint, 'owner', ${account(`1 + n % ${accounts}`)}, '192.0.2.1',
        (array['key.create', 'key.revoke', 'subscription.create', 'account.create'])[1 + n % 4], ${account(`1 + n % ${accounts}`)}, null, '{}'
      ${series(accounts * 2)}`,
    `insert into count_batches (bucket, writer, number, kind, written_at_ms, size, counts)
      select n % 64, 'writer-' || n, n, 'usage', ${now}, 1, json_build_array(json_build_array(${account(`1 + n % ${accounts}`)},
        ${id("key", "n")}, 'radio', '2026-11-24', 11, 1, 'm/Search', 'OK'))::text ${series(12_800)}`,
    `insert into count_writers (writer, number, written_at_ms) select 'writer-' || n, n, ${now} - n * 60000::bigint ${series(3000)}`,
    `insert into changes (number, change_id, previous_id, account_ids) select n, 'c-' || n, 'c-' || n - 1, array[${account("n")}]
      ${series(1000)}`,
    "update change_counter set number = 1000, change_id = 'c-1000', previous_id = 'c-999'",
    `insert into quota_raises (id, month, seconds, percent, made_at_ms) values ('raise', '2026-11', 10, 0, ${now - DAY_MS})`,
  ];
}

/** Fills a migrated, empty database. Indexes other than those of keys are made again afterwards, which is much faster. */
export async function fill(url: string, size: FillSize): Promise<void> {
  await inDatabase(url, async (client) => {
    // Foreign keys hold by construction; checking each row takes longer than writing it.
    await client.query("set session_replication_role = replica; set maintenance_work_mem = '512MB'; set synchronous_commit = off");
    const { rows: indexes } = await client.query<{ name: string; definition: string }>(`
      select indexname as name, indexdef as definition from pg_indexes
      where schemaname = current_schema() and not exists (select from pg_constraint where conindid = to_regclass(quote_ident(indexname)))
    `);
    for (const { name } of indexes) {
      await client.query(`drop index ${name}`);
    }
    for (const statement of statements(size)) {
      await client.query(statement);
    }
    for (const { definition } of indexes) {
      await client.query(definition);
    }
    await client.query("vacuum (analyze)");
  });
}
