// The keys table: API keys, by their hashes. Each function runs in the transaction that it is given.
import type { Selectable } from "kysely";
import type { ServiceName } from "../../catalogue/service-names.ts";
import type { Key, KeyChanges, NewKey, NextKey } from "../records.ts";
import type { Queries, Tables } from "../schema.ts";
import { StoreConflict } from "../store-errors.ts";
import { lockAccount } from "./accounts.ts";
import { deleteFirstEnded, requireRoom } from "./key-bounds.ts";
import { forgetDeletedKeys } from "./key-uses.ts";

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
    lifetimeMs: row.lifetime_ms,
    disabled: row.disabled === 1,
    revokedAtMs: row.revoked_at_ms,
  };
}

/**
 * Inserts a key, and deletes the revoked and expired ones that ended first where there are too many. StoreConflict when
 * there is no such account, it has as many keys as it may, or the id or the hash is taken.
 */
export async function createKey(db: Queries, key: NewKey, nowMs: number): Promise<Key> {
  await lockAccount(db, key.accountId);
  return insertKey(db, key, nowMs);
}

async function insertKey(db: Queries, key: NewKey, nowMs: number): Promise<Key> {
  await requireRoom(db, key, nowMs);
  await deleteFirstEnded(db, key, nowMs);
  await forgetDeletedKeys(db, key.accountId);
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
      lifetime_ms: key.lifetimeMs,
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

/** An account's keys, oldest first; revoked and expired ones too, as far as they are kept. */
export async function listKeys(db: Queries, accountId: string): Promise<Key[]> {
  const rows = await db
    .selectFrom("api_keys")
    .selectAll()
    .where("account_id", "=", accountId)
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

/** The keys of all accounts that end so, latest first. */
export async function keysEndingIn(db: Queries, lastFour: string, limit: number): Promise<Key[]> {
  const rows = await db
    .selectFrom("api_keys")
    .selectAll()
    .where("last_four", "=", lastFour)
    .orderBy("created_at_ms", "desc")
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(toKey);
}

/** Revokes a key for good. StoreConflict when there is none, or it is revoked already. */
export async function revokeKey(db: Queries, id: string, nowMs: number): Promise<Key> {
  await requireUnrevoked(db, id);
  return toKey(
    await db.updateTable("api_keys").set({ revoked_at_ms: nowMs }).where("id", "=", id).returningAll().executeTakeFirstOrThrow(),
  );
}

/** Changes the given fields of a key. StoreConflict when there is none, or it is revoked. */
export async function updateKey(db: Queries, id: string, { name, disabled, services }: KeyChanges): Promise<Key> {
  await requireUnrevoked(db, id);
  return toKey(
    await db
      .updateTable("api_keys")
      // Sets the id too, because there may be nothing else and a statement must set something.
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

/**
 * Makes the next key, with the old one's name and services, and lets the old one expire. StoreConflict as for inserting and changing a key, and
 * when the two are not of one account.
 */
export async function rotateKey(
  db: Queries,
  oldId: string,
  next: NextKey,
  oldExpiresAtMs: number,
  nowMs: number,
): Promise<{ old: Key; next: Key }> {
  // Locks the account before the key: who has the account's lock may delete keys, and would wait for this one.
  await lockAccount(db, next.accountId);
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
  const { name, services } = before;
  return { old: toKey(old), next: await insertKey(db, { ...next, name, services }, nowMs) };
}

const servicesColumn = (services: readonly ServiceName[] | null): string | null =>
  services === null ? null : JSON.stringify(services);

// Locks the row, where rows can be locked, by an update that changes nothing: what is read here still holds when the caller writes.
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
