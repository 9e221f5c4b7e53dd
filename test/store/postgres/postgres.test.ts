// The store on PostgreSQL: the suite that all stores pass, and what is specific to a shared server.
import { type Kysely, sql } from "kysely";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { loadPlans } from "../../../src/catalogue/plans.ts";
import { MIGRATIONS, migrate } from "../../../src/store/migrate.ts";
import { NodeStatus } from "../../../src/store/node-status.ts";
import { migrateStore, openStore, type StoreOptions } from "../../../src/store/open.ts";
import { openPostgres } from "../../../src/store/postgres/postgres.ts";
import type { Store } from "../../../src/store/store.ts";
import { StoreRefused, StoreUnavailable } from "../../../src/store/store-errors.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";
import { MIGRATION_NAMES } from "../../fixtures/migrations.ts";
import { newBatch } from "../../fixtures/new-batch.ts";
import { inDatabase, type PostgresServer, postgres, startPostgres } from "../../fixtures/servers/postgres.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { createMemoryLog } from "../../guard/scene.ts";
import { storeSuite } from "../../suites/store.ts";
import { startRacer } from "../start-racer.ts";

const nowMs = Date.UTC(2026, 10, 21, 12);
const clock = createManualClock({ nowMs });
const acme = { id: "a-1", name: "acme", email: null };

const optionsOf = (url: string): Omit<StoreOptions, "role"> => ({
  dataDir: "/nonexistent",
  database: { url, connectionsMax: 5, staleAfterMs: 10_000 },
  clock,
});

async function open(url: string, options: Partial<StoreOptions> = {}): Promise<Store> {
  const store = await openStore({ ...optionsOf(url), role: "command", ...options });
  onTestFinished(() => store.close());
  return store;
}

