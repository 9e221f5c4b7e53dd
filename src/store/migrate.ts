// Migrates a database to the schema that this version knows. Each migration runs in its own transaction, in order, and is recorded. A
// database to which a newer version has only made additions is used unchanged. A database with other changes, or with another program's
// tables, is refused and left untouched.
import type { Kysely } from "kysely";
import type { Clock } from "../runtime/clock.ts";
import type { Backend, SchemaView } from "./backend.ts";
import { up as firstTables } from "./migrations/0001-first-tables.ts";
import { up as owners } from "./migrations/0002-owners.ts";
import { up as nodes } from "./migrations/0003-nodes.ts";
import { up as subscriptionLists } from "./migrations/0004-subscription-lists.ts";
import { up as audit } from "./migrations/0005-audit.ts";
import { up as keyUses } from "./migrations/0006-key-uses.ts";
import { up as operators } from "./migrations/0007-operators.ts";
import { up as sessionsAndDeletion } from "./migrations/0008-sessions-and-deletion.ts";
import { up as usageHours } from "./migrations/0009-usage-hours.ts";
import { up as mailTokens } from "./migrations/0010-mail-tokens.ts";
import { up as refusalHours } from "./migrations/0011-refusal-hours.ts";
import { up as quotaRaises } from "./migrations/0012-quota-raises.ts";
import { up as changeIds } from "./migrations/0013-change-ids.ts";
import { up as formerAccounts } from "./migrations/0014-former-accounts.ts";
import { up as keyRequests } from "./migrations/0015-key-requests.ts";
import { up as countBatches } from "./migrations/0016-count-batches.ts";
import { up as largeTables } from "./migrations/0017-large-tables.ts";
import { up as changeBatches } from "./migrations/0018-change-batches.ts";
import { up as alerts } from "./migrations/0019-alerts.ts";
import { up as keyNotes } from "./migrations/0020-key-notes.ts";
import { up as twoFactor } from "./migrations/0021-two-factor.ts";
import { up as loggedCalls } from "./migrations/0022-logged-calls.ts";
import { up as keyRestrictions } from "./migrations/0023-key-restrictions.ts";
import { up as healthHours } from "./migrations/0024-health-hours.ts";
import { up as webhooks } from "./migrations/0025-webhooks.ts";
import { up as keyCaps } from "./migrations/0026-key-caps.ts";
import { up as routineEntries } from "./migrations/0027-routine-entries.ts";
import { up as members } from "./migrations/0028-members.ts";
import { up as incidents } from "./migrations/0029-incidents.ts";
import { up as passkeys } from "./migrations/0030-a-passkeys.ts";
import { up as latency } from "./migrations/0031-latency.ts";
import { up as regionLeases } from "./migrations/0032-region-leases.ts";
import { up as failingCalls } from "./migrations/0033-failing-calls.ts";
import { up as regionChecks } from "./migrations/0034-region-checks.ts";
import { up as updatesInPlace } from "./migrations/0035-updates-in-place.ts";
import { up as noRegions } from "./migrations/0036-no-regions.ts";
import { migrationsAndPeers } from "./repositories/change-protocol.ts";
import type { Queries } from "./schema.ts";
import { StoreRefused } from "./store-errors.ts";

interface Migration {
  readonly name: string;
  /**
   * Whether versions that do not know the migration can still use the database: it adds tables, indexes or optional columns, and what older
   * versions write keeps its meaning. Recorded in the database, for older versions to read. `embedded`: true only of the embedded database,
   * which does not use what the migration changes.
   */
  readonly additive?: boolean | "embedded";
  up(db: Kysely<never>): Promise<void>;
}

// The migration that added the column `additive`. Every version that reads the column knows the migrations before it.
const ADDITIVE_SINCE = "0004-subscription-lists";

