// The tables passkeys and passkey_challenges. Each function runs in the given transaction.
import type { Selectable } from "kysely";
import { signInNote } from "../audit-records.ts";
import type { NewPasskey, Passkey, PasskeyChallenge, PasskeySession } from "../owner-records.ts";
import type { Queries, Tables } from "../schema.ts";
import { StoreConflict } from "../store-errors.ts";
import { audited, auditedAt, read, type Transactions, writeAt } from "../transactions.ts";
import { lockAccount } from "./accounts.ts";
import { type DatedTable, deleteExpired } from "./expired-counts.ts";
import { insertSession, lockOwner } from "./sessions.ts";

const PASSKEYS_PER_ACCOUNT_MAX = 10;

export const PASSKEY_CHALLENGES: DatedTable = { table: "passkey_challenges", key: ["challenge_hash"], time: "expires_at_ms" };

/** The account's passkeys, oldest first. There are never more than 10. */
async function passkeysOf(db: Queries, accountId: string): Promise<readonly Passkey[]> {
  const rows = await db
    .selectFrom("passkeys")
    .selectAll()
    .where("account_id", "=", accountId)
    .orderBy("created_at_ms")
    .orderBy("id")
    .execute();
  return rows.map(toPasskey);
}

async function findPasskey(db: Queries, credentialId: string): Promise<Passkey | undefined> {
  const row = await db.selectFrom("passkeys").selectAll().where("credential_id", "=", credentialId).executeTakeFirst();
  return row && toPasskey(row);
}

/** Stores a passkey. StoreConflict if the account has too many, the credential is registered, or the account has no owner. */
async function addPasskey(db: Queries, passkey: NewPasskey, nowMs: number): Promise<Passkey> {
  const { id, accountId, credentialId, publicKey, counter, transports, name } = passkey;
  await lockAccount(db, accountId);
  if ((await passkeysOf(db, accountId)).length >= PASSKEYS_PER_ACCOUNT_MAX) {
    throw new StoreConflict(`The account already has ${PASSKEYS_PER_ACCOUNT_MAX} passkeys. Remove one first.`);
  }
  const row = await db
    .insertInto("passkeys")
    .values({
      ...{ id, account_id: accountId, credential_id: credentialId, public_key: publicKey, counter, name },
      transports: JSON.stringify(transports),
      created_at_ms: nowMs,
      last_used_at_ms: null,
    })
    .onConflict((conflict) => conflict.column("credential_id").doNothing())
    .returningAll()
    .executeTakeFirst();
  if (row === undefined) {
    throw new StoreConflict("This passkey is already registered.");
  }
  return toPasskey(row);
}

/** Renames a passkey. Returns it and its former name. StoreConflict if the account has none with this id. */
async function renamePasskey(
  db: Queries,
  accountId: string,
  id: string,
  name: string,
): Promise<{ readonly passkey: Passkey; readonly formerName: string }> {
  const former = (await passkeysOf(db, accountId)).find((passkey) => passkey.id === id);
  const row = await db
    .updateTable("passkeys")
    .set({ name })
    .where("account_id", "=", accountId)
    .where("id", "=", id)
    .returningAll()
    .executeTakeFirst();
  if (row === undefined || former === undefined) {
    throw new StoreConflict(`The account has no passkey with the ID ${id}.`);
  }
  return { passkey: toPasskey(row), formerName: former.name };
}

/** Removes a passkey and returns its name. StoreConflict if the account has none with this id. */
async function removePasskey(db: Queries, accountId: string, id: string): Promise<string> {
  const row = await db
    .deleteFrom("passkeys")
    .where("account_id", "=", accountId)
    .where("id", "=", id)
    .returning("name")
    .executeTakeFirst();
  if (row === undefined) {
    throw new StoreConflict(`The account has no passkey with the ID ${id}.`);
  }
  return row.name;
}

/** Removes all passkeys of an account, and returns how many there were. */
export async function deletePasskeys(db: Queries, accountId: string): Promise<number> {
  const rows = await db.deleteFrom("passkeys").where("account_id", "=", accountId).returning("id").execute();
  await db.deleteFrom("passkey_challenges").where("account_id", "=", accountId).execute();
  return rows.length;
}