describeWith(postgres, "PostgreSQL", () => {
  let server: PostgresServer;
  let template: string;
  // A database with the schema and no rows.
  const fresh = async (): Promise<string> => {
    const url = await server.createDatabase(server.nameOf(template));
    onTestFinished(() => server.dropDatabase(url));
    return url;
  };

  beforeAll(async () => {
    server = await startPostgres();
    template = await server.createDatabase();
    await migrateStore(optionsOf(template));
    const store = await openStore({ ...optionsOf(template), role: "command" });
    await store.applyPlans(loadPlans(undefined).all, { onlyIfNone: true });
    await store.close();
  });
  afterAll(() => server.close());

  storeSuite(() => {
    let url: Promise<string> | undefined;
    return {
      async open(suiteClock) {
        url ??= fresh();
        return open(await url, { clock: suiteClock });
      },
      async run(statement) {
        await inDatabase((await url) ?? "", (client) => client.query(statement));
      },
      async dump() {
        return inDatabase((await url) ?? "", async (client) => {
          const tables = await client.query("select tablename as name from pg_tables where schemaname = current_schema()");
          const all: Record<string, Record<string, unknown>[]> = {};
          for (const { name } of tables.rows) {
            all[name] = (await client.query(`select * from ${name}`)).rows;
          }
          return all;
        });
      },
    };
  });

  test("processes that lease at once never get more than the plan", async () => {
    const url = await fresh();
    const store = await open(url);
    await store.createAccount(acme);
    await store.createSubscription({ id: "s-1", accountId: "a-1", service: "radio", plan: "free", state: "active" });
    const racers = await Promise.all(Array.from({ length: 3 }, () => startRacer("", url)));
    const granted = await Promise.all(racers.map((racer) => racer.run()));
    expect(granted.reduce((sum, calls) => sum + calls, 0)).toBe(300);
    expect(await store.leasedCalls(["s-1"], "2026-11")).toEqual([
      { subscriptionId: "s-1", month: "2026-11", leased: 300, credited: 0, raised: 0 },
    ]);
  });

  test("two batches that each skip the other's locked rows do not deadlock", async () => {
    const url = await fresh();
    const stores = [await open(url), await open(url)] as const;
    const ids = ["s-1", "s-2"];
    for (const id of ids) {
      await stores[0].createAccount({ ...acme, id, name: id });
      await stores[0].createSubscription({ id, accountId: id, service: "radio", plan: "free", state: "active" });
      await stores[0].lease(id, "2026-11", 100, 1);
    }
    const leaseBoth = (store: Store) => Promise.all(ids.map((id) => store.lease(id, "2026-11", 100, 10)));
    await inDatabase(url, async (watcher) => {
      // An insert of a count waits until the watcher releases the lock: by then the inserter has updated its other counts.
      await watcher.query(`
        CREATE FUNCTION stand_still() RETURNS trigger LANGUAGE plpgsql
          AS 'BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN NEW; END';
        CREATE TRIGGER stand_still BEFORE INSERT ON month_leases FOR EACH ROW EXECUTE FUNCTION stand_still();
        SELECT pg_advisory_lock(1)`);
      const waiting = async (): Promise<number> =>
        (await watcher.query("SELECT count(*)::int AS waiting FROM pg_locks WHERE NOT granted")).rows[0].waiting;
      let isSecondDone = false;
      const first = await inDatabase(url, async (client) => {
        await client.query("BEGIN; SELECT * FROM month_leases WHERE account_id = 's-2' FOR UPDATE");
        const requested = leaseBoth(stores[0]);
        await expect.poll(waiting).toBe(1);
        await client.query("COMMIT");
        return { requested };
      });
      const second = leaseBoth(stores[1]).finally(() => {
        isSecondDone = true;
      });
      await expect.poll(async () => isSecondDone || (await waiting()) === 2).toBe(true);
      await watcher.query("SELECT pg_advisory_unlock(1)");
      const grants = [...(await first.requested), ...(await second)].toSorted((one, other) => one.unleased - other.unleased);
      expect(grants).toEqual([79, 79, 89, 89].map((unleased) => ({ granted: 10, unleased })));
    });
  });

  test("a subscription whose count is locked waits alone, and the others get their leases", async () => {
    const url = await fresh();
    const store = await open(url, { role: "server" });
    for (const id of ["s-1", "s-2"]) {
      await store.createAccount({ ...acme, id, name: id });
      await store.createSubscription({ id, accountId: id, service: "radio", plan: "free", state: "active" });
      await store.lease(id, "2026-11", 100, 1);
    }
    await inDatabase(url, async (client) => {
      await client.query("BEGIN; SELECT * FROM month_leases WHERE account_id = 's-1' FOR UPDATE");
      const locked = store.lease("s-1", "2026-11", 100, 10);
      expect(await store.lease("s-2", "2026-11", 100, 10)).toEqual({ granted: 10, unleased: 89 });
      await client.query("UPDATE month_leases SET leased = 95 WHERE account_id = 's-1'; COMMIT");
      expect(await locked).toEqual({ granted: 5, unleased: 0 });
    });
  });

  test("sessions commit durably, even if that is not the server's default", async () => {
    const url = await fresh();
    await inDatabase(url, (client) => client.query(`ALTER DATABASE ${server.nameOf(url)} SET synchronous_commit = off`));
    // Records the commit setting of each transaction that writes leases.
    await inDatabase(url, (client) =>
      client.query(`
        CREATE TABLE commits (setting text);
        CREATE FUNCTION note() RETURNS trigger LANGUAGE plpgsql AS
          'BEGIN INSERT INTO commits VALUES (current_setting(''synchronous_commit'')); RETURN NULL; END';
        CREATE TRIGGER noted AFTER INSERT OR UPDATE ON month_leases FOR EACH ROW EXECUTE FUNCTION note();
        CREATE TRIGGER noted AFTER INSERT OR UPDATE ON accounts FOR EACH ROW EXECUTE FUNCTION note();
      `),
    );
    // The connection string does not change it either.
    for (const [index, requested] of [url, `${url}?options=-c%20synchronous_commit%3Doff`].entries()) {
      const store = await open(requested, { role: "server" });
      const id = `a-${index}`;
      await store.createAccount({ ...acme, id, name: id });
      await store.createSubscription({ id, accountId: id, service: "radio", plan: "free", state: "active" });
      await store.lease(id, "2026-11", 100, 1);
      await store.returnCalls(id, "2026-11", 1);
    }
    const strong = await open(`${url}?options=-c%20synchronous_commit%3Dremote_apply`);
    await strong.lease("a-0", "2026-11", 100, 1);
    const settings = await inDatabase(url, async (client) => (await client.query("SELECT setting FROM commits")).rows);
    expect(settings).toEqual([
      ...Array.from({ length: settings.length - 1 }, () => ({ setting: "on" })),
      { setting: "remote_apply" },
    ]);
    expect(settings.length).toBeGreaterThan(7);
  });

  test("nodes that write the same usage counts at once lose none", async () => {
    const url = await fresh();
    const nodes = await Promise.all([open(url), open(url), open(url)]);
    const counts = Array.from({ length: 300 }, (_, index) => ({
      accountId: "a-1",
      keyId: `k-${index}`,
      service: "radio" as const,
      method: "m/Search",
      day: "2026-11-20",
      hour: 9,
      outcome: "OK",
      calls: 1,
    }));
    await Promise.all(nodes.flatMap((node) => [node.addUsage(counts, newBatch()), node.addUsage(counts.toReversed(), newBatch())]));
    const found = await nodes[0]?.usageRows({
      accountId: "a-1",
      fromDay: "2026-11-20",
      toDay: "2026-11-20",
      groupBy: ["key"],
      refunded: [],
      limit: 1000,
      offset: 0,
      countsMax: 10_000,
    });
    expect(found?.total).toBe(300);
    expect(new Set(found?.rows.map(({ calls }) => calls))).toEqual(new Set([6]));
  });

  describe("migrations", () => {
    test("are applied once, and returned by name", async () => {
      const url = await server.createDatabase();
      expect(await migrateStore(optionsOf(url))).toEqual(MIGRATION_NAMES);
      expect(await migrateStore(optionsOf(url))).toEqual([]);
    });

    test("are applied once by processes that start together", async () => {
      const url = await server.createDatabase();
      const applied = await Promise.all(Array.from({ length: 4 }, () => migrateStore(optionsOf(url))));
      expect(applied.flat().toSorted()).toEqual(MIGRATION_NAMES);
    });
  });

  describe("an unusable database is refused with advice", () => {
    const refused = (url: string, message: string): Promise<void> =>
      expect(open(url, { role: "server" })).rejects.toThrow(new StoreRefused(message));

    test("one with a connected server of an incompatible version, until it is gone", async () => {
      const url = await fresh();
      const older = new pg.Client({ connectionString: url, application_name: "quintet" });
      await older.connect();
      const message =
        "Servers or commands of another version of Quintet are connected to the database (from 127.0.0.1). They would not receive changes " +
        "that this version makes, nor would this version receive theirs. Stop them, then try again.";
      await refused(url, message);
      await older.end();
      const soon = (): Promise<string> =>
        open(url, { role: "server" }).then(
          () => "opened",
          ({ message }) => message,
        );
      await expect.poll(soon).toBe("opened");
      await inDatabase(url, (client) =>
        client.query("INSERT INTO nodes VALUES ('n-newer', 0, extract(epoch from now()) * 1000 + 60000, 99)"),
      );
      await refused(url, message.replace("127.0.0.1", "n-newer"));
    });

    test("one that an older version still serves keeps its schema, unless older versions can work with the migration", async () => {
      const url = await fresh();
      const log = createMemoryLog();
      const database = { url, connectionsMax: 1, staleAfterMs: 10_000 };
      const backend = await openPostgres({ database, clock, log, role: "command", status: new NodeStatus(), onChange() {} });
      onTestFinished(() => backend.close());
      const migrateTo = (...additive: readonly boolean[]) =>
        migrate(backend, clock, [
          ...MIGRATIONS,
          ...additive.map((isAdditive, index) => ({
            name: `100${index}-next`,
            additive: isAdditive,
            up: async (db: Kysely<never>) => void (await sql.raw(`alter table accounts add column next_${index} text`).execute(db)),
          })),
        ]);
      const older = new pg.Client({ connectionString: url, application_name: "quintet" });
      await older.connect();
      expect(await migrateTo(true)).toEqual(["1000-next"]);
      await expect(migrateTo(true, false)).rejects.toThrow(
        new StoreRefused(
          "Servers or commands of another version of Quintet are connected to the database (from 127.0.0.1), and cannot work with the " +
            "migration 1001-next. Stop all servers, then run `quintet migrate` again.",
        ),
      );
      await older.end();
      await expect.poll(() => migrateTo(true, false).catch(() => [])).toEqual(["1001-next"]);
    });

    test("an empty one", async () => {
      await refused(await server.createDatabase(), "The database is empty. Run `quintet migrate` once, then start again.");
    });

    test("of an older version", async () => {
      const url = await fresh();
      await inDatabase(url, (client) => client.query("DELETE FROM quintet_migrations"));
      await refused(
        url,
        `The database was made by an older version of Quintet: it lacks ${MIGRATION_NAMES.join(", ")}. Run \`quintet migrate\` once, then start again.`,
      );
    });

    test("of a newer version", async () => {
      const url = await fresh();
      await inDatabase(url, (client) => client.query("INSERT INTO quintet_migrations VALUES ('0999-later', 0, 0)"));
      await refused(
        url,
        "The database was last used by another version of Quintet: it has the migration 0999-later, which this version cannot work with. " +
          "Start the version that made it. To go back to this one, stop all servers and restore a backup from before that migration was " +
          "applied, as docs/operate/backup.md says.",
      );
    });

    test("but one to which a newer version only added something is accepted", async () => {
      const url = await fresh();
      await inDatabase(url, (client) => client.query("INSERT INTO quintet_migrations VALUES ('0999-later', 0, 1)"));
      const store = await open(url, { role: "server" });
      expect(await store.createAccount(acme)).toMatchObject(acme);
      expect(await migrateStore(optionsOf(url))).toEqual([]);
      await inDatabase(url, (client) => client.query("INSERT INTO quintet_migrations VALUES ('1000-much-later', 0, 0)"));
      await expect(open(url, { role: "server" })).rejects.toThrow(/has the migration 1000-much-later, which this version cannot/);
    });

    test("of another program", async () => {
      const url = await server.createDatabase();
      await inDatabase(url, (client) => client.query("CREATE TABLE recipes (id integer)"));
      const message =
        "The database is not Quintet's: it holds other tables (recipes). Point QUINTET_DATABASE_URL to a database of Quintet's own.";
      await refused(url, message);
      await expect(migrateStore(optionsOf(url))).rejects.toThrow(new StoreRefused(message));
    });

    test("of a server that is not running", async () => {
      await expect(open("postgres://quintet@127.0.0.1:1/quintet")).rejects.toThrow(
        new StoreRefused(
          "The database that QUINTET_DATABASE_URL names cannot be used: connect ECONNREFUSED 127.0.0.1:1. Check that it is running and that the URL is correct.",
        ),
      );
      await expect(open("postgres://quintet@localhost:1/quintet")).rejects.toThrow(/cannot be used: [^.]*ECONNREFUSED/);
    });

    test("one that does not exist", async () => {
      await refused(
        template.replace(/test_\d+$/, "nowhere"),
        'The database that QUINTET_DATABASE_URL names cannot be used: database "nowhere" does not exist. Check that it is running and that the URL is correct.',
      );
    });
  });

  test("each change reaches every server once, and the server that makes it also at once", async () => {
    const url = await fresh();
    const nodes = [await open(url, { role: "server" }), await open(url, { role: "server" })];
    const [first, second] = nodes.map((node) => {
      let changes = 0;
      const waiting = new Set<() => void>();
      node.onChange(() => {
        changes++;
        for (const check of waiting) {
          check();
        }
      });
      return {
        count: () => changes,
        reached: (wanted: number) =>
          new Promise<void>((resolve) => {
            const check = (): void => void (changes >= wanted && resolve());
            waiting.add(check);
            check();
          }),
      };
    });
    const command = await open(url);
    await command.createAccount(acme);
    await Promise.all([first?.reached(1), second?.reached(1)]);
    await nodes[0]?.setSuspended("a-1", true);
    await second?.reached(2);
    await command.setSuspended("a-1", false);
    await Promise.all([first?.reached(4), second?.reached(3)]);
    expect([first?.count(), second?.count()]).toEqual([4, 3]);
  });

  test("a server receives its own change even if the commit was not confirmed, whenever it arrives", async () => {
    const url = await fresh();
    // A commit waits for the lock's holder, longer than the server waits for the commit.
    await inDatabase(url, (client) =>
      client.query(`
        CREATE FUNCTION wait() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_advisory_xact_lock(1); RETURN NULL; END';
        CREATE CONSTRAINT TRIGGER late AFTER UPDATE ON accounts INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION wait();
      `),
    );
    const node = await open(`${url}?statement_timeout=0&lock_timeout=0&query_timeout=1000`, { role: "server" });
    let changes = 0;
    node.onChange(() => {
      changes++;
    });
    await node.createAccount(acme);
    await expect.poll(() => changes).toBe(2);
    changes = 0;
    await inDatabase(url, async (client) => {
      await client.query("SELECT pg_advisory_lock(1)");
      await expect(node.setSuspended("a-1", true)).rejects.toThrow(StoreUnavailable);
      expect(changes).toBe(1);
      await client.query("SELECT pg_advisory_unlock(1)");
    });
    await expect
      .poll(() => {
        clock.advance(250);
        return changes;
      })
      .toBe(2);
    expect(await node.findAccount("a-1")).toMatchObject({ suspended: true });
  });
});
