// PostgreSQL for one `describe`: each of its tests has its own migrated database.
import { afterAll, beforeAll, beforeEach, onTestFinished } from "vitest";
import { loadPlans } from "../../../src/catalogue/plans.ts";
import { systemClock } from "../../../src/runtime/clock.ts";
import { migrateStore, openStore } from "../../../src/store/open.ts";
import type { Store } from "../../../src/store/store.ts";
import { inDatabase, type PostgresServer, startPostgres } from "../../fixtures/servers/postgres.ts";

/** The database of the current test. */
export interface MigratedDatabase {
  /** Runs a statement, and returns its rows. */
  query(text: string, values?: readonly unknown[]): Promise<readonly Record<string, string>[]>;
  /** Opens a store, which is closed when the test ends. */
  open(role: "server" | "command"): Promise<Store>;
}

/** Starts a server for the tests of this `describe`. `fill` is run once, before the database is copied for each test. */
export function migratedDatabases(fill = "select 1"): MigratedDatabase {
  let server: PostgresServer;
  let template: string;
  let url: string;
  const optionsOf = (database: string) => ({
    dataDir: "/nonexistent",
    database: { url: database, connectionsMax: 2, staleAfterMs: 10_000 },
    clock: systemClock,
  });
  beforeAll(async () => {
    server = await startPostgres();
    template = await server.createDatabase();
    await migrateStore(optionsOf(template));
    const store = await openStore({ ...optionsOf(template), role: "command" });
    await store.applyPlans(loadPlans(undefined).all, { onlyIfNone: true });
    await store.close();
    await inDatabase(template, (client) => client.query(fill));
  });
  beforeEach(async () => {
    url = await server.createDatabase(server.nameOf(template));
  });
  afterAll(() => server.close());
  return {
    query: async (text, values = []) => (await inDatabase(url, (client) => client.query(text, [...values]))).rows,
    open: async (role) => {
      const store = await openStore({ ...optionsOf(url), role });
      onTestFinished(() => store.close());
      return store;
    },
  };
}
