// The e-mails about alerts. A server that sends one claims it for a limited time: if that server dies, another sends it again. Each
// function runs in the given transaction.
import { sql } from "kysely";
import type { ClaimedDelivery, DeliveryResult } from "../alert-records.ts";
import type { Queries } from "../schema.ts";
import { idOf, toAlert } from "./alerts.ts";
import { given, isPostgres } from "./dialect.ts";

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
