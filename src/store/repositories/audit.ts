// The audit trail's table. Each function runs in the given transaction: a change and its entry are committed together or not at all.
import { type Selectable, sql } from "kysely";
import type { Actor, AuditDetails, AuditEntry, AuditNote, AuditPage, AuditQuery } from "../audit-records.ts";
import type { Queries, Tables } from "../schema.ts";
import { isPostgres } from "./dialect.ts";

// An owner can make a change every second. If an account has more entries than this, the oldest are deleted.
const ENTRIES_PER_ACCOUNT_MAX = 10_000;
// How many of an account's entries may be routine ones. A program that signs in every minute must not push out all other entries.
const ROUTINE_PER_ACCOUNT_MAX = 1000;
/** How long an entry is kept: over a year, so that the same month of the last year can be looked up. */
export const AUDIT_DAYS = 400;
// How many expired entries are deleted with each new one.
const EXPIRED_MAX = 100;
const DAY_MS = 86_400_000;
// Actors of these kinds are named by the id of an account.
const WITH_SESSION: readonly Actor["kind"][] = ["owner", "member", "signed_in_operator"];
const COMMAND_LINE: Actor["kind"] = "operator";

/** Records a change, and deletes expired and surplus entries. */
export async function recordAudit(
  db: Queries,
  { kind, name, origin }: Actor,
  { action, accountId, subject, details = {}, isRoutine = false }: AuditNote,
  nowMs: number,
): Promise<void> {
  const expired = deleteExpired(db, nowMs - AUDIT_DAYS * DAY_MS);
  const oldest = deleteOldestOf(db, accountId);
  const oldestRoutine = deleteOldestRoutineOf(db, accountId, isRoutine);
  const entry = {
    at_ms: nowMs,
    actor_kind: kind,
    actor: name,
    origin,
    action,
    account_id: accountId,
    subject: subject ?? null,
    details: JSON.stringify(details),
    is_routine: isRoutine ? (1 as const) : (0 as const),
  };
  if (isPostgres(db)) {
    // In one statement, because the database may be remote.
    await db
      .with("expired", () => expired)
      .with("oldest", () => oldest)
      .with("oldest_routine", () => oldestRoutine)
      .insertInto("audit_entries")
      .values(entry)
      .execute();
    return;
  }
  await expired.execute();
  await oldest.execute();
  await oldestRoutine.execute();
  await db.insertInto("audit_entries").values(entry).execute();
}

function deleteExpired(db: Queries, beforeMs: number) {
  const expired = db
    .selectFrom("audit_entries")
    .select("number")
    .where("at_ms", "<", beforeMs)
    .orderBy("at_ms")
    .limit(EXPIRED_MAX)
    // If another transaction is deleting them already, this one need not wait for it. SQLite runs one writing transaction at a time.
    .$if(isPostgres(db), (select) => select.forUpdate().skipLocked());
  return db.deleteFrom("audit_entries").where("number", "in", expired);
}

// The limit is per account, so it does not apply to an entry without one.
function deleteOldestOf(db: Queries, accountId: string | null) {
  const last = db
    .selectFrom("audit_entries")
    .select("number")
    .where("account_id", "=", accountId)
    .orderBy("number", "desc")
    .limit(1)
    .offset(ENTRIES_PER_ACCOUNT_MAX - 1);
  return db.deleteFrom("audit_entries").where("account_id", "=", accountId).where("number", "<=", last);
}

// Deletes nothing unless a routine entry is about to be added.
function deleteOldestRoutineOf(db: Queries, accountId: string | null, isAdding: boolean) {
  // A literal, so that the databases use the index that contains only these entries.
  const isRoutine = sql<boolean>`is_routine = 1`;
  const last = db
    .selectFrom("audit_entries")
    .select("number")
    .where("account_id", "=", accountId)
    .where(isRoutine)
    .orderBy("number", "desc")
    .limit(1)
    .offset(ROUTINE_PER_ACCOUNT_MAX - 1);
  return db
    .deleteFrom("audit_entries")
    .where(sql<boolean>`${sql.lit(isAdding)}`)
    .where("account_id", "=", accountId)
    .where(isRoutine)
    .where("number", "<=", last);
}

/**
 * Removes what the trail knows about the people of an account: the entries of the account and its keys. The entries of subscriptions,
 * payments and credited calls stay, as the ledger of what was paid for, but without the reason that an operator gave in their own words,
 * and without the actor and the address unless the actor was an operator.
 */
