// Alerts, the keys that will soon expire, and the delivery of alerts by e-mail. Each function runs in the given transaction.
import { createHash } from "node:crypto";
import { sql } from "kysely";
import {
  type Alert,
  type AlertPage,
  type AlertType,
  type ClaimedDelivery,
  type DeliveryResult,
  type ExpiringKey,
  TEST_EVENT,
} from "../alert-records.ts";
import type { Queries } from "../schema.ts";
import { given, isPostgres } from "./dialect.ts";
import type { DatedTable } from "./expired-counts.ts";

export const ALERTS: DatedTable = { table: "alerts", key: ["id"], time: "created_at_ms" };

// Longer than a month, so that no alert about this month is created again.
const KEPT_MS = 90 * 86_400_000;

export const firstAlertKept = (nowMs: number): number => nowMs - KEPT_MS;

/** A UUID made from these strings: the same for the same strings. https://www.rfc-editor.org/rfc/rfc9562#section-5.8 */
export function idOf(...texts: readonly (string | number)[]): string {
  const hex = createHash("sha256").update(JSON.stringify(texts)).digest("hex");
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/** The account's alerts of the last 90 days, newest first. */
export async function alertPage(
  db: Queries,
  accountId: string,
  { limit, offset }: { readonly limit: number; readonly offset: number },
  nowMs: number,
): Promise<AlertPage> {
  const rows = await db
    .selectFrom("alerts")
    .selectAll()
    .where("account_id", "=", accountId)
    .where("type", "<>", TEST_EVENT)
    .where("created_at_ms", ">=", firstAlertKept(nowMs))
    .orderBy("created_at_ms", "desc")
    .orderBy("level", "desc")
    .orderBy("id")
    .limit(limit + 1)
    .offset(offset)
    .execute();
  return { alerts: rows.slice(0, limit).map(toAlert), hasMore: rows.length > limit };
}

/** Converts a row to the record that the store returns. */
const toAlert = (row: {
  readonly id: string;
  readonly account_id: string;
  readonly type: string;
  readonly subject: string;
  readonly period: string;
  readonly level: number;
  readonly created_at_ms: number;
  readonly details: string;
}): Alert => ({
  id: row.id,
  accountId: row.account_id,
  type: row.type as AlertType,
  subject: row.subject,
  period: row.period,
  level: row.level,
  createdAtMs: row.created_at_ms,
  details: JSON.parse(row.details),
});

/** Enabled keys that expire after the key `after` and no later than `untilMs`, in the order of their expiry. Revoked keys are left out. */
export async function expiringKeys(
  db: Queries,
  untilMs: number,
  after: Pick<ExpiringKey, "expiresAtMs" | "id">,
  limit: number,
): Promise<readonly ExpiringKey[]> {
  const rows = await db
    .selectFrom("api_keys")
    .select(["id", "account_id", "name", "last_four", "created_at_ms", "expires_at_ms", "lifetime_ms"])
    .where("expires_at_ms", "is not", null)
    .where("revoked_at_ms", "is", null)
    .where("disabled", "=", 0)
    .where("expires_at_ms", "<=", untilMs)
    .where((row) =>
      row.or([
        row("expires_at_ms", ">", after.expiresAtMs),
        row.and([row("expires_at_ms", "=", after.expiresAtMs), row("id", ">", after.id)]),
      ]),
    )
    .orderBy("expires_at_ms")
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    lastFour: row.last_four,
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms as number,
    lifetimeMs: row.lifetime_ms,
  }));
}

/** Adds an e-mail for each alert whose account's owner has a verified address and wants such e-mails. */
export async function addMails(
  db: Queries,
  alerts: readonly { readonly id: string; readonly account_id: string; readonly type: string }[],
  nowMs: number,
): Promise<void> {
  if (alerts.length === 0) {
    return;
  }
  const accounts = await db
    .selectFrom("accounts")
    .innerJoin("owners", "owners.account_id", "accounts.id")
    .leftJoin("alert_preferences", "alert_preferences.account_id", "accounts.id")
    .select(["accounts.id as id", "alert_preferences.muted as muted"])
    .where(
      "accounts.id",
      "in",
      alerts.map(({ account_id }) => account_id),
    )
    .where("accounts.email_verified_at_ms", "is not", null)
    .execute();
  const muted = new Map(accounts.map((row) => [row.id, JSON.parse(row.muted ?? "[]") as readonly string[]]));
  const rows = alerts
    .filter(({ account_id, type }) => muted.get(account_id)?.includes(type) === false)
    .map(({ id, account_id }) => ({ id: idOf(id, "mail"), alert_id: id, account_id }));
  await addDeliveries(
    db,
    rows.map((row) => ({ ...row, endpoint_id: null })),
    nowMs,
  );
}

