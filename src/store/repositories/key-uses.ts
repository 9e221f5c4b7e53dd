// When each key was last used. Written along with the usage history, at most once a minute for one key. Each function runs in the given
// transaction.
import { sql } from "kysely";
import type { Queries } from "../schema.ts";
import { given } from "./dialect.ts";

/** The precision of the time of a key's last use. */
const WRITE_INTERVAL_MS = 60_000;

export interface KeyUse {
  readonly keyId: string;
  readonly accountId: string;
  readonly usedAtMs: number;
}

/** Records when these keys were used; each key occurs once. The time of a key never goes back. */
export async function recordKeyUses(db: Queries, uses: readonly KeyUse[]): Promise<void> {
  if (uses.length === 0) {
    return;
  }
  // All processes write rows in the same order, so that they cannot deadlock.
  const rows = uses
    .toSorted((a, b) => (a.keyId < b.keyId ? -1 : 1))
    .map(({ keyId, accountId, usedAtMs }) => ({ key_id: keyId, account_id: accountId, used_at_ms: usedAtMs }));
  await sql`
    insert into key_uses (key_id, account_id, last_used_at_ms)
    select key_id, account_id, used_at_ms from ${given(db, { key_id: "text", account_id: "text", used_at_ms: "bigint" }, rows)}
    where coalesce((select last_used_at_ms from key_uses as held where held.key_id = given.key_id), 0)
      <= given.used_at_ms - ${sql.lit(WRITE_INTERVAL_MS)}
    on conflict (key_id) do update set last_used_at_ms = excluded.last_used_at_ms
      where key_uses.last_used_at_ms < excluded.last_used_at_ms
  `.execute(db);
}

/** When each key of an account was last used, by its id. Keys that were never used are left out. */
export async function keyUses(db: Queries, accountId: string): Promise<ReadonlyMap<string, number>> {
  const rows = await db.selectFrom("key_uses").select(["key_id", "last_used_at_ms"]).where("account_id", "=", accountId).execute();
  return new Map(rows.map((row) => [row.key_id, row.last_used_at_ms]));
}

/** Deletes the times at which an account's deleted keys were last used. */
export async function forgetDeletedKeys(db: Queries, accountId: string): Promise<void> {
  await db
    .deleteFrom("key_uses")
    .where("account_id", "=", accountId)
    .where("key_id", "not in", (keys) => keys.selectFrom("api_keys").select("id").where("account_id", "=", accountId))
    .execute();
}
