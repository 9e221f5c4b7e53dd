// Bounds the keys of an account: those that work are limited, and of the revoked and expired ones only the latest are kept.
// Each function runs in the transaction that it is given.
import type { ExpressionBuilder, ExpressionWrapper, SqlBool } from "kysely";
import type { Queries, Tables } from "../schema.ts";
import { StoreConflict } from "../store-errors.ts";

// The most keys of an account that are neither revoked nor expired, and how many of its others are kept.
const ALIVE_KEYS_MAX = 100;
const ENDED_KEYS_MAX = 900;

/** StoreConflict when the account has as many keys as it may that are neither revoked nor expired. */
export async function requireRoom(db: Queries, accountId: string, nowMs: number): Promise<void> {
  const { alive } = await db
    .selectFrom("api_keys")
    .select((row) => row.fn.countAll<number>().as("alive"))
    .where("account_id", "=", accountId)
    .where((row) => isAlive(row, nowMs))
    .executeTakeFirstOrThrow();
  if (alive >= ALIVE_KEYS_MAX) {
    throw new StoreConflict(
      `The account has ${alive} keys that are neither revoked nor expired, and may have ${ALIVE_KEYS_MAX}; revoke one that is not needed any more.`,
    );
  }
}

/** Deletes the revoked and expired keys that ended first, where there are too many. */
export async function deleteFirstEnded(db: Queries, accountId: string, nowMs: number): Promise<void> {
  const kept = db
    .selectFrom("api_keys")
    .select("id")
    .where("account_id", "=", accountId)
    .where((row) => row.not(isAlive(row, nowMs)))
    .orderBy((row) => row.fn.coalesce("revoked_at_ms", "expires_at_ms"), "desc")
    .orderBy("id")
    .limit(ENDED_KEYS_MAX);
  await db
    .deleteFrom("api_keys")
    .where("account_id", "=", accountId)
    .where((row) => row.not(isAlive(row, nowMs)))
    .where("id", "not in", kept)
    .execute();
}

function isAlive(row: ExpressionBuilder<Tables, "api_keys">, nowMs: number): ExpressionWrapper<Tables, "api_keys", SqlBool> {
  return row.and([row("revoked_at_ms", "is", null), row.or([row("expires_at_ms", "is", null), row("expires_at_ms", ">", nowMs)])]);
}
