// A backup of the embedded database while a server uses it: one complete file, a snapshot of one point in time, that only its owner can
// read. It records when it was made, so that a restore knows which calls it cannot contain.
// https://www.sqlite.org/lang_vacuum.html#vacuuminto
import { closeSync, existsSync, fsyncSync, linkSync, openSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Clock } from "../../runtime/clock.ts";
import { StoreRefused } from "../store-errors.ts";
import { createPrivateFile } from "./open-database.ts";
import { isDiskFailure, whenFree } from "./sqlite-dialect.ts";

/** A table with one row that only backups have. */
export const BACKUP_TABLE = "quintet_backup";

const LOCK_TIMEOUT_MS = 5000;

export interface Backup {
  readonly bytes: number;
  /** A time just before the snapshot. */
  readonly madeAtMs: number;
  readonly accounts: number;
  readonly keys: number;
}

interface BackupOptions {
  readonly path: string;
  /** The file to create. It must not exist yet. */
  readonly target: string;
  readonly clock: Clock;
  readonly version: string;
}

/**
 * Creates a backup. Neither readers nor writers wait for it. If it rejects with StoreRefused, which says what to do, it leaves nothing
 * behind.
 */
export async function backUpDatabase({ path, target, clock, version }: BackupOptions): Promise<Backup> {
  if (existsSync(target)) {
    throw new StoreRefused(`The file ${target} already exists. Name a file that does not exist, or a directory.`);
  }
  const partial = `${target}.partial`;
  try {
    rmSync(partial, { force: true });
    // SQLite writes into an empty file, and leaves its mode as it is.
    createPrivateFile(partial);
    const madeAtMs = clock.nowMs();
    await copy(path, partial, clock);
    const contents = stampAndCheck(partial, madeAtMs, version);
    sync(partial);
    // Unlike a rename, this does not replace a file that was created in the meantime.
    linkSync(partial, target);
    sync(dirname(target));
    return { bytes: statSync(target).size, madeAtMs, ...contents };
  } catch (error) {
    throw error instanceof StoreRefused ? error : refusal(target, error);
  } finally {
    rmSync(partial, { force: true });
  }
}

async function copy(path: string, partial: string, clock: Clock): Promise<void> {
  const source = new DatabaseSync(path, { readOnly: true, timeout: 0 });
  try {
    const statement = source.prepare("VACUUM INTO ?");
    await whenFree(clock, LOCK_TIMEOUT_MS, () => statement.run(partial));
  } finally {
    source.close();
  }
}

// Records in the backup when it was made, and checks all of it for damage.
function stampAndCheck(partial: string, madeAtMs: number, version: string): Pick<Backup, "accounts" | "keys"> {
  const database = new DatabaseSync(partial);
  try {
    database.exec(`CREATE TABLE ${BACKUP_TABLE} (made_at_ms INTEGER NOT NULL, version TEXT NOT NULL)`);
    database.prepare(`INSERT INTO ${BACKUP_TABLE} VALUES (?, ?)`).run(madeAtMs, version);
    requireUndamaged(database, partial);
    const count = (table: string): number => Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.n);
    return { accounts: count("accounts"), keys: count("api_keys") };
  } finally {
    database.close();
  }
}

/** Throws StoreRefused if the database is damaged. */
export function requireUndamaged(database: DatabaseSync, path: string): void {
  const [first] = database.prepare("PRAGMA integrity_check(1)").all();
  const fault = first?.integrity_check;
  if (fault !== "ok") {
    throw new StoreRefused(`${path} is damaged: ${String(fault)}.`);
  }
  const violation = database.prepare("PRAGMA foreign_key_check").get();
  if (violation !== undefined) {
    throw new StoreRefused(`${path} is damaged: a row of ${String(violation.table)} refers to a row that does not exist.`);
  }
}

/** Waits until a file, or a directory's list of files, has reached the disk. */
export function sync(path: string): void {
  const descriptor = openSync(path, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function refusal(target: string, error: unknown): StoreRefused {
  const reason = isDiskFailure(error) ? "the disk is full, or failed" : error instanceof Error ? error.message : String(error);
  return new StoreRefused(`The backup ${target} cannot be made: ${reason}.`, { cause: error });
}
