// The keys table: API keys, by their hashes. Each function runs in the given transaction.
import { type RawBuilder, type Selectable, sql, type Updateable } from "kysely";
import type { ServiceName } from "../../catalogue/service-names.ts";
import type { Key, KeyChanges, KeyCursor, NewKey, NextKey } from "../records.ts";
import type { Queries, Tables } from "../schema.ts";
import { StoreConflict } from "../store-errors.ts";
import { lockAccount } from "./accounts.ts";
import { deleteOldestEnded, requireRoom } from "./key-bounds.ts";
import { keyCreatedBy, rememberRequest } from "./key-requests.ts";
import { forgetDeletedKeys } from "./key-uses.ts";

/** Converts a row to the record that the store returns, which lacks the hash. */
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
    notes: row.notes,
    replacedBy: row.replaced_by,
    allowedAddresses: listOf(row.allowed_addresses),
    allowedOrigins: listOf(row.allowed_origins),
    callsPerMonth: row.calls_per_month,
    requestsPerSecond: row.requests_per_second,
    capId: row.cap_id ?? row.id,
  };
}

const listOf = (column: string | null): readonly string[] => (column === null ? [] : (JSON.parse(column) as string[]));

const listColumn = (list: readonly string[] | undefined): string | null =>
  list === undefined || list.length === 0 ? null : JSON.stringify(list);

/**
 * Inserts a key, and deletes the revoked and expired ones that ended first if there are too many. If its request has already created a key,
 * returns that key as it is now, and inserts nothing. StoreConflict if there is no such account, it has too many keys, or the id or the
 * hash is taken; RequestIdReused if a different request had the request's id.
 */
export async function createKey(db: Queries, key: NewKey, nowMs: number): Promise<Key> {
  await lockAccount(db, key.accountId);
  const { request, accountId } = key;
  if (request === undefined) {
    return insertKey(db, key, nowMs);
  }
  const createdBefore = await keyCreatedBy(db, accountId, request, nowMs);
  if (createdBefore !== undefined) {
    return requireKey(db, createdBefore);
  }
  const created = await insertKey(db, key, nowMs);
  await rememberRequest(db, accountId, request, created.id, nowMs);
  return created;
}

async function insertKey(db: Queries, key: Omit<NewKey, "request">, nowMs: number, capId: string | null = null): Promise<Key> {
  await requireRoom(db, key, nowMs);
  await deleteOldestEnded(db, key, nowMs);
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
      notes: key.notes ?? "",
      allowed_addresses: listColumn(key.allowedAddresses),
      allowed_origins: listColumn(key.allowedOrigins),
      calls_per_month: key.callsPerMonth ?? null,
      requests_per_second: key.requestsPerSecond ?? null,
      cap_id: capId,
    })
    .onConflict((conflict) => conflict.doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) {
    throw new StoreConflict("There is already a key with this id or this hash.");
  }
  return toKey(row);
}

/** An account's keys, oldest first, including the revoked and expired ones that are still kept. */
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

/** The first `limit` keys of an account after the given one, in the same order. */
export async function keysAfter(db: Queries, accountId: string, after: KeyCursor | undefined, limit: number): Promise<Key[]> {
  const rows = await db
    .selectFrom("api_keys")
    .selectAll()
    .where("account_id", "=", accountId)
    .$if(after !== undefined, (select) =>
      select.where(({ eb, refTuple, tuple }) =>
        eb(refTuple("created_at_ms", "id"), ">", tuple(after?.createdAtMs ?? 0, after?.id ?? "")),
      ),
    )
    .orderBy("created_at_ms")
    .orderBy("id")
    .limit(limit)
    .execute();
  return rows.map(toKey);
}

export async function findKey(db: Queries, id: string): Promise<Key | undefined> {
  const row = await db.selectFrom("api_keys").selectAll().where("id", "=", id).executeTakeFirst();
  return row === undefined ? undefined : toKey(row);
}

async function requireKey(db: Queries, id: string): Promise<Key> {
  const key = await findKey(db, id);
  if (key === undefined) {
    throw new StoreConflict(`There is no key with the ID ${id}.`);
  }
  return key;
}

/** The keys of all accounts that end in these four characters, newest first. */
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