// Never renamed, never reordered, never changed once released: a database remembers them by name.
const MIGRATIONS: readonly Migration[] = [
  { name: "0001-first-tables", up: firstTables },
  { name: "0002-owners", up: owners },
  { name: "0003-nodes", up: nodes },
  { name: ADDITIVE_SINCE, additive: true, up: subscriptionLists },
  { name: "0005-audit", additive: true, up: audit },
  { name: "0006-key-uses", additive: true, up: keyUses },
  { name: "0007-operators", additive: true, up: operators },
  { name: "0008-sessions-and-deletion", additive: true, up: sessionsAndDeletion },
  { name: "0009-usage-hours", additive: true, up: usageHours },
  { name: "0010-mail-tokens", additive: true, up: mailTokens },
  { name: "0011-refusal-hours", additive: true, up: refusalHours },
  { name: "0012-quota-raises", additive: true, up: quotaRaises },
  { name: "0013-change-ids", additive: "embedded", up: changeIds },
  { name: "0014-former-accounts", additive: true, up: formerAccounts },
  { name: "0015-key-requests", additive: true, up: keyRequests },
  { name: "0016-count-batches", additive: true, up: countBatches },
  { name: "0017-large-tables", additive: true, up: largeTables },
  { name: "0018-change-batches", additive: "embedded", up: changeBatches },
  { name: "0019-alerts", additive: true, up: alerts },
  { name: "0020-key-notes", additive: true, up: keyNotes },
  { name: "0021-two-factor", additive: true, up: twoFactor },
  { name: "0022-logged-calls", additive: true, up: loggedCalls },
  { name: "0023-key-restrictions", up: keyRestrictions },
  { name: "0024-health-hours", additive: true, up: healthHours },
  { name: "0025-webhooks", additive: true, up: webhooks },
  { name: "0026-key-caps", up: keyCaps },
  { name: "0027-routine-entries", additive: true, up: routineEntries },
  { name: "0028-members", additive: true, up: members },
  { name: "0029-incidents", additive: true, up: incidents },
  { name: "0030-a-passkeys", additive: true, up: passkeys },
  { name: "0031-latency", additive: true, up: latency },
  { name: "0032-region-leases", additive: true, up: regionLeases },
  { name: "0033-failing-calls", additive: true, up: failingCalls },
  { name: "0034-region-checks", additive: true, up: regionChecks },
  { name: "0035-updates-in-place", additive: true, up: updatesInPlace },
  { name: "0036-no-regions", up: noRegions },
];

const MIGRATIONS_TABLE = "quintet_migrations";

/**
 * Applies the missing migrations and returns their names. Rejects with StoreRefused, which says what to do, when this version cannot use
 * the database.
 */
export async function migrate(
  backend: Pick<Backend, "write" | "schema">,
  clock: Clock,
  migrations = MIGRATIONS,
): Promise<readonly string[]> {
  const done: string[] = [];
  // Each step checks again under the lock, so that two processes that start at once do not apply a migration twice.
  for (;;) {
    const name = await backend.write((transaction) => applyNext(transaction, backend.schema, clock, migrations));
    if (name === undefined) {
      return done;
    }
    done.push(name);
  }
}

/**
 * Rejects with StoreRefused, which says what to do, if this version does not know the schema, or cannot share the database with peers that
 * use it. Changes nothing.
 */
export async function requireSchema(backend: Backend): Promise<void> {
  const peers = (await peersIfMigrated(backend)) ?? (await peersOrRefusal(backend));
  if (peers.length > 0) {
    throw new StoreRefused(
      `Servers or commands of another version of Quintet are connected to the database (from ${peers.join(", ")}). They would not receive ` +
        "changes that this version makes, nor would this version receive theirs. Stop them, then try again.",
    );
  }
}

// In one round trip, because the database may be far away. Undefined if the schema is not exactly the one that this version knows.
async function peersIfMigrated(backend: Backend): Promise<readonly string[] | undefined> {
  try {
    const { migrations, peers } = await backend.read(migrationsAndPeers);
    return migrations.join() === MIGRATIONS.map(({ name }) => name).join() ? peers : undefined;
  } catch (error) {
    // The table or column does not exist.
    if (backend.failureKindOf(error) === "defect") {
      return undefined;
    }
    throw error;
  }
}