interface NewDelivery {
  readonly id: string;
  readonly alert_id: string;
  readonly account_id: string;
  readonly endpoint_id: string | null;
}

/** Adds deliveries that are due now. */
export async function addDeliveries(db: Queries, rows: readonly NewDelivery[], nowMs: number): Promise<void> {
  if (rows.length > 0) {
    await sql`
      insert into alert_deliveries (id, alert_id, account_id, endpoint_id, state, created_at_ms, attempts, due_at_ms)
      select id, alert_id, account_id, endpoint_id, 'waiting', ${nowMs}, 0, ${nowMs}
      from ${given(
        db,
        { id: "text", alert_id: "text", account_id: "text", endpoint_id: "text" },
        rows.map((row) => ({ ...row })),
      )}
    `.execute(db);
  }
}

/** Whether an e-mail is due. */
export async function isDeliveryDue(db: Queries, nowMs: number): Promise<boolean> {
  const { rows } = await sql`
    select 1 from alert_deliveries where state = 'waiting' and endpoint_id is null and due_at_ms <= ${nowMs} limit 1
  `.execute(db);
  return rows.length > 0;
}

/**
 * Claims up to `limit` e-mails that are due, the longest overdue first. No other server claims them until `leaseMs` have passed: then
 * the server that claimed them counts as dead.
 */
export async function claimDeliveries(
  db: Queries,
  limit: number,
  leaseMs: number,
  nowMs: number,
): Promise<readonly ClaimedDelivery[]> {
  const { rows: claimed } = await sql<{ id: string; attempts: number; alert_id: string; created_at_ms: number }>`
    update alert_deliveries
    set due_at_ms = ${nowMs + leaseMs}, attempts = attempts + 1, last_attempt_at_ms = ${nowMs}
    where id in (
      select id from alert_deliveries where state = 'waiting' and endpoint_id is null and due_at_ms <= ${nowMs}
      order by due_at_ms limit ${sql.lit(limit)} ${isPostgres(db) ? sql`for update skip locked` : sql``}
    ) returning id, attempts, alert_id, created_at_ms
  `.execute(db);
  if (claimed.length === 0) {
    return [];
  }
  const rows = await db
    .selectFrom("alerts")
    .innerJoin("accounts", "accounts.id", "alerts.account_id")
    .selectAll("alerts")
    .select(["accounts.email", "accounts.suspended", "accounts.email_verified_at_ms"])
    .where(
      "alerts.id",
      "in",
      claimed.map((delivery) => delivery.alert_id),
    )
    .execute();
  return claimed.flatMap(({ id, attempts, alert_id, created_at_ms: createdAtMs }) => {
    const row = rows.find((alert) => alert.id === alert_id);
    if (row === undefined) {
      return [];
    }
    const hasAddress = row.suspended === 0 && row.email_verified_at_ms !== null;
    return [{ id, attempt: attempts, alert: toAlert(row), createdAtMs, email: hasAddress ? (row.email ?? undefined) : undefined }];
  });
}

/** Records how an attempt ended, unless another server has taken the delivery over. */
export async function endAttempt(
  db: Queries,
  { id, attempt }: Pick<ClaimedDelivery, "id" | "attempt">,
  { state, retryAtMs, result }: DeliveryResult,
): Promise<void> {
  await db
    .updateTable("alert_deliveries")
    .set({ state, last_result: result, ...(retryAtMs !== undefined && { due_at_ms: retryAtMs }) })
    .where("id", "=", id)
    .where("attempts", "=", attempt)
    .where("state", "=", "waiting")
    .execute();
}

/** How many deliveries are waiting to be sent, by e-mail or to endpoints, counted up to `max`. */
export async function waitingDeliveries(db: Queries, max: number): Promise<number> {
  const rows = await db.selectFrom("alert_deliveries").select("id").where("state", "=", "waiting").limit(max).execute();
  return rows.length;
}
