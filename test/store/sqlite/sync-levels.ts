// Records how commits are synced to the disk.
import { open } from "node:fs/promises";
import { DatabaseSync, StatementSync } from "node:sqlite";
import { onTestFinished } from "vitest";

/** What a commit does: it waits for the disk, or only writes to the write-ahead log. https://sqlite.org/pragma.html#pragma_synchronous */
type Commit = "synced commit" | "unsynced commit";

const LEVEL = /^PRAGMA synchronous = (FULL|NORMAL)$/;

/**
 * Records, until the test ends, each commit and the start of each sync of the write-ahead log in another thread. For a test with one
 * database, which is open and syncs its commits.
 */
export async function recordSyncs(): Promise<readonly (Commit | "sync")[]> {
  const events: (Commit | "sync")[] = [];
  let level = "FULL";
  const { exec } = DatabaseSync.prototype;
  DatabaseSync.prototype.exec = function execAndRecord(sql) {
    level = LEVEL.exec(sql)?.[1] ?? level;
    exec.call(this, sql);
  };
  const { run } = StatementSync.prototype;
  StatementSync.prototype.run = new Proxy(run, {
    apply(target, statement: StatementSync, parameters) {
      if (statement.sourceSQL === "commit") {
        events.push(level === "FULL" ? "synced commit" : "unsynced commit");
      }
      return Reflect.apply(target, statement, parameters);
    },
  });
  onTestFinished(() => {
    DatabaseSync.prototype.exec = exec;
    StatementSync.prototype.run = run;
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
