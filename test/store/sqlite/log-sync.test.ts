import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { LogSync, SyncFailed } from "../../../src/store/sqlite/log-sync.ts";
import { temporaryDirectory } from "../../fixtures/temporary-directory.ts";
import { replaceDatasync } from "./sync-levels.ts";

/** A log's file, and how often the log was emptied. */
function createLog(canBeEmptied: () => boolean = () => true) {
  const path = join(temporaryDirectory(), "log");
  writeFileSync(path, "");
  const emptied = { times: 0 };
  const emptyLog = (): boolean => {
    emptied.times += canBeEmptied() ? 1 : 0;
    return canBeEmptied();
  };
  return { sync: new LogSync({ path, emptyLog }), emptied };
}

describe("the sync of the write-ahead log", () => {
  test("callers at once share a sync, and those who come during one share the next", async () => {
    const syncs: PromiseWithResolvers<void>[] = [];
    const begun = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    await replaceDatasync(() => {
      const sync = Promise.withResolvers<void>();
      begun[syncs.push(sync) - 1]?.resolve();
      return sync.promise;
    });
    const { sync } = createLog();
    const first = Promise.all([sync.sync(), sync.sync()]);
    await begun[0]?.promise;
    const done: string[] = [];
    const second = Promise.all([sync.sync(), sync.sync()]).then(() => done.push("second"));
    syncs[0]?.resolve();
    await first;
    done.push("first");
    await begun[1]?.promise;
    syncs[1]?.resolve();
    await second;
    expect({ done, syncs: syncs.length }).toEqual({ done: ["first", "second"], syncs: 2 });
    await sync.close();
  });

  test("after a failed sync, the log is emptied instead", async () => {
    let fails = true;
    await replaceDatasync((datasync) => (fails ? Promise.reject(new Error("EIO")) : datasync()));
    const { sync, emptied } = createLog();
    await sync.sync();
    fails = false;
    await sync.sync();
    expect(emptied.times).toBe(1);
    await sync.close();
  });

  test("until the log can be emptied after a failed sync, every sync fails", async () => {
    let canBeEmptied = false;
    let fails = true;
    await replaceDatasync((datasync) => (fails ? Promise.reject(new Error("EIO")) : datasync()));
    const { sync, emptied } = createLog(() => canBeEmptied);
    await expect(sync.sync()).rejects.toThrow(SyncFailed);
    fails = false;
    await expect(sync.sync()).rejects.toThrow(SyncFailed);
    canBeEmptied = true;
    await sync.sync();
    await sync.sync();
    expect(emptied.times).toBe(1);
    await sync.close();
  });

  test("a log whose file cannot be opened is emptied instead", async () => {
    const emptied: string[] = [];
    const sync = new LogSync({ path: join(temporaryDirectory(), "none"), emptyLog: () => emptied.push("emptied") > 0 });
    await sync.sync();
    expect(emptied).toEqual(["emptied"]);
    await sync.close();
  });
});
