// The deliveries of events to webhook endpoints, as an owner lists and replays them. Each function runs in the given transaction.
import {
  type Alert,
  DELIVERIES_KEPT_DAYS,
  type DeliveryState,
  type EventType,
  TEST_EVENT,
  type WebhookAttempt,
  type WebhookDelivery,
  type WebhookDeliveryPage,
} from "../alert-records.ts";
import type { Queries } from "../schema.ts";
import { StoreConflict } from "../store-errors.ts";
import { addDeliveries, idOf } from "./alerts.ts";
import type { DatedTable } from "./expired-counts.ts";
import { noEndpoint } from "./webhook-endpoints.ts";

export const WEBHOOK_ATTEMPTS: DatedTable = { table: "webhook_attempts", key: ["delivery_id", "attempt"], time: "at_ms" };

const DAY_MS = 86_400_000;

export const firstDeliveryKept = (nowMs: number): number => nowMs - DELIVERIES_KEPT_DAYS * DAY_MS;

/** For each alert, adds a delivery to every enabled endpoint of its account that receives alerts of this type. */
export async function addWebhooks(
  db: Queries,
  alerts: readonly { readonly id: string; readonly account_id: string; readonly type: string }[],
  nowMs: number,
): Promise<void> {
  const sent = alerts.filter(({ type }) => type !== "webhook.failing");
  if (sent.length === 0) {
    return;
  }
  const endpoints = await db
    .selectFrom("webhook_endpoints")
    .select(["id", "account_id", "alert_types"])
    .where("account_id", "in", [...new Set(sent.map(({ account_id }) => account_id))])
    .where("disabled_by", "is", null)
    .execute();
  const rows = endpoints.flatMap(({ id: endpoint_id, account_id, alert_types }) => {
    const types = JSON.parse(alert_types) as readonly string[];
    return sent
      .filter((alert) => alert.account_id === account_id && (types.length === 0 || types.includes(alert.type)))
      .map(({ id }) => ({ id: idOf(id, endpoint_id), alert_id: id, account_id, endpoint_id }));
  });
  await addDeliveries(db, rows, nowMs);
}

/** Adds the delivery of a test event with this id. StoreConflict if there is no such endpoint, or it is disabled. */
export async function addTest(
  db: Queries,
  accountId: string,
  endpointId: string,
  eventId: string,
  nowMs: number,
): Promise<WebhookDelivery> {
  await requireEnabled(db, accountId, endpointId);
  // Deletes old test events, which are no longer listed. The real alerts in this table are kept for longer.
  await db
    .deleteFrom("alerts")
    .where("account_id", "=", accountId)
    .where("type", "=", TEST_EVENT)
    .where("created_at_ms", "<", firstDeliveryKept(nowMs))
    .execute();
  await db
    .insertInto("alerts")
    .values({
      ...{ id: eventId, account_id: accountId, type: TEST_EVENT, subject: endpointId, period: eventId, level: 0 },
      ...{ created_at_ms: nowMs, details: JSON.stringify({ endpoint_id: endpointId }) },
    })
    .execute();
  const id = idOf(eventId, endpointId);
  await addDeliveries(db, [{ id, alert_id: eventId, account_id: accountId, endpoint_id: endpointId }], nowMs);
  return requireDelivery(db, accountId, id, nowMs);
}

async function requireEnabled(db: Queries, accountId: string, endpointId: string): Promise<void> {
  // Changes nothing, but waits for a transaction that is disabling or deleting the endpoint.
  const row = await db
    .updateTable("webhook_endpoints")
    .set({ id: endpointId })
    .where("id", "=", endpointId)
    .where("account_id", "=", accountId)
    .returning("disabled_by")
    .executeTakeFirst();
  if (row === undefined) {
    throw noEndpoint(endpointId);
  }
  if (row.disabled_by !== null) {
    throw new StoreConflict("The webhook endpoint is disabled. Enable it first.");
  }
}

const deliveries = (db: Queries, accountId: string, nowMs: number) =>
  db
    .selectFrom("alert_deliveries as d")
    .innerJoin("alerts as a", "a.id", "d.alert_id")
    .select(["d.id", "d.endpoint_id", "d.state", "d.created_at_ms", "d.attempts", "d.due_at_ms", "d.last_result"])
    .select(["a.id as event_id", "a.type", "a.created_at_ms as event_at_ms", "a.details"])
    .where("d.account_id", "=", accountId)
    .where("d.endpoint_id", "is not", null)
    .where("d.created_at_ms", ">=", firstDeliveryKept(nowMs));

