// The first calls of customers that a server has not cached, such as after a restart: while the store responds, no call is refused, however
// far away it is and however many calls arrive at once.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { guardLimitsOf } from "../../src/guard/guard-limits.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { migrateStore, openStore, type StoreOptions } from "../../src/store/open.ts";
import { type ClosableGuard, createGuard } from "../fixtures/one-thread-guard.ts";
import { startDelayingProxy } from "../fixtures/servers/delaying-proxy.ts";
import { type PostgresServer, postgres, startPostgres } from "../fixtures/servers/postgres.ts";
import { describeWith } from "../fixtures/servers/server-process.ts";
import { temporaryDirectory } from "../fixtures/temporary-directory.ts";
import { startWorkingClock } from "../fixtures/working-clock.ts";
import { addToPostgres, addToSqlite, callOnce, makeCustomers } from "./cold-customers.ts";
import { createMemoryLog, plansOf, radioPlan } from "./scene.ts";

const plans = plansOf([radioPlan("free", 3000, 5)]);

async function guardOn(options: Omit<StoreOptions, "role" | "clock">): Promise<ClosableGuard> {
  const clock = startWorkingClock();
  const store = await openStore({ ...options, clock, role: "server" });
  onTestFinished(() => store.close());
  const limits = guardLimitsOf({
    database: options.database,
    workers: 1,
  });
  const guard = createGuard({ store, plans, clock, log: createMemoryLog(), limits });
  onTestFinished(() => guard.close());
  return guard;
}

describe("on the embedded database", () => {
  test.each([64, 128, 512])("2,000 customers are all admitted through %d callers", async (callers) => {
    const dataDir = temporaryDirectory();
    await (await openStore({ dataDir, clock: systemClock, role: "command" })).close();
    const customers = makeCustomers(2000);
    addToSqlite(dataDir, customers);
    expect(await callOnce(await guardOn({ dataDir }), customers, callers)).toEqual({ OK: 2000 });
  });
});

describeWith(postgres, "on PostgreSQL", () => {
  let server: PostgresServer;
  let template: string;
  const optionsOf = (url: string) => ({ dataDir: "/nonexistent", database: { url, connectionsMax: 10, staleAfterMs: 10_000 } });
  const databaseOf = async (customers: ReturnType<typeof makeCustomers>): Promise<string> => {
    const url = await server.createDatabase(server.nameOf(template));
    await addToPostgres(url, customers);
    return url;
  };

  beforeAll(async () => {
    server = await startPostgres();
    template = await server.createDatabase();
    await migrateStore({ ...optionsOf(template), clock: systemClock });
  });
  afterAll(() => server.close());

  test.each([64, 128, 512])("2,000 customers are all admitted through %d callers", async (callers) => {
    const customers = makeCustomers(2000);
    const guard = await guardOn(optionsOf(await databaseOf(customers)));
    expect(await callOnce(guard, customers, callers)).toEqual({ OK: 2000 });
  });

  test.each([
    [30, 1],
    [40, 1],
    [30, 128],
    [40, 128],
  ])("customers are all admitted %d ms away, through %d callers", async (roundTripMs, callers) => {
    const customers = makeCustomers(callers === 1 ? 25 : 1000);
    const url = await databaseOf(customers);
    const proxy = await startDelayingProxy(Number(new URL(url).port), roundTripMs);
    onTestFinished(() => proxy.close());
    const guard = await guardOn(optionsOf(url.replace(/:\d+\//, `:${proxy.port}/`)));
    expect(await callOnce(guard, customers, callers)).toEqual({ OK: customers.length });
  });
});
