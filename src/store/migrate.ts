// Brings a database to the schema that this version knows. Each migration runs in its own transaction, in order, and is recorded. A database to
// which a newer version has only added something is used as it is. One that it has changed otherwise, or that holds other tables, is
// refused and left untouched.
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
import type { Queries } from "./schema.ts";
import { StoreRefused } from "./store-errors.ts";

interface Migration {
  readonly name: string;
  /**
   * Whether versions that do not know the migration still work with the database: it adds tables, indexes or optional columns, and what older
   * versions write means the same as before. Recorded in the database, for older versions to read.
   */
  readonly additive?: boolean;
  up(db: Kysely<never>): Promise<void>;
}

// The migration that made the column in which `additive` is noted. Older ones are known to all versions that read it.
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
];

const MIGRATIONS_TABLE = "quintet_migrations";

/**
 * Applies the missing migrations and returns their names. Rejects with StoreRefused, which says what to do, when this version cannot use the
 * database.
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
  const missing = MIGRATIONS.slice(applied?.length ?? 0).map(({ name }) => name);
  if (missing.length > 0) {
    const state = applied === undefined ? "is empty" : `was made by an older version of Quintet: it lacks ${missing.join(", ")}`;
    throw new StoreRefused(`The database ${state}. Run \`quintet migrate\` once, then start again.`);
  }
}

// Returns what was applied; undefined when nothing was missing.
async function applyNext(transaction: Queries, view: SchemaView, clock: Clock): Promise<string | undefined> {
  await view.lock(transaction);
  const applied = await readApplied(transaction, view);
  const next = MIGRATIONS[applied?.length ?? 0];
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
  await next.up(transaction as unknown as Kysely<never>);
  await transaction
    .insertInto(MIGRATIONS_TABLE)
    .values({
      name: next.name,
      applied_at_ms: clock.nowMs(),
      ...(next.additive !== undefined && { additive: next.additive ? 1 : 0 }),
    })
    .execute();
  return next.name;
}

// The names of what has been applied and this version knows; undefined when the database is empty.
async function readApplied(transaction: Queries, view: SchemaView): Promise<string[] | undefined> {
  const tables = await view.tableNames(transaction);
  if (!tables.includes(MIGRATIONS_TABLE)) {
    if (tables.length > 0) {
      throw new StoreRefused(`The database is not Quintet's: it holds other tables (${tables[0]}). ${view.elsewhere}`);
    }
    return undefined;
  }
  const rows = await transaction.selectFrom(MIGRATIONS_TABLE).select("name").orderBy("name").execute();
  const applied = rows.map(({ name }) => name);
  const additive = applied.includes(ADDITIVE_SINCE)
    ? (await transaction.selectFrom(MIGRATIONS_TABLE).select("name").where("additive", "=", 1).execute()).map(({ name }) => name)
    : [];
  const unknown = applied.find(
    (name, index) => name !== MIGRATIONS[index]?.name && !(index >= MIGRATIONS.length && additive.includes(name)),
  );
  if (unknown !== undefined) {
    throw new StoreRefused(
      `The database was last used by another version of Quintet: it has the migration ${unknown}, with which this version cannot work. ` +
        "Start the version that made it. To go back to this one, stop all servers and restore a backup from before that migration was " +
        "applied, as docs/operate.md says.",
    );
  }
  return applied.slice(0, MIGRATIONS.length);
}
