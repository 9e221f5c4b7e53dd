// The endpoints of webhooks. Each function runs in the given transaction. A transaction that changes an endpoint and deliveries to it
// changes the endpoint first, so that two such transactions cannot deadlock.
import type { Selectable } from "kysely";
import {
  type AlertType,
  ENDPOINTS_MAX,
  type NewWebhookEndpoint,
  type WebhookEndpoint,
  type WebhookEndpointChanges,
} from "../alert-records.ts";
import type { Queries, Tables } from "../schema.ts";
import { StoreConflict } from "../store-errors.ts";
import { lockAccount } from "./accounts.ts";

type Row = Selectable<Tables["webhook_endpoints"]>;

/** Converts a row to the record that the store returns, which lacks the secrets. */
const toEndpoint = (row: Row, nowMs: number): WebhookEndpoint => ({
  id: row.id,
  accountId: row.account_id,
  url: row.url,
  description: row.description,
  alertTypes: JSON.parse(row.alert_types) as readonly AlertType[],
  disabledBy: row.disabled_by ?? undefined,
  failingSinceMs: row.failing_since_ms ?? undefined,
  previousSecretUntilMs: (row.previous_until_ms ?? 0) > nowMs ? (row.previous_until_ms ?? undefined) : undefined,
  createdAtMs: row.created_at_ms,
});

/** The secrets that requests are signed with now, the current one first. */
export const signingSecrets = (
  row: Pick<Row, "secret" | "previous_secret" | "previous_until_ms">,
  nowMs: number,
): readonly string[] =>
  row.previous_secret !== null && (row.previous_until_ms ?? 0) > nowMs ? [row.secret, row.previous_secret] : [row.secret];

/** The account's endpoints, oldest first. */
export async function endpointsOf(db: Queries, accountId: string, nowMs: number): Promise<readonly WebhookEndpoint[]> {
  const rows = await db
    .selectFrom("webhook_endpoints")
    .selectAll()
    .where("account_id", "=", accountId)
    .orderBy("created_at_ms")
    .orderBy("id")
    .execute();
  return rows.map((row) => toEndpoint(row, nowMs));
}

export async function findEndpoint(
  db: Queries,
  accountId: string,
  id: string,
  nowMs: number,
): Promise<WebhookEndpoint | undefined> {
  const row = await db
    .selectFrom("webhook_endpoints")
    .selectAll()
    .where("id", "=", id)
    .where("account_id", "=", accountId)
    .executeTakeFirst();
  return row && toEndpoint(row, nowMs);
}

/** Creates an endpoint. StoreConflict if the account has too many. */
export async function createEndpoint(
  db: Queries,
  { id, accountId, url, description, alertTypes, secret }: NewWebhookEndpoint,
  nowMs: number,
): Promise<WebhookEndpoint> {
  await lockAccount(db, accountId);
  if ((await endpointsOf(db, accountId, nowMs)).length >= ENDPOINTS_MAX) {
    throw new StoreConflict(`The account has ${ENDPOINTS_MAX} webhook endpoints, which is the maximum. Delete one first.`);
  }
  const row = await db
    .insertInto("webhook_endpoints")
    .values({
      ...{ id, account_id: accountId, url, description, alert_types: JSON.stringify(alertTypes), secret },
      ...{ previous_secret: null, previous_until_ms: null, disabled_by: null, failing_since_ms: null, created_at_ms: nowMs },
    })
    .returningAll()
    .executeTakeFirstOrThrow();
  return toEndpoint(row, nowMs);
}

type Values = Partial<Omit<Row, "id" | "account_id" | "created_at_ms">>;

async function change(db: Queries, accountId: string, id: string, values: Values, nowMs: number): Promise<WebhookEndpoint> {
  const row = await db
    .updateTable("webhook_endpoints")
    .set(values)
    .where("id", "=", id)
    .where("account_id", "=", accountId)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) {
    throw noEndpoint(id);
  }
  return toEndpoint(row, nowMs);
}

export const noEndpoint = (id: string): StoreConflict =>
  new StoreConflict(`The account has no webhook endpoint with the ID ${id}.`);

/** Disabling it fails the deliveries that are waiting to be sent to it. StoreConflict if there is no such endpoint. */
export async function updateEndpoint(
  db: Queries,
  accountId: string,
  id: string,
  { url, description, alertTypes, isDisabled }: WebhookEndpointChanges,
  nowMs: number,
): Promise<WebhookEndpoint> {
  const changed = await change(
    db,
    accountId,
    id,
    {
      // An update must set something, even if no field is given.
      ...{ account_id: accountId },
      ...(url !== undefined && { url }),
      ...(description !== undefined && { description }),
      ...(alertTypes !== undefined && { alert_types: JSON.stringify(alertTypes) }),
      ...(isDisabled === true && { disabled_by: "owner" as const }),
      ...(isDisabled === false && { disabled_by: null, failing_since_ms: null }),
    },
    nowMs,
  );
  if (isDisabled === true) {
    await failWaiting(db, id, "The endpoint was disabled.");
  }
  return changed;
}

/** Fails the deliveries that are waiting to be sent to an endpoint. */
export async function failWaiting(db: Queries, endpointId: string, error: string): Promise<void> {
  await db
    .updateTable("alert_deliveries")
    .set({ state: "failed", last_result: error })
    .where("endpoint_id", "=", endpointId)
    .where("state", "=", "waiting")
    .execute();
}

/**
 * Signs requests with the new secret from now on, until `previousUntilMs` also with the former one, and no longer with any older one.
 * StoreConflict as above.
 */
export async function rotateSecret(
  db: Queries,
  accountId: string,
  id: string,
  secret: string,
  previousUntilMs: number,
  nowMs: number,
): Promise<WebhookEndpoint> {
  await lockAccount(db, accountId);
  const row = await db
    .selectFrom("webhook_endpoints")
    .select("secret")
    .where("id", "=", id)
    .where("account_id", "=", accountId)
    .executeTakeFirst();
  if (row === undefined) {
    throw noEndpoint(id);
  }
  const values = { secret, previous_secret: row.secret, previous_until_ms: previousUntilMs };
  return change(db, accountId, id, values, nowMs);
}

/** Deletes an endpoint with its deliveries. StoreConflict if there is no such endpoint. */
export async function deleteEndpoint(db: Queries, accountId: string, id: string): Promise<{ readonly url: string }> {
  const deleted = await db
    .deleteFrom("webhook_endpoints")
    .where("id", "=", id)
    .where("account_id", "=", accountId)
    .returning("url")
    .executeTakeFirst();
  if (deleted === undefined) {
    throw noEndpoint(id);
  }
  await db.deleteFrom("alert_deliveries").where("endpoint_id", "=", id).execute();
  await db.deleteFrom("webhook_attempts").where("endpoint_id", "=", id).execute();
  return deleted;
}
