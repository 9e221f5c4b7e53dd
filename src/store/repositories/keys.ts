// Keys: how they are created, changed, replaced and revoked, which requests created them, and when they were last used. Each function runs
// in the given transaction.
import { type RawBuilder, type Selectable, sql, type Updateable } from "kysely";
import type { ServiceName } from "../../catalogue/service-names.ts";
import { keyNote, updateAction } from "../audit-records.ts";
import type { Key, KeyChanges, KeyCursor, KeyRequest, NewKey, NextKey } from "../records.ts";
import type { Queries, Tables } from "../schema.ts";
import { StoreConflict } from "../store-errors.ts";
import { auditedAt, changing, changingAt, read, type Transactions } from "../transactions.ts";
import { lockAccount } from "./accounts.ts";
import { given } from "./dialect.ts";
import type { DatedTable } from "./expired-counts.ts";
import { deleteOldestEnded, requireRoom } from "./key-caps.ts";

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
 * Creates a key. StoreConflict if the account already has 100 keys that are neither revoked nor expired. The 900 revoked and expired keys
 * that ended last are kept, and older ones are deleted here. Keys with a lifetime of at most an hour are counted separately: 100 that are
 * valid, and 20 that have ended. If the same request has created a key within the last day, and that key is still listed, returns it,
 * with its own id, and changes nothing. RequestIdReused if a different request had the id.
 */
async function createKey(db: Queries, key: NewKey, nowMs: number): Promise<Key> {
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

/** The account's keys, oldest first, including revoked and expired ones. There are never more than 1120. */
async function listKeys(db: Queries, accountId: string): Promise<readonly Key[]> {
  const rows = await db
    .selectFrom("api_keys")
    .selectAll()
    .where("account_id", "=", accountId)
    .orderBy("created_at_ms")
    .orderBy("id")
    .execute();
  return rows.map(toKey);
}

/** At most `limit` keys after a given one, which may have been deleted in the meantime. Undefined for the first. */
async function keysAfter(db: Queries, accountId: string, after: KeyCursor | undefined, limit: number): Promise<readonly Key[]> {
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

async function findKey(db: Queries, id: string): Promise<Key | undefined> {
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
async function keysEndingIn(db: Queries, lastFour: string, limit: number): Promise<readonly Key[]> {
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
async function revokeKey(db: Queries, id: string, nowMs: number): Promise<Key> {
  return changeUnrevoked(db, id, { revoked_at_ms: nowMs });
}

/**
 * Changes the given fields of a key. New limits also apply to the keys that it replaced and that replaced it. StoreConflict if there is
 * no such key, or it is revoked.
 */
async function updateKey(db: Queries, id: string, changes: KeyChanges): Promise<Key> {
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
 * In one transaction: creates `next` with the old key's name, services, notes, allowed callers and limits, and lets the old key expire
 * at `oldExpiresAtMs`, never later than before. If the request of `next` has already been made, changes nothing, and returns both keys as
 * they are now. StoreConflict if the old key is revoked, and in the same cases as `createKey`: the old key counts until it has expired.
 */
async function rotateKey(
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

/** The table, for deleting expired rows. */
export const KEY_REQUESTS: DatedTable = { table: "key_requests", key: ["account_id", "request_id"], time: "made_at_ms" };

const KEPT_MS = 86_400_000;

/** Requests since this time are remembered. */
export const firstRequestKept = (nowMs: number): number => nowMs - KEPT_MS;

/** An account has used the id of an earlier request for a different one. */
export class RequestIdReused extends StoreConflict {}

/** The id of the key that the request has already created. RequestIdReused if a different request had this id. */
async function keyCreatedBy(
  db: Queries,
  accountId: string,
  { id, inputHash }: KeyRequest,
  nowMs: number,
): Promise<string | undefined> {
  const before = await db
    .selectFrom("key_requests")
    .select(["asked", "key_id"])
    .where("account_id", "=", accountId)
    .where("request_id", "=", id)
    .where("made_at_ms", ">=", firstRequestKept(nowMs))
    .executeTakeFirst();
  if (before !== undefined && before.asked !== inputHash) {
    throw new RequestIdReused("was sent with another request; generate a new one for each key that you create");
  }
  return before?.key_id;
}

/** Records which key a request has created. */
async function rememberRequest(
  db: Queries,
  accountId: string,
  { id, inputHash }: KeyRequest,
  keyId: string,
  nowMs: number,
): Promise<void> {
  const row = { asked: inputHash, key_id: keyId, made_at_ms: nowMs };
  await db
    .insertInto("key_requests")
    .values({ account_id: accountId, request_id: id, ...row })
    // The existing row has expired.
    .onConflict((conflict) => conflict.columns(["account_id", "request_id"]).doUpdateSet(row))
    .execute();
}

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

/**
 * When a call with each key of an account was last admitted, to within a minute: milliseconds since the epoch, by the key's id. Keys that
 * were never used are left out.
 */
async function keyUses(db: Queries, accountId: string): Promise<ReadonlyMap<string, number>> {
  const rows = await db.selectFrom("key_uses").select(["key_id", "last_used_at_ms"]).where("account_id", "=", accountId).execute();
  return new Map(rows.map((row) => [row.key_id, row.last_used_at_ms]));
}

/** Deletes the times at which an account's deleted keys were last used. */
async function forgetDeletedKeys(db: Queries, accountId: string): Promise<void> {
  await db
    .deleteFrom("key_uses")
    .where("account_id", "=", accountId)
    .where("key_id", "not in", (keys) => keys.selectFrom("api_keys").select("id").where("account_id", "=", accountId))
    .execute();
}

/** The store's methods for keys. */
export const keyMethods = {
  // Not announced, because no server can have looked up a key that did not exist yet. Nothing has changed if an earlier request created it.
  createKey: auditedAt(createKey, (created, { id }) => (created.id === id ? keyNote("key.create", created) : undefined)),
  listKeys: read(listKeys),
  keysAfter: read(keysAfter),
  keyUses: (transactions: Transactions) => (accountId: string) =>
    transactions.addUpThen(accountId, (backend) => backend.read((db) => keyUses(db, accountId))),
  findKey: read(findKey),
  keysEndingIn: read(keysEndingIn),
  revokeKey: changingAt(revokeKey, (key) => keyNote("key.revoke", key)),
  updateKey: changing(updateKey, (key, _, changes) => keyNote(updateAction(changes), key)),
  // Not announced if an earlier request has created the next key.
  rotateKey: changingAt(rotateKey, (rotated, _, next) =>
    rotated.next.id === next.id
      ? keyNote("key.rotate", rotated.old, { next_id: next.id, next_last_four: next.lastFour })
      : undefined,
  ),
};
