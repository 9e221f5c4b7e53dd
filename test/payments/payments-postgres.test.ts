// Payments by card over PostgreSQL, with two servers.
import { afterAll, beforeAll } from "vitest";
import { loadPlans } from "../../src/catalogue/plans.ts";
import type { Clock } from "../../src/runtime/clock.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { migrateStore, openStore } from "../../src/store/open.ts";
import { type PostgresServer, postgres, startPostgres } from "../fixtures/servers/postgres.ts";
import { describeWith } from "../fixtures/servers/server-process.ts";
import { paymentsSuite } from "../suites/payments.ts";

describeWith(postgres, "payments over PostgreSQL", () => {
  let server: PostgresServer;
  let template: string;
  let last: string | undefined;
  const optionsOf = (url: string, clock: Clock) => ({
    dataDir: "/nonexistent",
    database: { url, connectionsMax: 3, staleAfterMs: 10_000 },
    clock,
  });
  beforeAll(async () => {
    server = await startPostgres();
    template = await server.createDatabase();
    await migrateStore(optionsOf(template, systemClock));
    const store = await openStore({ ...optionsOf(template, systemClock), role: "command" });
    await store.applyPlans(loadPlans(undefined).all, { onlyIfNone: true });
    await store.close();
  });
  afterAll(() => server.close());
  paymentsSuite(async (clock) => {
    if (last !== undefined) {
      await server.dropDatabase(last);
    }
    const url = await server.createDatabase(server.nameOf(template));
    last = url;
    return [
      await openStore({ ...optionsOf(url, clock), role: "command" }),
      await openStore({ ...optionsOf(url, clock), role: "command" }),
    ];
  }, 12);
});
