// Claims of deliveries to webhook endpoints. A server that sends a delivery claims it for a limited time: if the server dies, another one
// sends it again. Each function runs in the given transaction.
import { sql } from "kysely";
import {
  ATTEMPTS_KEPT_MAX,
  type ClaimedWebhook,
  type EventType,
  TEST_EVENT,
  type WebhookEndpoint,
  type WebhookResult,
} from "../alert-records.ts";
import type { Queries } from "../schema.ts";
import { audited, auditedAt, readAt, type Transactions, writeAt } from "../transactions.ts";
import { addAlerts } from "./alert-checks.ts";
import { given, isPostgres } from "./dialect.ts";
import * as deliveries from "./webhook-deliveries.ts";
import {
  createEndpoint,
  deleteEndpoint,
  endpointsOf,
  failWaiting,
  findEndpoint,
  rotateSecret,
  signingSecrets,
  updateEndpoint,
} from "./webhook-endpoints.ts";

const DAY_MS = 86_400_000;
// When a delivery is abandoned, an endpoint that has failed for this long is disabled.
const FAILING_MS_MAX = 5 * DAY_MS;
// How many due deliveries are examined. One account cannot hold up the others for long, because an account with a delivery in progress is
// skipped.
const EXAMINED_MAX = 200;

interface ClaimOptions {
  readonly limit: number;
  readonly leaseMs: number;
  readonly perAccountMax: number;
  readonly exceptAccountIds: readonly string[];
}

// The state is part of the text, because the index contains only waiting deliveries.
const dueBy = (nowMs: number) => sql`state = 'waiting' and endpoint_id is not null and due_at_ms <= ${nowMs}`;

/** Whether a delivery is due, even if its account has too many in progress. */
async function isWebhookDue(db: Queries, nowMs: number): Promise<boolean> {
  return (await sql`select 1 from alert_deliveries where ${dueBy(nowMs)} limit 1`.execute(db)).rows.length > 0;
}

/**
 * Claims up to `limit` due deliveries to endpoints, longest due first: at most `perAccountMax` of one account, and none of
 * `exceptAccountIds`. No other server claims them until `leaseMs` have passed. Deliveries to endpoints that are disabled or deleted, or
 * of suspended accounts, fail without an attempt.
 */
export async function claimWebhooks(
  db: Queries,
  { limit, leaseMs, perAccountMax, exceptAccountIds }: ClaimOptions,
  nowMs: number,
): Promise<readonly ClaimedWebhook[]> {
  const busy = exceptAccountIds.map((account_id) => ({ account_id }));
  const isDue = dueBy(nowMs);
  const { rows: claimed } = await sql<{ id: string; attempts: number }>`
    update alert_deliveries
    set due_at_ms = ${nowMs + leaseMs}, attempts = attempts + 1, last_attempt_at_ms = ${nowMs}
    where id in (
      select id from alert_deliveries where ${isDue} and id in (
        select id from (
          select id, due_at_ms, row_number() over (partition by account_id order by due_at_ms, id) as place from (
            select id, account_id, due_at_ms from alert_deliveries
            where ${isDue} and account_id not in (select account_id from ${given(db, { account_id: "text" }, busy)})
            order by due_at_ms limit ${sql.lit(EXAMINED_MAX)}
          ) as due
        ) as placed where place <= ${sql.lit(perAccountMax)} order by due_at_ms, id limit ${sql.lit(limit)}
      ) ${isPostgres(db) ? sql`for update skip locked` : sql``}
    ) returning id, attempts
  `.execute(db);
  if (claimed.length === 0) {
    return [];
  }
  const rows = await db
    .selectFrom("alert_deliveries as d")
    .innerJoin("alerts as a", "a.id", "d.alert_id")
    .innerJoin("accounts", "accounts.id", "d.account_id")
    .leftJoin("webhook_endpoints as e", "e.id", "d.endpoint_id")
    .select(["d.id", "d.account_id", "a.id as event_id", "a.type", "a.created_at_ms", "a.details", "accounts.suspended"])
    .select(["e.id as endpoint_id", "e.url", "e.disabled_by", "e.secret", "e.previous_secret", "e.previous_until_ms"])
    .where(
      "d.id",
      "in",
      claimed.map(({ id }) => id),
    )
    .execute();
  const taken: ClaimedWebhook[] = [];
  for (const { id, attempts: attempt } of claimed) {
    const row = rows.find((one) => one.id === id);
    if (row === undefined || row.endpoint_id === null || row.disabled_by !== null || row.suspended !== 0) {
      await fail(db, id, row?.suspended === 1 ? "The account is suspended." : "The endpoint was disabled.");
    } else {
      const { previous_secret, previous_until_ms } = row;
      taken.push({
        ...{ id, attempt, accountId: row.account_id },
        event: {
          ...{ id: row.event_id, type: row.type as EventType, createdAtMs: row.created_at_ms },
          details: JSON.parse(row.details),
        },
        endpoint: {
          ...{ id: row.endpoint_id, url: row.url ?? "" },
          secrets: signingSecrets({ secret: row.secret ?? "", previous_secret, previous_until_ms }, nowMs),
        },
      });
    }
  }
  return taken;
}

async function fail(db: Queries, id: string, error: string): Promise<void> {
  await db.updateTable("alert_deliveries").set({ state: "failed", last_result: error }).where("id", "=", id).execute();
}

