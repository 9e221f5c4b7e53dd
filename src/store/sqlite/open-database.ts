// Opens the SQLite file for durable writes, and explains why it cannot be used.
import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Clock } from "../../runtime/clock.ts";
import { StoreRefused } from "../store-errors.ts";
import { createPrivateFile, isWritableByOthers } from "./private-file.ts";
import { BUSY_TIMEOUT_MS, isDiskFailure, isNoDatabase, whenFree } from "./sqlite-errors.ts";

// The write-ahead log is merged into the database when it has this many pages of 4 KiB.
const LOG_PAGES_MAX = 256;
const LOG_BYTES_MAX = 1_048_576;

// The log's index alone takes 32 KiB.
const FREE_BYTES_MIN = 65_536;

/** Throws StoreRefused if anybody but the owner can write to the data directory or to the database. */
export function requirePrivate(dataDir: string, path: string): void {
  for (const one of [dataDir, path, `${path}-wal`]) {
    if (isWritableByOthers(one)) {
      throw new StoreRefused(
        `${one} can be written to by users other than its owner. Run \`chmod go-w ${one}\`, or point QUINTET_DATA_DIR to a directory of Quintet's own.`,
      );
    }
  }
}

/** Opens the database, waiting for other processes for at most `timeoutMs`. Rejects with StoreRefused if it cannot be used. */
export async function openDatabase(path: string, clock: Clock, timeoutMs: number): Promise<DatabaseSync> {
  createPrivateFile(path);
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS, enableForeignKeyConstraints: true });
  try {
    await whenFree(clock, timeoutMs, () => {
      // Readers do not wait for a writer, nor a writer for readers: a report in another thread or process does not delay a lease.
      database.exec("PRAGMA journal_mode = WAL");
      // Every commit reaches the disk before it is confirmed: a lease must survive a power cut, or its calls would be granted twice.
      database.exec("PRAGMA synchronous = FULL");
      // Whenever the whole log has been merged into the database, it starts again and is truncated to this size, so that it never takes the
      // space that a checkpoint needs.
      database.exec(`PRAGMA journal_size_limit = ${LOG_BYTES_MAX}`);
      database.exec(`PRAGMA wal_autocheckpoint = ${LOG_PAGES_MAX}`);
      requireWritable(database);
    });
    return database;
  } catch (error) {
    database.close();
    if (isDiskFailure(error) && hasNoRoom(dirname(path))) {
      throw new StoreRefused(
        `The disk of the data directory ${dirname(path)} is full. Make room, or point QUINTET_DATA_DIR to a directory on another disk.`,
        { cause: error },
      );
    }
    if (isNoDatabase(error)) {
      throw new StoreRefused(`${path} is not a database. Move it away, or point QUINTET_DATA_DIR to another directory.`, {
        cause: error,
      });
    }
    throw error;
  }
}

// SQLite opens a read-only file, or one on a full disk, without an error.
function requireWritable(database: DatabaseSync): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    const version = Number(database.prepare("PRAGMA user_version").get()?.user_version ?? 0);
    database.exec(`PRAGMA user_version = ${version}`);
  } finally {
    // Some errors roll back on their own.
    if (database.isTransaction) {
      database.exec("COMMIT");
    }
  }
}

const hasNoRoom = (dataDir: string): boolean => {
  const { bavail, bsize } = statfsSync(dataDir);
  return bavail * bsize < FREE_BYTES_MIN;
};

/**
 * Merges the whole write-ahead log into the database, syncs the database, and empties the log. Returns whether it succeeded: it does not if
 * the disk is full or fails, or if another connection is using the log. Never throws.
 */
export function emptyLog(database: DatabaseSync): boolean {
  try {
    return database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy === 0;
  } catch {
    return false;
  }
}
