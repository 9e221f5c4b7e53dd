// Records how commits are synced to the disk.
import { open } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { onTestFinished } from "vitest";

/** What a commit does: it waits for the disk, or only writes to the write-ahead log. https://sqlite.org/pragma.html#pragma_synchronous */
type Commit = "synced commit" | "unsynced commit";

const FULL = 2;

/** Records, until the test ends, each commit and the start of each sync of the write-ahead log in another thread. */
export async function recordSyncs(): Promise<readonly (Commit | "sync")[]> {
  const events: (Commit | "sync")[] = [];
  const { prepare } = DatabaseSync.prototype;
  DatabaseSync.prototype.prepare = function prepareAndRecord(sql, ...options) {
    if (sql === "commit") {
      const level = prepare.call(this, "PRAGMA synchronous").get()?.synchronous;
      events.push(level === FULL ? "synced commit" : "unsynced commit");
    }
    return prepare.call(this, sql, ...options);
  };
  onTestFinished(() => {
    DatabaseSync.prototype.prepare = prepare;
  });
  await replaceDatasync((datasync) => {
    events.push("sync");
    return datasync();
  });
  return events;
}

/** Replaces what a file's `datasync` does, until the test ends. */
export async function replaceDatasync(replacement: (datasync: () => Promise<void>) => Promise<void>): Promise<void> {
  const file = await open("/dev/null");
  const prototype = Object.getPrototypeOf(file);
  await file.close();
  const { datasync } = prototype;
  prototype.datasync = function replaced() {
    return replacement(() => datasync.call(this));
  };
  onTestFinished(() => {
    prototype.datasync = datasync;
  });
}