/**
 * Logs an attempt. Unless another server has taken the delivery over, records how the attempt ended and whether the endpoint works. If
 * the delivery is abandoned, creates an alert, which is mailed if `mails` is true. Disables an endpoint that is gone or has failed for
 * five days. Returns whether it was disabled now.
 */
async function endWebhookAttempt(
  db: Queries,
  webhook: ClaimedWebhook,
  result: WebhookResult,
  { mails }: { readonly mails: boolean },
  nowMs: number,
): Promise<boolean> {
  const { id, attempt, accountId, endpoint } = webhook;
  const { state, retryAtMs, error, httpStatus } = result;
  // Changes nothing, but waits for a transaction that is changing the endpoint.
  const locked = await db
    .updateTable("webhook_endpoints")
    .set({ id: endpoint.id })
    .where("id", "=", endpoint.id)
    .returning(["url", "failing_since_ms", "disabled_by"])
    .executeTakeFirst();
  if (locked === undefined) {
    // The endpoint was deleted, with its deliveries.
    return false;
  }
  await logAttempt(db, webhook, result);
  const ended = await db
    .updateTable("alert_deliveries")
    .set({ state, last_result: error ?? String(httpStatus), ...(retryAtMs !== undefined && { due_at_ms: retryAtMs }) })
    .where("id", "=", id)
    .where("attempts", "=", attempt)
    .where("state", "=", "waiting")
    .returning("id")
    .executeTakeFirst();
  if (ended === undefined) {
    return false;
  }
  if (state === "delivered") {
    await db.updateTable("webhook_endpoints").set({ failing_since_ms: null }).where("id", "=", endpoint.id).execute();
  } else if (webhook.event.type !== TEST_EVENT) {
    const sinceMs = locked.failing_since_ms ?? result.atMs;
    await db.updateTable("webhook_endpoints").set({ failing_since_ms: sinceMs }).where("id", "=", endpoint.id).execute();
    if (state === "failed" && locked.disabled_by === null) {
      const disables = result.isGone || nowMs - sinceMs >= FAILING_MS_MAX;
      if (disables) {
        const disabled_by = result.isGone ? "gone" : "failures";
        await db.updateTable("webhook_endpoints").set({ disabled_by }).where("id", "=", endpoint.id).execute();
        await failWaiting(db, endpoint.id, "The endpoint was disabled.");
      }
      const since = new Date(sinceMs).toISOString();
      const details = { endpoint_id: endpoint.id, url: locked.url, since, error: error ?? "", disabled: disables ? 1 : 0 };
      const alert = { accountId, type: "webhook.failing", subject: endpoint.id, period: since, details, isMailed: true } as const;
      await addAlerts(db, [{ ...alert, level: disables ? 1 : 0 }], { mails }, nowMs);
      return disables;
    }
  }
  return false;
}

async function logAttempt(db: Queries, { id, attempt, accountId, endpoint }: ClaimedWebhook, result: WebhookResult): Promise<void> {
  await db
    .insertInto("webhook_attempts")
    .values({
      ...{ delivery_id: id, attempt, account_id: accountId, endpoint_id: endpoint.id },
      ...{ at_ms: result.atMs, duration_ms: result.durationMs, http_status: result.httpStatus ?? null },
      ...{ response: result.response, error: result.error ?? null },
    })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await db
    .deleteFrom("webhook_attempts")
    .where("delivery_id", "=", id)
    .where("attempt", "<=", attempt - ATTEMPTS_KEPT_MAX)
    .execute();
}

const noteOf =
  (action: "webhook.create" | "webhook.update" | "webhook.rotate_secret") =>
  ({ id, accountId, url, alertTypes, disabledBy }: WebhookEndpoint) => ({
    ...{ action, accountId, subject: id },
    details: { url, alert_types: alertTypes, disabled: disabledBy !== undefined },
  });

/**
 * The store's methods for webhooks: those of an account's owner, to whom an id of another account is as if it did not exist, and those that
 * servers use for all accounts.
 */
export const webhookMethods = {
  webhookEndpoints: readAt(endpointsOf),
  findWebhookEndpoint: readAt(findEndpoint),
  createWebhookEndpoint: auditedAt(createEndpoint, noteOf("webhook.create")),
  updateWebhookEndpoint: auditedAt(updateEndpoint, noteOf("webhook.update")),
  rotateWebhookSecret: auditedAt(rotateSecret, noteOf("webhook.rotate_secret")),
  deleteWebhookEndpoint: audited(deleteEndpoint, ({ url }, accountId, id) => ({
    ...{ action: "webhook.delete", accountId, subject: id },
    details: { url },
  })),
  addWebhookTest: writeAt(deliveries.addTest),
  webhookDeliveries: readAt(deliveries.deliveryPage),
  findWebhookDelivery: readAt(deliveries.findDelivery),
  replayWebhookDelivery: writeAt(deliveries.replayDelivery),
  // Servers ask every few seconds, and nearly always nothing is due: a read costs much less than a transaction.
  claimWebhooks: (transactions: Transactions) => async (options: Parameters<typeof claimWebhooks>[1]) =>
    (await transactions.read((db) => isWebhookDue(db, transactions.nowMs)))
      ? transactions.write((db) => claimWebhooks(db, options, transactions.nowMs))
      : [],
  endWebhookAttempt: writeAt(endWebhookAttempt),
};
