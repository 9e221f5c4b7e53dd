// The store on SQLite: the suite that all stores pass, and what is specific to a file.
import { chmodSync, mkdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../../src/runtime/clock.ts";
import { openStore, type StoreOptions } from "../../../src/store/open.ts";
import type { Store } from "../../../src/store/store.ts";
import { StoreRefused, StoreUnavailable } from "../../../src/store/store-errors.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";
import { putMigratedDatabase } from "../../fixtures/migrated-data.ts";
import { newBatch } from "../../fixtures/new-batch.ts";
import { offerBuiltInPlans } from "../../fixtures/plan-file.ts";
import { temporaryDirectory } from "../../fixtures/temporary-directory.ts";
import { account, newKey, type StoreFixture } from "../../suites/store/samples.ts";
import { usageSuite } from "../../suites/store/usage.ts";
import { openersOf, storeSuite } from "../../suites/store.ts";
import { startRacer } from "../start-racer.ts";
import { recordMisorderedJoins } from "./join-order.ts";
import { recordSyncs, replaceDatasync } from "./sync-levels.ts";

const nowMs = Date.UTC(2026, 10, 21, 12);

async function open(dataDir: string, options: Partial<StoreOptions> = {}): Promise<Store> {
  const store = await openStore({ dataDir, clock: createManualClock({ nowMs }), role: "command", ...options });
  onTestFinished(() => store.close());
  return store;
}

// A new database.
function fixtureFor(role: StoreOptions["role"]): StoreFixture {
  const dataDir = temporaryDirectory();
  return {
    async open(clock) {
      await putMigratedDatabase(dataDir, { hasPlans: true });
      return await open(dataDir, { clock, role });
    },
    async run(statement) {
      const database = new DatabaseSync(join(dataDir, "quintet.db"));
      database.exec(statement);
      database.close();
    },
    async dump() {
      const database = new DatabaseSync(join(dataDir, "quintet.db"));
      const tables = database.prepare("select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'").all();
      const all = tables.map(({ name }) => [name, database.prepare(`select * from ${name}`).all()]);
      database.close();
      return Object.fromEntries(all);
    },
  };
}

describe("SQLite", () => {
  const misordered = recordMisorderedJoins();
  storeSuite(() => fixtureFor("command"));
  test("no statement of the suite scans a table again for each given row", () => {
    expect(misordered).toEqual([]);
  });

  describe("in a server, which sums usage in another thread", () => {
    usageSuite(openersOf(() => fixtureFor("server")));
  });

  test("a lease waits until another thread has synced the log, counts are synced once a second, and changes on commit", async () => {
    const clock = createManualClock({ nowMs });
    const store = await open(temporaryDirectory(), { clock, role: "server" });
    await offerBuiltInPlans(store);
    await store.createAccount(account);
    await store.createSubscription({ id: "s-1", accountId: account.id, service: "farkle", plan: "free", state: "active" });
    const lease = () => store.lease("s-1", "2026-11", 1000, 10);
    const count = () => store.addUsage([], newBatch());
    await lease();
    const events = await recordSyncs();
    await count();
    await lease();
    await count();
    clock.advance(999);
    await count();
    clock.advance(1);
    await count();
    await lease();
    await store.createAccount({ id: "a-2", name: "another", email: null });
    expect(events).toEqual([
      ...["unsynced commit", "sync", "unsynced commit", "sync"],
      ...["unsynced commit", "unsynced commit", "unsynced commit", "sync", "unsynced commit", "sync"],
      "synced commit",
    ]);
  });

  test("a statement is prepared once, whatever its values are", async () => {
    const clock = createManualClock({ nowMs });
    const store = await open(temporaryDirectory(), { clock, role: "server" });
    await offerBuiltInPlans(store);
    await store.createAccount(account);
    const key = newKey();
    await store.createKey(key);
    await store.createSubscription({ id: "s-1", accountId: account.id, service: "farkle", plan: "free", state: "active" });
    const work = async () => {
      await store.findCredential(key.hash);
      await store.lease("s-1", "2026-11", 1000, 10);
      const of = {
        accountId: account.id,
        keyId: key.id,
        service: "farkle",
        method: "quintet.farkle.v1.FarkleService/Score",
      } as const;
      await store.addUsage([{ ...of, day: "2026-10-21", hour: 12, outcome: "OK", calls: 1 }], newBatch());
      clock.advance(60_000);
      while (await store.addUpCounts()) {
        // There is another bucket.
      }
    };
    await work();
    const prepared: string[] = [];
    const { prepare } = DatabaseSync.prototype;
    DatabaseSync.prototype.prepare = function prepareAndRecord(sql, ...options) {
      prepared.push(sql);
      return prepare.call(this, sql, ...options);
    };
    onTestFinished(() => {
      DatabaseSync.prototype.prepare = prepare;
    });
    await work();
    expect(prepared).toEqual([]);
  });

  test("a lease that the disk refuses is not granted, and leases work again once the log can be emptied", async () => {
    const dataDir = temporaryDirectory();
    const store = await open(dataDir, { role: "server" });
    await offerBuiltInPlans(store);
    await store.createAccount(account);
    await store.createSubscription({ id: "s-1", accountId: account.id, service: "farkle", plan: "free", state: "active" });
    const lease = () => store.lease("s-1", "2026-11", 1000, 10);
    let fails = true;
    await replaceDatasync((datasync) => (fails ? Promise.reject(new Error("EIO: i/o error, fdatasync")) : datasync()));
    // A reader needs the log, so it cannot be emptied.
    const reader = new DatabaseSync(join(dataDir, "quintet.db"));
    reader.exec("begin");
    reader.prepare("select * from accounts").all();
    const refusal = new StoreUnavailable("The database could not be queried.");
    await expect(lease()).rejects.toThrow(refusal);
    fails = false;
    await expect(lease()).rejects.toThrow(refusal);
    reader.close();
    expect((await lease()).granted).toBe(10);
  });

  test("a report that fails in the other thread rejects as a database failure, and nothing else fails", async () => {
    const dataDir = temporaryDirectory();
    const store = await open(dataDir, { role: "server" });
    // Open connections continue to work.
    rmSync(join(dataDir, "quintet.db"));
    const days = { fromDay: "2026-11-01", toDay: "2026-11-30" };
    const query = { accountId: "a-1", ...days, groupBy: [], refunded: [], limit: 1, offset: 0, countsMax: 1 };
    await expect(store.usageRows(query)).rejects.toThrow(new StoreUnavailable("The database could not be queried."));
    expect(await store.accountsAfter("", 1000)).toEqual([]);
  });

  test("only the owner can access the data directory and its files", async () => {
    const dataDir = join(temporaryDirectory(), "new", "data");
    const store = await open(dataDir, { role: "server" });
    await offerBuiltInPlans(store);
    await store.createAccount({ id: "a-1", name: "acme", email: null });
    const modes = ["", "quintet.db", "quintet.db-wal", "quintet.db-shm", "control.sock", "server.lock"].map((name) => [
      name,
      (statSync(join(dataDir, name)).mode & 0o777).toString(8),
    ]);
    expect(Object.fromEntries(modes)).toEqual({
      "": "700",
      "quintet.db": "600",
      "quintet.db-wal": "600",
      "quintet.db-shm": "600",
      "control.sock": "600",
      "server.lock": "600",
    });
  });

  test("processes that lease at once never get more than the plan", async () => {
    const dataDir = temporaryDirectory();
    const store = await open(dataDir, { clock: systemClock });
    await offerBuiltInPlans(store);
    await store.createAccount({ id: "a-1", name: "acme", email: null });
    await store.createSubscription({ id: "s-1", accountId: "a-1", service: "radio", plan: "free", state: "active" });
    const racers = await Promise.all(Array.from({ length: 3 }, () => startRacer(dataDir)));
    const granted = await Promise.all(racers.map((racer) => racer.run()));
    expect(granted.reduce((sum, calls) => sum + calls, 0)).toBe(300);
    expect(await store.leasedCalls(["s-1"], "2026-11")).toEqual([
      { subscriptionId: "s-1", month: "2026-11", leased: 300, credited: 0, raised: 0 },
    ]);
  });

  test("processes that open a new database at once both find it ready", async () => {
    const dataDir = temporaryDirectory();
    const stores = await Promise.all([open(dataDir), open(dataDir), open(dataDir)]);
    expect(await Promise.all(stores.map((store) => store.accountsAfter("", 1000)))).toEqual([[], [], []]);
  });

  test("a database locked by another process becomes unavailable after a bounded wait", async () => {
    const dataDir = temporaryDirectory();
    let looks = 0;
    // A tenth of a second passes with every reading of the clock.
    const clock = { ...createManualClock({ nowMs }), monotonicMs: () => looks++ * 100 };
    const store = await open(dataDir, { role: "server", clock });
    const other = new DatabaseSync(join(dataDir, "quintet.db"));
    other.exec("BEGIN IMMEDIATE");
    await expect(store.createAccount({ id: "a-1", name: "acme", email: null })).rejects.toThrow(
      new StoreUnavailable("The database could not be queried."),
    );
    expect(await store.accountsAfter("", 1000)).toEqual([]);
    other.close();
    expect((await store.createAccount({ id: "a-1", name: "acme", email: null })).name).toBe("acme");
  });
});

test("the log takes little more than a MiB, however much is written", async () => {
  const dataDir = temporaryDirectory();
  const store = await open(dataDir);
  for (let round = 0; round < 600; round++) {
    const method = "m".repeat(900);
    await store.addUsage(
      [{ accountId: `a-${round}`, keyId: "k", service: "farkle", method, day: "2026-11-21", hour: 9, outcome: "OK", calls: 1 }],
      newBatch(),
    );
  }
  expect(statSync(join(dataDir, "quintet.db-wal")).size).toBeLessThan(1_200_000);
});

describe("an unusable database is refused with advice", () => {
  const refused = (dataDir: string, message: string): Promise<void> =>
    expect(open(dataDir)).rejects.toThrow(new StoreRefused(message));

  test("of a newer version", async () => {
    const dataDir = temporaryDirectory();
    await (await open(dataDir)).close();
    const database = new DatabaseSync(join(dataDir, "quintet.db"));
    database.exec("INSERT INTO quintet_migrations VALUES ('0999-later', 0, 0)");
    database.close();
    await refused(
      dataDir,
      "The database was last used by another version of Quintet: it has the migration 0999-later, which this version cannot work with. " +
        "Start the version that made it. To go back to this one, stop all servers and restore a backup from before that migration was " +
        "applied, as docs/operate/backup.md says.",
    );
  });

  test("of another program", async () => {
    const dataDir = temporaryDirectory();
    const database = new DatabaseSync(join(dataDir, "quintet.db"));
    database.exec("CREATE TABLE recipes (id)");
    database.close();
    await refused(
      dataDir,
      "The database is not Quintet's: it holds other tables (recipes). Point QUINTET_DATA_DIR to a directory of Quintet's own.",
    );
  });

  test("not a database", async () => {
    const dataDir = temporaryDirectory();
    const path = join(dataDir, "quintet.db");
    writeFileSync(path, "x".repeat(5000));
    await refused(dataDir, `${path} is not a database. Move it away, or point QUINTET_DATA_DIR to another directory.`);
  });

  test.each([
    ["directory", "", 0o777],
    ["directory of a group", "", 0o770],
    ["file", "quintet.db", 0o666],
  ])("a %s that others may write to", async (_, name, mode) => {
    const dataDir = temporaryDirectory();
    await (await open(dataDir)).close();
    const path = name === "" ? dataDir : join(dataDir, name);
    chmodSync(path, mode);
    await refused(
      dataDir,
      `${path} can be written to by users other than its owner. Run \`chmod go-w ${path}\`, or point QUINTET_DATA_DIR to a directory of ` +
        "Quintet's own.",
    );
  });

  test("not a file", async () => {
    const dataDir = temporaryDirectory();
    mkdirSync(join(dataDir, "quintet.db"));
    await refused(
      dataDir,
      `The data directory ${dataDir} cannot be used: unable to open database file. Check its permissions and the disk, ` +
        "or point QUINTET_DATA_DIR to another.",
    );
  });
});
