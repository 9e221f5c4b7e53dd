// Brings a database to the schema that this version knows: each migration in its own transaction, in order, recorded. A database
// that a newer version has changed, or that holds something else, is left untouched and refused.
import type { Kysely } from "kysely";
import type { Clock } from "../clock.ts";
import { up as firstTables } from "./migrations/0001-first-tables.ts";
import type { Queries } from "./schema.ts";
import { StoreRefused } from "./store.ts";

interface Migration {
  readonly name: string;
  up(db: Kysely<never>): Promise<void>;
}

// Never renamed, never reordered, never changed once released: a database remembers them by name.
const migrations: readonly Migration[] = [{ name: "0001-first-tables", up: firstTables }];

const record = "quintet_migrations";

/** Applies what is missing. Rejects with StoreRefused, saying what to do, when the database is not one that this version can use. */
export async function migrate(db: Queries, clock: Clock): Promise<void> {
  // Each step looks again under the write lock, so that two processes that start at once do not apply a migration twice.
  while (await db.transaction().execute((transaction) => applyNext(transaction, clock))) {}
}

// Answers whether there was something to apply.
async function applyNext(transaction: Queries, clock: Clock): Promise<boolean> {
  const applied = await readApplied(transaction);
  const unknown = applied.find((name, index) => name !== migrations[index]?.name);
  if (unknown !== undefined) {
    throw new StoreRefused(
      `The database was last used by another version of Quintet: it has the migration ${unknown}, which this version does not know. ` +
        "Start the version that made it, or restore a backup from before that version was installed.",
    );
  }
  const next = migrations[applied.length];
  if (next === undefined) {
    return false;
  }
  await next.up(transaction as unknown as Kysely<never>);
  await transaction.insertInto(record).values({ name: next.name, applied_at_ms: clock.nowMs() }).execute();
  return true;
}

async function readApplied(transaction: Queries): Promise<string[]> {
  const tables = (await transaction.introspection.getTables()).map(({ name }) => name);
  if (!tables.includes(record)) {
    if (tables.length > 0) {
      throw new StoreRefused(
        `The database is not Quintet's: it holds other tables (${tables[0]}). Point QUINTET_DATA_DIR to a directory of Quintet's own.`,
      );
    }
    await transaction.schema
      .createTable(record)
      .addColumn("name", "text", (column) => column.primaryKey())
      .addColumn("applied_at_ms", "bigint", (column) => column.notNull())
      .execute();
  }
  const rows = await transaction.selectFrom(record).select("name").orderBy("name").execute();
  return rows.map(({ name }) => name);
}
