// Servers that are killed while they handle payments, over SQLite and PostgreSQL: whatever they had done by then, the next one ends up with
// what Stripe says.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadPlans } from "../../src/catalogue/plans.ts";
import type { Clock } from "../../src/runtime/clock.ts";
import { systemClock } from "../../src/runtime/clock.ts";
import { migrateStore, openStore } from "../../src/store/open.ts";
import { putMigratedDatabase } from "../fixtures/migrated-data.ts";
import { ROOT } from "../fixtures/root.ts";
import { type PostgresServer, postgres, startPostgres } from "../fixtures/servers/postgres.ts";
import { describeWith } from "../fixtures/servers/server-process.ts";
import { temporaryDirectory } from "../fixtures/temporary-directory.ts";
import { configFor, PaymentScene } from "../suites/payments.ts";

const DAY_MS = 86_400_000;

const STORIES: readonly {
  readonly what: string;
  readonly happens: (scene: PaymentScene) => Promise<unknown>;
  readonly plan: string | undefined;
  /** Statuses of the subscriptions at Stripe. */
  readonly statuses: readonly string[];
}[] = [
  { what: "a purchase", happens: (scene) => scene.buy("radio", "basic"), plan: "basic", statuses: ["active"] },
  {
    what: "two purchases of one service",
    async happens(scene) {
      await scene.buy("radio", "pro");
      await scene.deliverAll();
      await scene.buy("radio", "basic");
    },
    plan: "pro",
    statuses: ["active", "canceled"],
  },
  {
    what: "a dispute",
    async happens(scene) {
      await scene.buy("radio", "basic");
      await scene.deliverAll();
      scene.standIn.state.dispute([...scene.standIn.state.charges.keys()][0] ?? "");
    },
    plan: "free",
    statuses: ["canceled"],
  },
  {
    what: "a month that was not paid",
    async happens(scene) {
      await scene.buy("radio", "basic", "4000000000000341");
      await scene.deliverAll();
      scene.pass(46 * DAY_MS);
    },
    plan: "free",
    statuses: ["canceled"],
  },
];

interface Database {
  readonly dataDir: string;
  readonly database?: { readonly url: string; readonly connectionsMax: number; readonly staleAfterMs: number };
}

/** `create` makes a new database with the plans on offer. Servers are killed at these calls: both databases together have all. */
function killedSuite(create: () => Promise<Database>, calls: readonly number[]): void {
  test.each(STORIES)("$what: a server that is killed at any of its calls changes nothing of the end", async (story) => {
    const outcomes = { killed: 0, finished: 0 };
    for (const call of calls) {
      const options = await create();
      const open = async (clock: Clock) => [await openStore({ ...options, clock, role: "command" })];
      const scene = await PaymentScene.open(open, true);
      await story.happens(scene);
      const config = { ...configFor(scene.standIn, true), apiUrl: scene.standIn.origin };
      const given = { store: options, config, nowMs: scene.clock.nowMs(), call, isAfter: call % 4 < 2 };
      const child = spawn(process.execPath, [join(ROOT, "test/payments/killed-server.ts"), JSON.stringify(given)], {
        stdio: "inherit",
      });
      const [code, signal] = await once(child, "exit");
      expect(code === 0 || signal === "SIGKILL").toBe(true);
      outcomes[signal === "SIGKILL" ? "killed" : "finished"]++;
      await scene.reconcileAll();
      await scene.payments.endDue();
      await scene.reconcileAll();
      const statuses = [...scene.standIn.state.subscriptions.values()].map(({ status }) => status).toSorted();
      expect({ call, plan: await scene.planOf("radio"), statuses }).toEqual({ call, plan: story.plan, statuses: story.statuses });
      await scene.close();
    }
    expect(outcomes.killed).toBeGreaterThan(1);
  });
}

describe("payments of killed servers, over SQLite", () => {
  killedSuite(async () => {
    const dataDir = temporaryDirectory();
    await putMigratedDatabase(dataDir, { hasPlans: true });
    return { dataDir };
  }, [1, 3, 5]);
});

describeWith(postgres, "payments of killed servers, over PostgreSQL", () => {
  let server: PostgresServer;
  let template: string;
  const databaseOf = (url: string): Database => ({
    dataDir: "/nonexistent",
    database: { url, connectionsMax: 3, staleAfterMs: 10_000 },
  });
  beforeAll(async () => {
    server = await startPostgres();
    template = await server.createDatabase();
    await migrateStore({ ...databaseOf(template), clock: systemClock });
    const store = await openStore({ ...databaseOf(template), clock: systemClock, role: "command" });
    await store.applyPlans(loadPlans(undefined).all, { onlyIfNone: true });
    await store.close();
  });
  afterAll(() => server.close());
  killedSuite(async () => databaseOf(await server.createDatabase(server.nameOf(template))), [2, 4, 6]);
});