/** Revokes a key permanently. StoreConflict if there is no such key, or it is already revoked. */
export async function revokeKey(db: Queries, id: string, nowMs: number): Promise<Key> {
  return changeUnrevoked(db, id, { revoked_at_ms: nowMs });
}

/**
 * Changes the given fields of a key. New limits also apply to the keys that share them. StoreConflict if there is no such key, or it is
 * revoked.
 */
export async function updateKey(db: Queries, id: string, changes: KeyChanges): Promise<Key> {
  const { name, disabled, services, notes, allowedAddresses, allowedOrigins, callsPerMonth, requestsPerSecond } = changes;
  const limits = {
    ...(callsPerMonth !== undefined && { calls_per_month: callsPerMonth }),
    ...(requestsPerSecond !== undefined && { requests_per_second: requestsPerSecond }),
  };
  const key = await changeUnrevoked(db, id, {
    // An update must set something, even if no field is given.
    id,
    ...(name !== undefined && { name }),
    ...(disabled !== undefined && { disabled: disabled ? 1 : 0 }),
    ...(services !== undefined && { services: servicesColumn(services) }),
    ...(notes !== undefined && { notes }),
    ...(allowedAddresses !== undefined && { allowed_addresses: listColumn(allowedAddresses) }),
    ...(allowedOrigins !== undefined && { allowed_origins: listColumn(allowedOrigins) }),
    ...limits,
  });
  if (Object.keys(limits).length > 0) {
    await db
      .updateTable("api_keys")
      .set(limits)
      .where("account_id", "=", key.accountId)
      .where((row) => row.or([row("cap_id", "=", key.capId), row("id", "=", key.capId)]))
      .where("id", "<>", id)
      .execute();
  }
  return key;
}

/**
 * Creates the next key, with the old one's name, services, notes, allowed callers and limits, and lets the old one expire. If its request
 * has already created a key, changes nothing, and returns both keys as they are now. StoreConflict as for inserting and changing a key, and
 * if the keys belong to different accounts; RequestIdReused if a different request had the request's id.
 */
export async function rotateKey(
  db: Queries,
  oldId: string,
  { request, ...next }: NextKey,
  oldExpiresAtMs: number,
  nowMs: number,
): Promise<{ old: Key; next: Key }> {
  // Locks the account before the key: a transaction that holds the account's lock may delete keys, and would wait for this one.
  await lockAccount(db, next.accountId);
  const createdBefore = request && (await keyCreatedBy(db, next.accountId, request, nowMs));
  if (createdBefore !== undefined) {
    return { old: await requireKey(db, oldId), next: await requireKey(db, createdBefore) };
  }
  const old = await changeUnrevoked(db, oldId, {
    expires_at_ms: sql<number>`case when expires_at_ms < ${oldExpiresAtMs} then expires_at_ms else ${oldExpiresAtMs} end`,
    replaced_by: next.id,
  });
  if (old.accountId !== next.accountId) {
    throw new StoreConflict(`The key ${oldId} and the key that replaces it must belong to the same account.`);
  }
  const { name, services, notes, allowedAddresses, allowedOrigins, callsPerMonth, requestsPerSecond, capId } = old;
  const kept = { name, services, notes, allowedAddresses, allowedOrigins, callsPerMonth, requestsPerSecond };
  const created = await insertKey(db, { ...next, ...kept }, nowMs, capId);
  if (request !== undefined) {
    await rememberRequest(db, next.accountId, request, created.id, nowMs);
  }
  return { old, next: created };
}

const servicesColumn = (services: readonly ServiceName[] | null): string | null =>
  services === null ? null : JSON.stringify(services);

type KeyColumns = Updateable<Tables["api_keys"]>;

// In one statement, because the database may be remote.
async function changeUnrevoked(
  db: Queries,
  id: string,
  change: { readonly [Column in keyof KeyColumns]: KeyColumns[Column] | RawBuilder<KeyColumns[Column]> },
): Promise<Key> {
  const row = await db
    .updateTable("api_keys")
    .set(change)
    .where("id", "=", id)
    .where("revoked_at_ms", "is", null)
    .returningAll()
    .executeTakeFirst();
  if (row !== undefined) {
    return toKey(row);
  }
  await requireKey(db, id);
  throw new StoreConflict(`The key ${id} is revoked, which is final; create a new one.`);
}
