// The alerts, and the keys that will soon expire. Each function runs in the given transaction.
import { createHash } from "node:crypto";
import type { Alert, AlertPage, AlertType, ExpiringKey } from "../alert-records.ts";
import type { Queries } from "../schema.ts";
import { TEST_EVENT } from "../webhook-records.ts";
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
export const toAlert = (row: {
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
