// What is deleted because of its age, and when: ended sessions, links, challenges and invitations, requests for keys, hashes of former
// addresses, old counts of calls and refusals, the logs of calls and of webhooks, measurements, incidents, the leases of
// months that are long past, and what is left of accounts that were deleted long ago. Servers check once an hour.
import type { Queries } from "../schema.ts";
import { firstRecentKept, RECENT_CALLS } from "./alert-checks.ts";
import { ALERTS, firstAlertKept } from "./alerts.ts";
import { AUDIT_DAYS } from "./audit.ts";
import { firstWriterKept, WRITERS } from "./count-batches.ts";
import { isPostgres } from "./dialect.ts";
import { type DatedTable, firstHourKept } from "./expired-counts.ts";
import { firstHealthHourKept, HEALTH_HOURS } from "./health.ts";
import { firstIncidentKept, INCIDENTS } from "./incidents.ts";
import { firstRequestKept, KEY_REQUESTS } from "./keys.ts";
import { firstLatencyDayKept, LATENCY_DAYS, LATENCY_HOURS } from "./latency.ts";
import { firstCallKept, LOGGED_CALLS } from "./logged-calls.ts";
import { MAIL_TOKENS } from "./mail-tokens.ts";
import { FORMER_ACCOUNTS, firstFormerMonthKept } from "./mailboxes.ts";
import { INVITATIONS } from "./members.ts";
import { PASSKEY_CHALLENGES } from "./passkeys.ts";
import { firstEventKept, PAYMENT_EVENTS } from "./payments.ts";
import { firstRefusalDayKept, REFUSAL_COUNTS, REFUSAL_HOURS, USAGE_DAYS, USAGE_HOURS } from "./usage.ts";
import { firstDeliveryKept, WEBHOOK_ATTEMPTS } from "./webhook-deliveries.ts";

// The current month, and the two years before it.
const MONTHS_KEPT = 25;
const DAY_MS = 86_400_000;
// How many ledgers of deleted accounts are deleted at a time. Each has up to 105 subscriptions.
const LEDGERS_MAX = 100;

const SESSIONS: DatedTable = { table: "owner_sessions", key: ["token_hash"], time: "expires_at_ms" };
const CHALLENGES: DatedTable = { table: "sign_in_challenges", key: ["token_hash"], time: "expires_at_ms" };
const AUDIT: DatedTable = { table: "audit_entries", key: ["number"], time: "at_ms" };
// A raise only matters during its month, while it is charged to subscriptions that begin.
const RAISES: DatedTable = { table: "quota_raises", key: ["id"], time: "month" };
const MONTHS: DatedTable = { table: "month_leases", key: ["account_id", "service", "month"], time: "month" };

// The first month whose usage is kept.
function firstMonthKept(nowMs: number): string {
  const now = new Date(nowMs);
  return new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - (MONTHS_KEPT - 1))).toISOString().slice(0, 7);
}

// When the first of these months started.
const firstMonthKeptMs = (nowMs: number): number => Date.parse(`${firstMonthKept(nowMs)}-01T00:00:00Z`);

/** The tables, each with the time before which its rows are deleted. */
export const expiries = (nowMs: number): readonly (readonly [DatedTable, string | number])[] => [
  [AUDIT, nowMs - AUDIT_DAYS * DAY_MS],
  [RAISES, firstFormerMonthKept(nowMs)],
  [SESSIONS, nowMs],
  [MAIL_TOKENS, nowMs],
  [CHALLENGES, nowMs],
  [PASSKEY_CHALLENGES, nowMs],
  [INVITATIONS, nowMs],
  [PAYMENT_EVENTS, firstEventKept(nowMs)],
  [KEY_REQUESTS, firstRequestKept(nowMs)],
  [FORMER_ACCOUNTS, firstFormerMonthKept(nowMs)],
  [MONTHS, firstMonthKept(nowMs)],
  [USAGE_DAYS, `${firstMonthKept(nowMs)}-01`],
  [USAGE_HOURS, firstHourKept(nowMs)],
  [REFUSAL_COUNTS, firstRefusalDayKept(nowMs)],
  [REFUSAL_HOURS, firstHourKept(nowMs)],
  [WRITERS, firstWriterKept(nowMs)],
  [RECENT_CALLS, firstRecentKept(nowMs)],
  [ALERTS, firstAlertKept(nowMs)],
  [LOGGED_CALLS, firstCallKept(nowMs)],
  [HEALTH_HOURS, firstHealthHourKept(nowMs)],
  [LATENCY_HOURS, firstHourKept(nowMs)],
  [LATENCY_DAYS, firstLatencyDayKept(nowMs)],
  [WEBHOOK_ATTEMPTS, firstDeliveryKept(nowMs)],
  [INCIDENTS, firstIncidentKept(nowMs)],
];

/**
 * Deletes what is left of some accounts that were deleted before the first month that is kept: their ids and their subscriptions. Returns
 * whether there may be more.
 */
export async function deleteOldLedgers(db: Queries, nowMs: number): Promise<boolean> {
  const rows = await db
    .selectFrom("accounts")
    .select("id")
    .where("deleted_at_ms", "<", firstMonthKeptMs(nowMs))
    .orderBy("deleted_at_ms")
    .limit(LEDGERS_MAX)
    // If another transaction is deleting them already, this one need not wait for it.
    .$if(isPostgres(db), (select) => select.forUpdate().skipLocked())
    .execute();
  const ids = rows.map(({ id }) => id);
  // PostgreSQL does not allow `in ()`.
  if (ids.length > 0) {
    await db.deleteFrom("payment_subscriptions").where("account_id", "in", ids).execute();
    await db.deleteFrom("payment_customers").where("account_id", "in", ids).execute();
    await db.deleteFrom("subscriptions").where("account_id", "in", ids).execute();
    await db.deleteFrom("paid_periods").where("account_id", "in", ids).execute();
    await db.deleteFrom("month_leases").where("account_id", "in", ids).execute();
    await db.deleteFrom("former_accounts").where("account_id", "in", ids).execute();
    await db.deleteFrom("accounts").where("id", "in", ids).execute();
  }
  return ids.length === LEDGERS_MAX;
}
