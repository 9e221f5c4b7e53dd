// The keys table: what is known of an API key without the key. Each function runs in the transaction that it is handed.
import type { ExpressionBuilder, ExpressionWrapper, Selectable, SqlBool } from "kysely";
import type { ServiceName } from "../services/service.ts";
import { requireAccount } from "./accounts.ts";
import type { Queries, Tables } from "./schema.ts";
import { type Key, type KeyChanges, type NewKey, StoreConflict } from "./store.ts";

// The most keys of an account that are neither revoked nor expired, and how many of its others are still listed.
const aliveKeysMax = 100;
const endedKeysMax = 900;

/** A row as the rest of the program sees it: without the hash. */
export function toKey(row: Selectable<Tables["api_keys"]>): Key {
  return {
    id: row.id,
    accountId: row.account_id,
    name: row.name,
    prefix: row.prefix,
    lastFour: row.last_four,
    services: row.services === null ? null : (JSON.parse(row.services) as ServiceName[]),
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
    disabled: row.disabled === 1,
    revokedAtMs: row.revoked_at_ms,
  };
}

/** Inserts a key. StoreConflict when there is no such account, it has as many keys as it may, or the id or the hash is taken. */
export async function createKey(db: Queries, key: NewKey, nowMs: number): Promise<Key> {
  await requireRoom(db, key.accountId, nowMs);
  const row = await db
    .insertInto("api_keys")
    .values({
      id: key.id,
      account_id: key.accountId,
      name: key.name,
      hash: key.hash,
      prefix: key.prefix,
      last_four: key.lastFour,
      services: servicesColumn(key.services),
      created_at_ms: nowMs,
      expires_at_ms: key.expiresAtMs,
      disabled: 0,
      revoked_at_ms: null,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) {
    throw new StoreConflict("There is a key with this id or this hash already.");
  }
  return toKey(row);
}

/** An account's keys, oldest first: all that are neither revoked nor expired, and of the others the ones that ended last. */
export async function listKeys(db: Queries, accountId: string, nowMs: number): Promise<Key[]> {
  const ended = db
    .selectFrom("api_keys")
    .select("id")
    .where("account_id", "=", accountId)
    .where((row) => row.not(isAlive(row, nowMs)))
    .orderBy((row) => row.fn.coalesce("revoked_at_ms", "expires_at_ms"), "desc")
    .orderBy("id")
    .limit(endedKeysMax);
  const rows = await db
    .selectFrom("api_keys")
    .selectAll()
    .where("account_id", "=", accountId)
    .where((row) => row.or([isAlive(row, nowMs), row("id", "in", ended)]))
    .orderBy("created_at_ms")
    .orderBy("id")
    .execute();
  return rows.map(toKey);
}

/** The key with this id. */
export async function findKey(db: Queries, id: string): Promise<Key | undefined> {
  const row = await db.selectFrom("api_keys").selectAll().where("id", "=", id).executeTakeFirst();
  return row === undefined ? undefined : toKey(row);
}

/** Revokes a key, for good. StoreConflict when there is none, or it is revoked already. */
export async function revokeKey(db: Queries, id: string, nowMs: number): Promise<Key> {
  await requireUnrevoked(db, id);
  return toKey(
    await db.updateTable("api_keys").set({ revoked_at_ms: nowMs }).where("id", "=", id).returningAll().executeTakeFirstOrThrow(),
  );
}

/** Changes what is named of a key. StoreConflict when there is none, or it is revoked. */
export async function updateKey(db: Queries, id: string, { name, disabled, services }: KeyChanges): Promise<Key> {
  await requireUnrevoked(db, id);
  return toKey(
    await db
      .updateTable("api_keys")
      // The id, for there may be nothing else: a statement must set something.
      .set({
        id,
        ...(name !== undefined && { name }),
        ...(disabled !== undefined && { disabled: disabled ? 1 : 0 }),
        ...(services !== undefined && { services: servicesColumn(services) }),
      })
      .where("id", "=", id)
      .returningAll()
      .executeTakeFirstOrThrow(),
  );
}

/** Makes the next key and lets the old one expire. StoreConflict as for each of the two, and when they are not of one account. */
export async function rotateKey(
  db: Queries,
  oldId: string,
  next: NewKey,
  oldExpiresAtMs: number,
  nowMs: number,
): Promise<{ old: Key; next: Key }> {
  const before = await requireUnrevoked(db, oldId);
  if (before.accountId !== next.accountId) {
    throw new StoreConflict(`The key ${oldId} belongs to another account than the one that should follow it.`);
  }
  const expiresAtMs = Math.min(oldExpiresAtMs, before.expiresAtMs ?? oldExpiresAtMs);
  const old = await db
    .updateTable("api_keys")
    .set({ expires_at_ms: expiresAtMs })
    .where("id", "=", oldId)
    .returningAll()
    .executeTakeFirstOrThrow();
  return { old: toKey(old), next: await createKey(db, next, nowMs) };
}

// Waits for whoever is making a key of the account, so that what is counted here still holds when the caller inserts: where rows can be
// locked, an update that changes nothing locks the account's.
async function requireRoom(db: Queries, accountId: string, nowMs: number): Promise<void> {
  await requireAccount(db, accountId);
  await db.updateTable("accounts").set({ id: accountId }).where("id", "=", accountId).execute();
  const { alive } = await db
    .selectFrom("api_keys")
    .select((row) => row.fn.countAll<number>().as("alive"))
    .where("account_id", "=", accountId)
    .where((row) => isAlive(row, nowMs))
    .executeTakeFirstOrThrow();
  if (alive >= aliveKeysMax) {
    throw new StoreConflict(
      `The account has ${alive} keys that are neither revoked nor expired, and may have ${aliveKeysMax}; revoke one that is not needed any more.`,
    );
  }
}

function isAlive(row: ExpressionBuilder<Tables, "api_keys">, nowMs: number): ExpressionWrapper<Tables, "api_keys", SqlBool> {
  return row.and([row("revoked_at_ms", "is", null), row.or([row("expires_at_ms", "is", null), row("expires_at_ms", ">", nowMs)])]);
}

const servicesColumn = (services: readonly ServiceName[] | null): string | null =>
  services === null ? null : JSON.stringify(services);

// Locks the row on the way, where rows can be locked: an update that changes nothing waits for whoever is changing it, so what is
// read here still holds when the caller writes.
async function requireUnrevoked(db: Queries, id: string): Promise<Key> {
  const row = await db.updateTable("api_keys").set({ id }).where("id", "=", id).returningAll().executeTakeFirst();
  if (row === undefined) {
    throw new StoreConflict(`There is no key with the id ${id}.`);
  }
  if (row.revoked_at_ms !== null) {
    throw new StoreConflict(`The key ${id} is revoked, which is final; make a new one.`);
  }
  return toKey(row);
}
