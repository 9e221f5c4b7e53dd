// Records how each commit is synced to the disk.
import { DatabaseSync } from "node:sqlite";
import { onTestFinished } from "vitest";

/**
 * Records, until the test ends, the value of `PRAGMA synchronous` at each commit: 1 if it does not wait for the disk, and 2 if it does.
 * https://sqlite.org/pragma.html#pragma_synchronous
 */
export function recordSyncLevels(): readonly number[] {
  const levels: number[] = [];
  const { prepare } = DatabaseSync.prototype;
  DatabaseSync.prototype.prepare = function prepareAndRecord(sql, ...options) {
    if (sql === "commit") {
      levels.push(Number(prepare.call(this, "PRAGMA synchronous").get()?.synchronous));
    }
    return prepare.call(this, sql, ...options);
  };
  onTestFinished(() => {
    DatabaseSync.prototype.prepare = prepare;
  });
  return levels;
}
