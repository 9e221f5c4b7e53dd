// When each key was last used. Written in batches beside the usage history, at most once a minute for one key. Each function runs in the
// given transaction.
import { LruMap } from "../../runtime/lru-map.ts";
import type { Queries } from "../schema.ts";
import type { UsageCount } from "../usage-records.ts";

/** How exact the time of a key's last use is. */
const WRITTEN_EVERY_MS = 60_000;
const REMEMBERED_MAX = 100_000;
// Each row has three parameters, so a statement stays far below the limit of either database.
const ROWS_PER_INSERT = 500;

export interface KeyUse {
  readonly keyId: string;
  readonly accountId: string;
}

/** The times that this process has written recently, so that a busy key is not written with each batch. */
export class RecentKeyUses {
  readonly #writtenAtMs = new LruMap<string, number>(REMEMBERED_MAX);

  /** The keys of these counts whose last use must be written. */
  due(counts: readonly UsageCount[], nowMs: number): readonly KeyUse[] {
    const uses = new Map<string, KeyUse>();
    for (const { keyId, accountId } of counts) {
      const writtenAtMs = this.#writtenAtMs.get(keyId);
      if (writtenAtMs === undefined || nowMs - writtenAtMs >= WRITTEN_EVERY_MS) {
        uses.set(keyId, { keyId, accountId });
      }
    }
    return [...uses.values()];
  }

  written(uses: readonly KeyUse[], nowMs: number): void {
    for (const { keyId } of uses) {
      this.#writtenAtMs.set(keyId, nowMs);
    }
  }
}

/** Notes that these keys were used now. The time of a key never goes back. */
export async function noteKeyUses(db: Queries, uses: readonly KeyUse[], nowMs: number): Promise<void> {
  // All processes write rows in the same order, so that they cannot deadlock.
  const rows = uses
    .toSorted((a, b) => (a.keyId < b.keyId ? -1 : 1))
    .map(({ keyId, accountId }) => ({ key_id: keyId, account_id: accountId, last_used_at_ms: nowMs }));
  for (let start = 0; start < rows.length; start += ROWS_PER_INSERT) {
    await db
      .insertInto("key_uses")
      .values(rows.slice(start, start + ROWS_PER_INSERT))
      .onConflict((conflict) =>
        conflict.column("key_id").doUpdateSet({ last_used_at_ms: nowMs }).where("key_uses.last_used_at_ms", "<", nowMs),
      )
      .execute();
  }
}

/** When each key of an account was last used, by its id. Keys that were never used are left out. */
export async function keyUses(db: Queries, accountId: string): Promise<ReadonlyMap<string, number>> {
  const rows = await db.selectFrom("key_uses").select(["key_id", "last_used_at_ms"]).where("account_id", "=", accountId).execute();
  return new Map(rows.map((row) => [row.key_id, row.last_used_at_ms]));
}

/** Forgets the keys of an account that are no longer kept. */
export async function forgetDeletedKeys(db: Queries, accountId: string): Promise<void> {
  await db
    .deleteFrom("key_uses")
    .where("account_id", "=", accountId)
    .where("key_id", "not in", (keys) => keys.selectFrom("api_keys").select("id").where("account_id", "=", accountId))
    .execute();
}
