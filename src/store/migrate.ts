// Brings a database to the schema that this version knows: each migration in its own transaction, in order, recorded. A database
// that a newer version has changed, or that holds something else, is left untouched and refused.
import type { Kysely } from "kysely";
import type { Clock } from "../clock.ts";
import type { Backend, SchemaView } from "./backend.ts";
import { up as firstTables } from "./migrations/0001-first-tables.ts";
import { up as owners } from "./migrations/0002-owners.ts";
import { up as nodes } from "./migrations/0003-nodes.ts";
import type { Queries } from "./schema.ts";
import { StoreRefused } from "./store.ts";

interface Migration {
  readonly name: string;
  up(db: Kysely<never>): Promise<void>;
}

// Never renamed, never reordered, never changed once released: a database remembers them by name.
const migrations: readonly Migration[] = [
  { name: "0001-first-tables", up: firstTables },
  { name: "0002-owners", up: owners },
  { name: "0003-nodes", up: nodes },
];

const record = "quintet_migrations";

/**
 * Applies what is missing and answers the names of what it applied. Rejects with StoreRefused, saying what to do, when the database is
 * not one that this version can use.
 */
export async function migrate(backend: Backend, clock: Clock): Promise<readonly string[]> {
  const done: string[] = [];
  // Each step looks again under the lock, so that two processes that start at once do not apply a migration twice.
  for (;;) {
    const name = await backend.write((transaction) => applyNext(transaction, backend.schema, clock));
    if (name === undefined) {
      return done;
    }
    done.push(name);
  }
}

/** Rejects with StoreRefused, saying what to do, when the schema is not the one that this version knows. Changes nothing. */
export async function requireSchema(backend: Backend): Promise<void> {
  const applied = await backend.write((transaction) => readApplied(transaction, backend.schema));
  const missing = migrations.slice(applied?.length ?? 0).map(({ name }) => name);
  if (missing.length > 0) {
    const state = applied === undefined ? "is empty" : `was made by an older version of Quintet: it lacks ${missing.join(", ")}`;
    throw new StoreRefused(`The database ${state}. Run \`quintet migrate\` once, then start again.`);
  }
}

// Answers what was applied; undefined when nothing was missing.
async function applyNext(transaction: Queries, view: SchemaView, clock: Clock): Promise<string | undefined> {
  await view.lock(transaction);
  const applied = await readApplied(transaction, view);
  const next = migrations[applied?.length ?? 0];
  if (next === undefined) {
    return undefined;
  }
  if (applied === undefined) {
    await transaction.schema
      .createTable(record)
      .addColumn("name", "text", (column) => column.primaryKey())
      .addColumn("applied_at_ms", "bigint", (column) => column.notNull())
      .execute();
  }
  await next.up(transaction as unknown as Kysely<never>);
  await transaction.insertInto(record).values({ name: next.name, applied_at_ms: clock.nowMs() }).execute();
  return next.name;
}

// The names of what has been applied, all of them known; undefined when the database is empty.
async function readApplied(transaction: Queries, view: SchemaView): Promise<string[] | undefined> {
  const tables = await view.tableNames(transaction);
  if (!tables.includes(record)) {
    if (tables.length > 0) {
      throw new StoreRefused(`The database is not Quintet's: it holds other tables (${tables[0]}). ${view.elsewhere}`);
    }
    return undefined;
  }
  const rows = await transaction.selectFrom(record).select("name").orderBy("name").execute();
  const applied = rows.map(({ name }) => name);
  const unknown = applied.find((name, index) => name !== migrations[index]?.name);
  if (unknown !== undefined) {
    throw new StoreRefused(
      `The database was last used by another version of Quintet: it has the migration ${unknown}, which this version does not know. ` +
        "Start the version that made it, or restore a backup from before that version was installed.",
    );
  }
  return applied;
}