type DeliveryRow = Awaited<ReturnType<ReturnType<typeof deliveries>["execute"]>>[number];

/** The endpoint's deliveries of the last 7 days, newest first. */
export async function deliveryPage(
  db: Queries,
  accountId: string,
  endpointId: string,
  { limit, offset }: { readonly limit: number; readonly offset: number },
  nowMs: number,
): Promise<WebhookDeliveryPage> {
  const rows = await deliveries(db, accountId, nowMs)
    .where("d.endpoint_id", "=", endpointId)
    .orderBy("d.created_at_ms", "desc")
    .orderBy("a.level", "desc")
    .orderBy("d.id")
    .limit(limit + 1)
    .offset(offset)
    .execute();
  return { deliveries: await withAttempts(db, rows.slice(0, limit)), hasMore: rows.length > limit };
}

export async function findDelivery(
  db: Queries,
  accountId: string,
  id: string,
  nowMs: number,
): Promise<WebhookDelivery | undefined> {
  const rows = await deliveries(db, accountId, nowMs).where("d.id", "=", id).execute();
  const [found] = await withAttempts(db, rows);
  return found;
}

async function requireDelivery(db: Queries, accountId: string, id: string, nowMs: number): Promise<WebhookDelivery> {
  const found = await findDelivery(db, accountId, id, nowMs);
  if (found === undefined) {
    throw new StoreConflict(`The account has no webhook delivery with the ID ${id}.`);
  }
  return found;
}

/** Makes a delivery due now. StoreConflict if it is due or being sent already, or its endpoint is disabled. */
export async function replayDelivery(db: Queries, accountId: string, id: string, nowMs: number): Promise<WebhookDelivery> {
  const row = await deliveries(db, accountId, nowMs).where("d.id", "=", id).executeTakeFirst();
  if (row?.endpoint_id == null) {
    throw new StoreConflict(`The account has no webhook delivery with the ID ${id}.`);
  }
  await requireEnabled(db, accountId, row.endpoint_id);
  const replayed = await db
    .updateTable("alert_deliveries")
    .set({ state: "waiting", due_at_ms: nowMs })
    .where("id", "=", id)
    .where((delivery) =>
      delivery.or([
        delivery("state", "<>", "waiting"),
        // It is waiting for its next attempt, because the last one has ended.
        delivery.and([
          delivery("due_at_ms", ">", nowMs),
          delivery.exists(
            delivery
              .selectFrom("webhook_attempts as w")
              .select("w.attempt")
              .where("w.delivery_id", "=", id)
              .whereRef("w.attempt", "=", "alert_deliveries.attempts"),
          ),
        ]),
      ]),
    )
    .returning("id")
    .executeTakeFirst();
  if (replayed === undefined) {
    throw new StoreConflict("The delivery is being sent already.");
  }
  return requireDelivery(db, accountId, id, nowMs);
}

async function withAttempts(db: Queries, rows: readonly DeliveryRow[]): Promise<readonly WebhookDelivery[]> {
  const attempts =
    rows.length === 0
      ? []
      : await db
          .selectFrom("webhook_attempts")
          .selectAll()
          .where(
            "delivery_id",
            "in",
            rows.map(({ id }) => id),
          )
          .orderBy("attempt")
          .execute();
  const attemptsByDelivery = Map.groupBy(attempts, ({ delivery_id }) => delivery_id);
  return rows.map((row) => {
    const own = (attemptsByDelivery.get(row.id) ?? []).map(
      ({ attempt, at_ms, duration_ms, http_status, response, error }): WebhookAttempt => ({
        ...{ attempt, atMs: at_ms, durationMs: duration_ms, httpStatus: http_status ?? undefined, response },
        error: error ?? undefined,
      }),
    );
    const state: DeliveryState = row.state;
    return {
      id: row.id,
      event: {
        ...{ id: row.event_id, type: row.type as EventType, createdAtMs: row.event_at_ms },
        details: JSON.parse(row.details) as Alert["details"],
      },
      ...{ state, createdAtMs: row.created_at_ms, dueAtMs: state === "waiting" ? row.due_at_ms : undefined },
      error: state === "failed" && own.at(-1)?.error !== row.last_result ? (row.last_result ?? undefined) : undefined,
      attempts: own,
    };
  });
}
