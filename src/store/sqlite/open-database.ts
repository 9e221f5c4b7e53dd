// Opens the SQLite file for durable writes, and explains why it cannot be used.
import { closeSync, existsSync, mkdirSync, openSync, statfsSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Clock } from "../../runtime/clock.ts";
import { StoreRefused } from "../store-errors.ts";
import { BUSY_TIMEOUT_MS, isBusy, isDiskFailure, isNoDatabase, whenFree } from "./sqlite-dialect.ts";

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

/** Creates an empty file if there is none. An existing file is not opened: closing it again would drop this process's locks on it. */
export function createPrivateFile(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") {
      throw error;
    }
  }
}

/** Creates a directory and its missing parents. Throws the system's error. */
export function createPrivateDirectory(path: string): void {
  if (isDirectory(path)) {
    return;
  }
  const above = dirname(path);
  // One after the other: Node's `recursive` loops forever if mkdir fails with ENOENT, as in /proc.
  if (!existsSync(above)) {
    createPrivateDirectory(above);
  }
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it first.
    if (!isDirectory(path)) {
      throw error;
    }
  }
}

/** Whether anybody but the owner may write to a file or directory. If so, its contents cannot be trusted. */
export const isWritableByOthers = (path: string): boolean => ((statSync(path, { throwIfNoEntry: false })?.mode ?? 0) & 0o022) !== 0;

const isDirectory = (path: string): boolean => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;

/** Takes the lock, and returns a function that releases it. Throws StoreRefused if another server has it. */
export function takeServerLock(dataDir: string): () => void {
  const path = join(dataDir, "server.lock");
  createPrivateFile(path);
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    // Nothing is ever written, so no journal file is needed.
    lock.exec("PRAGMA journal_mode = MEMORY");
    lock.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    lock.close();
    if (isBusy(error)) {
      throw new StoreRefused(
        `A server is running on the data directory ${dataDir}. Stop it first, or name another directory with QUINTET_DATA_DIR.`,
      );
    }
    throw error;
  }
  return () => lock.close();
}
