// Migrates a database to the schema that this version knows. Each migration runs in its own transaction, in order, and is recorded. A
// database to which a newer version has only made additions is used unchanged. A database with other changes, or with another program's
// tables, is refused and left untouched.
import type { Kysely } from "kysely";
import type { Clock } from "../runtime/clock.ts";
import type { Backend, SchemaView } from "./backend.ts";
import { up as tables } from "./migrations/0001-tables.ts";
import { up as payments } from "./migrations/0002-payments.ts";
import { migrationsAndPeers } from "./repositories/change-log.ts";
import type { Queries } from "./schema.ts";
import { StoreRefused } from "./store-errors.ts";

interface Migration {
  readonly name: string;
  /**
   * Whether versions that do not know the migration can still use the database: it adds tables, indexes or optional columns, and what older
   * versions write keeps its meaning. Recorded in the database, for older versions to read.
   */
  readonly additive?: boolean;
  up(db: Kysely<never>): Promise<void>;
}

// Never renamed, never reordered, never changed once released: a database remembers them by name.
export const MIGRATIONS: readonly Migration[] = [
  { name: "0001-tables", up: tables },
  { name: "0002-payments", additive: true, up: payments },
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
      .addColumn("additive", "integer", (column) => column.notNull().defaultTo(0))
      .execute();
  }
  if (next.additive !== true && applied !== undefined) {
    await refuseWhileServersRun(transaction, view, next.name);
  }
  await next.up(transaction as unknown as Kysely<never>);
  await transaction
    .insertInto(MIGRATIONS_TABLE)
    .values({ name: next.name, applied_at_ms: clock.nowMs(), additive: next.additive === true ? 1 : 0 })
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
  const rows = await transaction.selectFrom(MIGRATIONS_TABLE).select(["name", "additive"]).orderBy("name").execute();
  const applied = rows.map(({ name }) => name);
  const unknown = applied.find(
    (name, index) => name !== migrations[index]?.name && !(index >= migrations.length && rows[index]?.additive === 1),
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
