// How PostgreSQL plans the statements of leases while their tables are nearly empty. A server prepares these statements, so such a plan may
// be used for a minute, in which the table may grow to a hundred thousand rows.
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock as clock } from "../../../src/runtime/clock.ts";
import { migrateStore, openStore } from "../../../src/store/open.ts";
import { migrateRegion } from "../../../src/store/region/migrate-region.ts";
import { openRegion } from "../../../src/store/region/region-store.ts";
import { type PostgresServer, postgres, startPostgres } from "../../fixtures/servers/postgres.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { plansOf, recordStatements, type StatementPlan } from "../../system/large-store/recorded-statements.ts";

const month = "2026-11" as const;
const subjects = Array.from({ length: 10 }, (_, index) => `s-${index}`);
const callsPerMonth = 1000;

describeWith(postgres, "Plans of leases", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  /** The plans of the statements that `work` sends the second time, when the rows exist. */
  async function plansAfter(url: string, work: (subject: string) => Promise<unknown>): Promise<readonly StatementPlan[]> {
    let call = "";
    const { statements, end } = recordStatements(() => call);
    try {
      await Promise.all(subjects.map(work));
      call = "again";
      await Promise.all(subjects.map(work));
    } finally {
      end();
    }
    return plansOf(url, statements);
  }

  const tablesAndIndexes = (plans: readonly StatementPlan[], table: string): readonly string[] => [
    ...new Set(plans.flatMap(({ scanned, indexes }) => [...scanned, ...indexes]).filter((name) => name.startsWith(table))),
  ];

  test("at home, each row is found by its key", async () => {
    const url = await server.createDatabase();
    const options = { dataDir: "/nonexistent", database: { url, connectionsMax: 3, staleAfterMs: 10_000 }, clock };
    await migrateStore(options);
    const store = await openStore({ ...options, role: "command" });
    for (const id of subjects) {
      await store.createAccount({ id: `a-${id}`, name: id, email: null });
      await store.createSubscription({ id, accountId: `a-${id}`, service: "radio", plan: "free", state: "active" });
    }
    const plans = await plansAfter(url, async (subject) => {
      await store.lease(subject, month, callsPerMonth, 10);
      await store.returnCalls(subject, month, 5);
      await store.exchangeWithRegion?.({ regionId: "region", subject, month, callsPerMonth, want: 10, granted: 0, returned: 0 });
    });
    await store.close();
    expect(tablesAndIndexes(plans, "month_leases")).toEqual(["month_leases_key"]);
    expect(tablesAndIndexes(plans, "region_leases")).toEqual(["region_leases_key"]);
  });

  test("in a region, each row is found by its key", async () => {
    const url = await server.createDatabase();
    const config = { name: "east", url, connectionsMax: 3 };
    await migrateRegion(config, clock);
    const region = await openRegion(config, clock);
    const { id: regionId, ...current } = await region.current();
    region.confirm({ id: regionId, ...current });
    const grant = { granted: 100, returned: 0, unleased: 900 };
    for (const subject of subjects) {
      await region.record({ regionId, subject, month, callsPerMonth, grant, keep: undefined, nowMs: clock.nowMs() });
    }
    const plans = await plansAfter(url, async (subject) => {
      expect(await region.lease({ subject, month, callsPerMonth, want: 10 })).toMatchObject({ leased: 10 });
      await region.returnCalls({ subject, month }, 5);
    });
    await region.close();
    expect(tablesAndIndexes(plans, "region_quotas")).toEqual(["region_quotas_pkey"]);
  });
});
