// Puts a backup in place of the embedded database. A copy next to it is checked, migrated and made safe first. Then it replaces the
// database in one step, and the old database is kept.
import { copyFileSync, existsSync, linkSync, renameSync, rmSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import type { Clock } from "../../runtime/clock.ts";
import { StoreRefused } from "../store-errors.ts";
import { BACKUP_TABLE, requireUndamaged, sync } from "./backup.ts";
import { createPrivateDirectory, createPrivateFile, requirePrivate, takeServerLock } from "./open-database.ts";
import { databaseFile } from "./sqlite.ts";
import { isBusy, isDamaged, isNoDatabase } from "./sqlite-dialect.ts";

/** When a backup was made, and what was carried over into the restored database. */
export interface Restoring {
  /** Undefined if it was not made by `quintet backup`. */
  readonly madeAtMs: number | undefined;
  /**
   * What has happened since the backup and remains in effect: revoked keys, suspended accounts, and operators who were dismissed. Undefined
   * if the current database cannot be read. Also the ids of all deleted accounts: `prepare` deletes the accounts among them that are in the
   * backup.
   */
  readonly keptRefusals:
    | { readonly keys: number; readonly accounts: number; readonly operators: number; readonly deletedIds: readonly string[] }
    | undefined;
}

interface RestoreOptions {
  readonly dataDir: string;
  /** The backup's file, which is not changed. */
  readonly from: string;
  readonly clock: Clock;
  /** Migrates the database at a path, and creates one if there is none. */
  readonly migrate: (path: string) => Promise<unknown>;
  /** Prepares the migrated copy at `path` for use. If it rejects, nothing is restored. */
  readonly prepare: (path: string, restoring: Restoring) => Promise<void>;
}

export interface Replaced {
  readonly path: string;
  /** The previous database; undefined if there was none. */
  readonly kept: string | undefined;
}

/** Restores a backup. If it rejects with StoreRefused, the database is unchanged. */
export async function restoreDatabase({ dataDir, from, clock, migrate, prepare }: RestoreOptions): Promise<Replaced> {
  requireBackup(from);
  const path = databaseFile(dataDir);
  createPrivateDirectory(dataDir);
  requirePrivate(dataDir, path);
  const releaseLock = takeServerLock(dataDir);
  const copy = `${path}.restoring`;
  const empty = `${path}.empty`;
  try {
    removeDatabase(copy);
    removeDatabase(empty);
    createPrivateFile(copy);
    copyFileSync(from, copy);
    const madeAtMs = checkBackup(copy, from);
    await migrate(empty);
    await migrate(copy);
    requireOwnSchema(copy, empty, from);
    await prepare(copy, { madeAtMs, keptRefusals: carryRefusals(path, copy, clock.nowMs()) });
    sync(copy);
    const kept = keepOldDatabase(path, clock.nowMs());
    renameSync(copy, path);
    sync(dataDir);
    return { path, kept };
  } finally {
    removeDatabase(copy);
    removeDatabase(empty);
    releaseLock();
  }
}

function requireBackup(from: string): void {
  if (statSync(from, { throwIfNoEntry: false })?.isFile() !== true) {
    throw new StoreRefused(`There is no file ${from}. Name a backup that \`quintet backup\` has made.`);
  }
  const log = statSync(`${from}-wal`, { throwIfNoEntry: false });
  if (log !== undefined && log.size > 0) {
    throw new StoreRefused(
      `${from} is not a backup but a database in use, or a copy of one: part of it is in ${from}-wal. Back it up with \`quintet backup\`.`,
    );
  }
}

// Checks the copy, and returns when the backup was made. Ends all sessions and links, because sessions that ended and links that were used
// since the backup would work again.
function checkBackup(copy: string, from: string): number | undefined {
  const { size: bytes } = statSync(copy);
  const database = new DatabaseSync(copy);
  try {
    // Do not run functions that a definition in the file calls.
    database.exec("PRAGMA trusted_schema = OFF");
    // A copy that another program made may expect a log next to it.
    database.exec("PRAGMA journal_mode = DELETE");
    // SQLite reads the missing part of the last page as zeros.
    if (bytesOfPages(database) > bytes) {
      throw damaged(from);
    }
    requireUndamaged(database, from);
    requireOnlyTables(database, from);
    const has = (table: string) =>
      database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(table) !== undefined;
    if (!has("quintet_migrations")) {
      throw new StoreRefused(`${from} is a database, but not one of Quintet's. Name a backup that \`quintet backup\` has made.`);
    }
    for (const table of ["owner_sessions", "mail_tokens", "sign_in_challenges"].filter(has)) {
      database.exec(`DELETE FROM ${table}`);
    }
    if (!has(BACKUP_TABLE)) {
      return undefined;
    }
    const { made_at_ms: madeAtMs } = database.prepare(`SELECT made_at_ms FROM ${BACKUP_TABLE}`).get() ?? {};
    database.exec(`DROP TABLE ${BACKUP_TABLE}`);
    return Number(madeAtMs);
  } catch (error) {
    if (isDamaged(error)) {
      throw damaged(from, error);
    }
    throw isNoDatabase(error)
      ? new StoreRefused(`${from} is not a database. Name a backup that \`quintet backup\` has made.`)
      : error;
  } finally {
    database.close();
  }
}

function bytesOfPages(database: DatabaseSync): number {
  const { bytes } = database.prepare("SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size").get() ?? {};
  return Number(bytes);
}

const damaged = (from: string, cause?: unknown): StoreRefused =>
  new StoreRefused(`${from} is damaged: part of it is missing or wrong. Name another backup.`, { cause });

// Access that was withdrawn since the backup, according to the current database, is not restored.
function carryRefusals(path: string, copy: string, nowMs: number): Restoring["keptRefusals"] {
  if (!existsSync(path)) {
    return undefined;
  }
  const present = new DatabaseSync(path, { readOnly: true, timeout: 1000 });
  const restored = new DatabaseSync(copy);
  try {
    const idsOf = (query: string): string[] =>
      present
        .prepare(query)
        .all()
        .map(({ id }) => id as string);
    const hasColumn = (database: DatabaseSync, column: string): boolean =>
      database.prepare("SELECT 1 FROM pragma_table_info('accounts') WHERE name = ?").get(column) !== undefined;
    const deletedIds = hasColumn(present, "deleted_at_ms") ? idsOf("SELECT id FROM accounts WHERE deleted_at_ms IS NOT NULL") : [];
    const deleted = new Set(deletedIds);
    const knownIds = idsOf("SELECT id FROM accounts").filter((id) => !deleted.has(id));
    const suspendedIds = idsOf("SELECT id FROM accounts WHERE suspended = 1").filter((id) => !deleted.has(id));
    const revoked = present.prepare("SELECT id, revoked_at_ms AS atMs FROM api_keys WHERE revoked_at_ms IS NOT NULL").all();
    const revoke = restored.prepare("UPDATE api_keys SET revoked_at_ms = ? WHERE id = ? AND revoked_at_ms IS NULL");
    const suspend = restored.prepare("UPDATE accounts SET suspended = 1 WHERE id = ? AND suspended = 0");
    const operatorIds = hasColumn(present, "operator") ? idsOf("SELECT id FROM accounts WHERE operator = 1") : [];
    restored.exec("BEGIN");
    const keys = revoked.map(({ id, atMs }) => revoke.run(atMs as number, id as string).changes);
    // A key that the current database no longer has was revoked or had expired: no other key of an existing account is ever deleted.
    const forgotten = restored
      .prepare(
        `UPDATE api_keys SET revoked_at_ms = ? WHERE revoked_at_ms IS NULL
          AND account_id IN (SELECT value FROM json_each(?)) AND id NOT IN (SELECT value FROM json_each(?))`,
      )
      .run(nowMs, JSON.stringify(knownIds), JSON.stringify(idsOf("SELECT id FROM api_keys"))).changes;
    const accounts = suspendedIds.map((id) => suspend.run(id).changes);
    const dismissed = hasColumn(restored, "operator")
      ? restored
          .prepare("UPDATE accounts SET operator = 0 WHERE operator = 1 AND id NOT IN (SELECT value FROM json_each(?))")
          .run(JSON.stringify(operatorIds)).changes
      : 0;
    restored.exec("COMMIT");
    const sum = (changes: readonly (number | bigint)[]): number =>
      changes.reduce((total: number, change) => total + Number(change), 0);
    return { keys: sum([...keys, forgotten]), accounts: sum(accounts), operators: Number(dismissed), deletedIds };
  } catch {
    // The current database is damaged, which may be why a backup is being restored.
    return undefined;
  } finally {
    present.close();
    restored.close();
  }
}

// Gives the database a second name in addition to its own, so that the file is always there. Merges its log into it, if the log can be
// read.
function keepOldDatabase(path: string, nowMs: number): string | undefined {
  if (!existsSync(path)) {
    // SQLite would apply a leftover log to the restored database.
    removeLog(path);
    return undefined;
  }
  emptyLogOf(path);
  const kept = unusedName(`${path}.before-${new Date(nowMs).toISOString().slice(0, 19).replaceAll(/[-:]/g, "")}Z`);
  linkSync(path, kept);
  if (existsSync(`${path}-wal`)) {
    renameSync(`${path}-wal`, `${kept}-wal`);
  }
  rmSync(`${path}-shm`, { force: true });
  return kept;
}

// Two restores may run within the same second.
function unusedName(name: string): string {
  let unused = name;
  for (let count = 2; existsSync(unused); count++) {
    unused = `${name}-${count}`;
  }
  return unused;
}

function emptyLogOf(path: string): void {
  try {
    const database = new DatabaseSync(path, { timeout: 1000 });
    try {
      // Fails while another process is in a transaction.
      database.exec("BEGIN EXCLUSIVE; COMMIT");
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    } finally {
      database.close();
    }
  } catch (error) {
    if (isBusy(error)) {
      throw new StoreRefused(`A command is changing ${path} at the moment. Try again when it is done.`);
    }
  }
}

function removeDatabase(path: string): void {
  rmSync(path, { force: true });
  removeLog(path);
}

function removeLog(path: string): void {
  for (const suffix of ["-wal", "-shm", "-journal"]) {
    rmSync(`${path}${suffix}`, { force: true });
  }
}

/**
 * Throws StoreRefused if a database has a trigger, a view or a virtual table, because Quintet creates none. Runs before anything is
 * written.
 */
function requireOnlyTables(database: DatabaseSync, from: string): void {
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
function requireOwnSchema(copy: string, empty: string, from: string): void {
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