export async function deletePersonalData(db: Queries, accountId: string): Promise<void> {
  await db
    .deleteFrom("audit_entries")
    .where("account_id", "=", accountId)
    .where((entry) =>
      entry.not(entry.or(["subscription.%", "payment.%", "quota.%"].map((actions) => entry("action", "like", actions)))),
    )
    .execute();
  await db
    .updateTable("audit_entries")
    .set({ actor: "", origin: "" })
    .where("account_id", "=", accountId)
    .where("actor_kind", "in", ["owner", "member", "visitor"])
    .execute();
  // Entries about what the person did as a member of other accounts.
  await db
    .updateTable("audit_entries")
    .set({ actor: "", origin: "" })
    .where("actor", "=", accountId)
    .where("actor_kind", "=", "member")
    .execute();
  await db
    .updateTable("audit_entries")
    .set({
      details: isPostgres(db)
        ? sql<string>`cast(cast(details as jsonb) - 'reason' as text)`
        : sql<string>`json_remove(details, '$.reason')`,
    })
    .where("account_id", "=", accountId)
    .where("action", "=", "quota.credit")
    .execute();
}

// A quote in a name is escaped, so no name looks like this detail, although the underscore matches any character.
const SHORT_LIVED = '%"short_lived":true%';

/** A page of the trail, newest first. */
export async function auditPage(db: Queries, query: AuditQuery): Promise<Omit<AuditPage, "keptDays">> {
  const { accountId, actorAccountId, actorKinds, commandLineUser, actions, withoutShortLivedKeys } = query;
  const { sinceMs, untilMs, before, limit } = query;
  const rows = await db
    .selectFrom("audit_entries")
    .leftJoin("accounts", (join) =>
      join.onRef("accounts.id", "=", "audit_entries.account_id").on("accounts.deleted_at_ms", "is", null),
    )
    .leftJoin("accounts as actors", (join) =>
      join
        .onRef("actors.id", "=", "audit_entries.actor")
        .on("audit_entries.actor_kind", "in", WITH_SESSION)
        .on("actors.deleted_at_ms", "is", null),
    )
    .selectAll("audit_entries")
    .select([
      "accounts.name as account_name",
      "accounts.email as account_email",
      "actors.name as actor_account_name",
      "actors.email as actor_account_email",
    ])
    .$if(accountId !== undefined, (select) => select.where("audit_entries.account_id", "=", accountId as string))
    .$if(actorAccountId !== undefined, (select) =>
      select.where("audit_entries.actor", "=", actorAccountId as string).where("audit_entries.actor_kind", "in", WITH_SESSION),
    )
    .$if(actorKinds !== undefined, (select) => select.where("audit_entries.actor_kind", "in", actorKinds as readonly string[]))
    .$if(commandLineUser !== undefined, (select) =>
      select.where("audit_entries.actor", "=", commandLineUser as string).where("audit_entries.actor_kind", "=", COMMAND_LINE),
    )
    .$if(actions !== undefined, (select) => select.where("audit_entries.action", "in", actions as readonly string[]))
    .$if(withoutShortLivedKeys === true, (select) => select.where("audit_entries.details", "not like", SHORT_LIVED))
    .$if(sinceMs !== undefined, (select) => select.where("audit_entries.at_ms", ">=", sinceMs as number))
    .$if(untilMs !== undefined, (select) => select.where("audit_entries.at_ms", "<", untilMs as number))
    .$if(before !== undefined, (select) => select.where("audit_entries.number", "<", before as number))
    .orderBy("audit_entries.number", "desc")
    .limit(limit + 1)
    .execute();
  return { entries: rows.slice(0, limit).map(toEntry), hasMore: rows.length > limit };
}

interface Names {
  readonly account_name: string | null;
  readonly account_email: string | null;
  readonly actor_account_name: string | null;
  readonly actor_account_email: string | null;
}

const toEntry = (row: Selectable<Tables["audit_entries"]> & Names): AuditEntry => ({
  number: row.number,
  atMs: row.at_ms,
  actor: { kind: row.actor_kind as Actor["kind"], name: row.actor, origin: row.origin },
  actorAccountName: row.actor_account_name,
  actorAccountEmail: row.actor_account_email,
  action: row.action,
  accountId: row.account_id,
  accountName: row.account_name,
  accountEmail: row.account_email,
  subject: row.subject,
  details: JSON.parse(row.details) as AuditDetails,
});
