// Allows one server for a data directory. The lock is SQLite's own, on an empty file next to the database. The kernel drops it when the
// process ends for any reason, so it is never stale, and two servers that start at once cannot both have it.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { StoreRefused } from "../store-errors.ts";
import { createPrivateFile } from "./private-file.ts";
import { isBusy } from "./sqlite-errors.ts";

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