/** Stores a challenge, and deletes expired ones. */
async function addPasskeyChallenge(
  db: Queries,
  { challengeHash, accountId, expiresAtMs }: PasskeyChallenge,
  nowMs: number,
): Promise<void> {
  await deleteExpired(db, PASSKEY_CHALLENGES, nowMs);
  await db
    .insertInto("passkey_challenges")
    .values({ challenge_hash: challengeHash, account_id: accountId, expires_at_ms: expiresAtMs })
    .execute();
}

/** Consumes a challenge, which works once, and returns it. Undefined if there is no such challenge, or it has expired. */
async function takePasskeyChallenge(
  db: Queries,
  challengeHash: string,
  nowMs: number,
): Promise<Pick<PasskeyChallenge, "accountId"> | undefined> {
  const row = await db
    .deleteFrom("passkey_challenges")
    .where("challenge_hash", "=", challengeHash)
    .where("expires_at_ms", ">", nowMs)
    .returning("account_id")
    .executeTakeFirst();
  return row && { accountId: row.account_id };
}

/**
 * Begins a session of the passkey's owner, and stores the authenticator's new count. False, with nothing changed, if the passkey was
 * removed or used in the meantime.
 */
async function beginPasskeySession(
  db: Queries,
  { id, accountId, counter: before }: Passkey,
  counter: number,
  session: PasskeySession,
  nowMs: number,
): Promise<boolean> {
  await lockOwner(db, accountId);
  const used = await db
    .updateTable("passkeys")
    .set({ counter, last_used_at_ms: nowMs })
    .where("id", "=", id)
    .where("account_id", "=", accountId)
    .where("counter", "=", before)
    .returning("id")
    .executeTakeFirst();
  if (used === undefined) {
    return false;
  }
  await insertSession(db, { ...session, accountId }, nowMs);
  return true;
}

const toPasskey = (row: Selectable<Tables["passkeys"]>): Passkey => ({
  id: row.id,
  accountId: row.account_id,
  credentialId: row.credential_id,
  publicKey: row.public_key,
  counter: row.counter,
  transports: JSON.parse(row.transports) as string[],
  name: row.name,
  createdAtMs: row.created_at_ms,
  lastUsedAtMs: row.last_used_at_ms ?? undefined,
});

/** The store's methods for passkeys. */
export const passkeyMethods = {
  passkeysOf: read(passkeysOf),
  findPasskey: read(findPasskey),
  addPasskey: auditedAt(addPasskey, ({ id, accountId, name }) => ({
    ...{ action: "account.add_passkey", accountId, subject: id },
    details: { name },
  })),
  renamePasskey: (transactions: Transactions) => async (accountId: string, id: string, name: string) => {
    const { passkey } = await transactions.writeAudited(
      (db) => renamePasskey(db, accountId, id, name),
      ({ formerName }) => ({
        ...{ action: "account.rename_passkey", accountId, subject: id },
        details: { name, former_name: formerName },
      }),
    );
    return passkey;
  },
  removePasskey: audited(removePasskey, (name, accountId, id) => ({
    ...{ action: "account.remove_passkey", accountId, subject: id },
    details: { name },
  })),
  addPasskeyChallenge: writeAt(addPasskeyChallenge),
  takePasskeyChallenge: writeAt(takePasskeyChallenge),
  beginPasskeySession: (transactions: Transactions) => (passkey: Passkey, counter: number, session: PasskeySession) =>
    transactions.write(async (db) => {
      const isStarted = await beginPasskeySession(db, passkey, counter, session, transactions.nowMs);
      if (isStarted) {
        const { accountId, name } = passkey;
        const note = signInNote(accountId, session.userAgent);
        const by = { kind: "owner", name: accountId, origin: session.address ?? "" } as const;
        await transactions.record(db, { ...note, details: { ...note.details, passkey: name } }, by);
      }
      return isStarted;
    }),
};