async function peersOrRefusal(backend: Backend): Promise<readonly string[]> {
  await backend.read((db) => requireMigrations(db, backend.schema));
  return backend.read((db) => backend.schema.incompatiblePeers(db, true));
}

/** Rejects with StoreRefused, which says what to do, if the database lacks a migration or has one that this version does not know. */
async function requireMigrations(db: Queries, view: SchemaView, migrations = MIGRATIONS): Promise<void> {
  const applied = await readApplied(db, view, migrations);
  const missing = migrations.slice(applied?.length ?? 0).map(({ name }) => name);
  if (missing.length > 0) {
    const state = applied === undefined ? "is empty" : `was made by an older version of Quintet: it lacks ${missing.join(", ")}`;
    throw new StoreRefused(`${view.name} ${state}. Run \`quintet migrate\` once, then start again.`);
  }
}

// Returns the migration that was applied; undefined if none was missing.
async function applyNext(
  transaction: Queries,
  view: SchemaView,
  clock: Clock,
  migrations: readonly Migration[],
): Promise<string | undefined> {
  await view.lock(transaction);
  const applied = await readApplied(transaction, view, migrations);
  const next = migrations[applied?.length ?? 0];
  if (next === undefined) {
    return undefined;
  }
  if (applied === undefined) {
    await transaction.schema
      .createTable(MIGRATIONS_TABLE)
      .addColumn("name", "text", (column) => column.primaryKey())
      .addColumn("applied_at_ms", "bigint", (column) => column.notNull())
      .execute();
  }
  const isAdditive = next.additive === true || (next.additive === "embedded" && !view.isShared);
  if (!isAdditive && applied !== undefined) {
    await refuseWhileServersRun(transaction, view, next.name);
  }
  await next.up(transaction as unknown as Kysely<never>);
  await transaction
    .insertInto(MIGRATIONS_TABLE)
    .values({
      name: next.name,
      applied_at_ms: clock.nowMs(),
      ...(next.additive !== undefined && { additive: isAdditive ? 1 : 0 }),
    })
    .execute();
  return next.name;
}

async function refuseWhileServersRun(transaction: Queries, view: SchemaView, migration: string): Promise<void> {
  const peers = await view.incompatiblePeers(transaction, false);
  if (peers.length > 0) {
    throw new StoreRefused(
      `Servers or commands of another version of Quintet are connected to the database (from ${peers.join(", ")}), and cannot work with ` +
        `the migration ${migration}. Stop all servers, then run \`quintet migrate\` again.`,
    );
  }
}

// The names of the applied migrations that this version knows; undefined if the database is empty.
async function readApplied(
  transaction: Queries,
  view: SchemaView,
  migrations: readonly Migration[],
): Promise<string[] | undefined> {
  const tables = await view.tableNames(transaction);
  if (!tables.includes(MIGRATIONS_TABLE)) {
    if (tables.length > 0) {
      throw new StoreRefused(`${view.name} is not Quintet's: it holds other tables (${tables[0]}). ${view.foreignTablesAdvice}`);
    }
    return undefined;
  }
  const rows = await transaction.selectFrom(MIGRATIONS_TABLE).select("name").orderBy("name").execute();
  const applied = rows.map(({ name }) => name);
  const additive = applied.includes(ADDITIVE_SINCE)
    ? (await transaction.selectFrom(MIGRATIONS_TABLE).select("name").where("additive", "=", 1).execute()).map(({ name }) => name)
    : [];
  const unknown = applied.find(
    (name, index) => name !== migrations[index]?.name && !(index >= migrations.length && additive.includes(name)),
  );
  if (unknown !== undefined) {
    throw new StoreRefused(
      `${view.name} was last used by another version of Quintet: it has the migration ${unknown}, which this version cannot work with. ` +
        "Start the version that made it. To go back to this one, stop all servers and restore a backup from before that migration was " +
        "applied, as docs/operate/backup.md says.",
    );
  }
  return applied.slice(0, migrations.length);
}
