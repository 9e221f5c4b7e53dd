// Checks that a backup has the schema that this version creates. A backup is a file from outside: a trigger or a changed default in it
// would keep changing rows after the restore, and could make any account an operator.
import { DatabaseSync } from "node:sqlite";
import { StoreRefused } from "../store-errors.ts";

/**
 * Throws StoreRefused if a database has a trigger, a view or a virtual table, because Quintet creates none. Runs before anything is
 * written.
 */
export function requireOnlyTables(database: DatabaseSync, from: string): void {
  const foreign = database
    .prepare(
      `SELECT type, name FROM sqlite_schema WHERE type NOT IN ('table', 'index') OR sql LIKE 'CREATE VIRTUAL%' ORDER BY name LIMIT 1`,
    )
    .get();
  if (foreign !== undefined) {
    throw refusal(from, `it has the ${String(foreign.type)} ${String(foreign.name)}`);
  }
}

/**
 * Throws StoreRefused if the tables and indexes of a restored and migrated copy differ from those of a new database with the same
 * migrations. A newer version may have added tables, indexes and columns.
 */
export function requireOwnSchema(copy: string, empty: string, from: string): void {
  const known = readSchema(empty);
  const found = readSchema(copy);
  const isNewer = found.migrations > known.migrations;
  for (const [name, sql] of known.definitions) {
    const foundSql = found.definitions.get(name);
    // A column that was added later comes just before the last parenthesis.
    const isSame = foundSql === sql || (isNewer && foundSql?.startsWith(sql.slice(0, -1)));
    if (!isSame) {
      throw refusal(from, foundSql === undefined ? `${name} is missing` : `${name} is defined differently`);
    }
  }
  const added = [...found.definitions.keys()].find((name) => !known.definitions.has(name));
  if (added !== undefined && !isNewer) {
    throw refusal(from, `it also has ${added}`);
  }
}

interface Schema {
  readonly migrations: number;
  /** `table accounts` → the statement that creates it. */
  readonly definitions: ReadonlyMap<string, string>;
}

function readSchema(path: string): Schema {
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    const rows = database.prepare("SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type, name").all();
    const { n } = database.prepare("SELECT count(*) AS n FROM quintet_migrations").get() ?? {};
    return { migrations: Number(n), definitions: new Map(rows.map(({ type, name, sql }) => [`${type} ${name}`, String(sql)])) };
  } finally {
    database.close();
  }
}

const refusal = (from: string, what: string): StoreRefused =>
  new StoreRefused(
    `The tables of ${from} are not the ones that Quintet creates: ${what}. Somebody has changed the file; use an unchanged backup.`,
  );
