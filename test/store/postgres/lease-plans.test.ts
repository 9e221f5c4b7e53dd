// How PostgreSQL plans the statements of leases while their tables are nearly empty. A server prepares these statements, so such a plan may
// be used for a minute, in which the table may grow to a hundred thousand rows.
import { afterAll, beforeAll, expect, test } from "vitest";
import { systemClock as clock } from "../../../src/runtime/clock.ts";
import { migrateStore, openStore } from "../../../src/store/open.ts";
import { offerBuiltInPlans } from "../../fixtures/plan-file.ts";
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

  test("each row is found by its key", async () => {
    const url = await server.createDatabase();
    const options = { dataDir: "/nonexistent", database: { url, connectionsMax: 3, staleAfterMs: 10_000 }, clock };
    await migrateStore(options);
    const store = await openStore({ ...options, role: "command" });
    await offerBuiltInPlans(store);
    for (const id of subjects) {
      await store.createAccount({ id: `a-${id}`, name: id, email: null });
      await store.createSubscription({ id, accountId: `a-${id}`, service: "radio", plan: "free", state: "active" });
    }
    const plans = await plansAfter(url, async (subject) => {
      await store.lease(subject, month, callsPerMonth, 10);
      await store.returnCalls(subject, month, 5);
    });
    await store.close();
    expect(tablesAndIndexes(plans, "month_leases")).toEqual(["month_leases_key"]);
  });
});
