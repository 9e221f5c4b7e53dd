// Statements that a server runs again and again are prepared by PostgreSQL, and a migration in the meantime makes none of them fail.
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import { PreparedStatements } from "../../../src/store/postgres/postgres-pool.ts";
import { postgres } from "../../fixtures/servers/postgres.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { account, newKey } from "../../suites/store/samples.ts";
import { migratedDatabases } from "./migrated-databases.ts";

// The names of the statements that begin like this, as they are sent; "" for those without.
function recordNames(beginning: string): string[] {
  const names: string[] = [];
  const { query } = pg.Client.prototype;
  pg.Client.prototype.query = new Proxy(query, {
    apply(target, client, parameters) {
      const [sent] = parameters;
      if ((sent.text ?? sent).startsWith(beginning)) {
        names.push(sent.name ?? "");
      }
      return Reflect.apply(target, client, parameters);
    },
  });
  onTestFinished(() => {
    pg.Client.prototype.query = query;
  });
  return names;
}

describe("the name of a statement", () => {
  test("is given when the statement is used for the fifth time, and to a hundred statements at most", () => {
    const prepared = new PreparedStatements();
    const uses = Array.from({ length: 6 }, () => prepared.nameOf("select 1"));
    expect(uses).toEqual([undefined, undefined, undefined, undefined, "quintet_1", "quintet_1"]);
    for (let text = 2; text <= 101; text++) {
      for (let use = 0; use < 5; use++) {
        prepared.nameOf(`select ${text}`);
      }
    }
    expect([prepared.nameOf("select 100"), prepared.nameOf("select 101")]).toEqual(["quintet_100", undefined]);
  });
});

describeWith(postgres, "prepared statements", () => {
  const database = migratedDatabases();

  test("a lookup is prepared, and goes on without that when a migration changes what it returns", async () => {
    const store = await database.open("command");
    await store.createAccount(account);
    const key = newKey();
    await store.createKey(key);
    const names = recordNames("select");
    const found = async () => (await store.findCredential(key.hash))?.key.id;
    for (let use = 0; use < 6; use++) {
      expect(await found()).toBe(key.id);
    }
    expect(names).toEqual(["", "", "", "", "quintet_1", "quintet_1"]);
    await database.query("alter table api_keys add column added text");
    names.length = 0;
    expect([await found(), await found()]).toEqual([key.id, key.id]);
    expect(names).toEqual(["quintet_1", "", ""]);
  });

  test("what servers ask every few seconds is read without a transaction while there is nothing to do", async () => {
    const store = await database.open("server");
    const transactions = recordNames("start transaction");
    const reads = recordNames("select");
    const rules = { needsCounts: () => false, alertsOf: () => [] };
    await store.checkAlerts(rules, { refunded: [], mails: true, limit: 10 });
    await store.claimDeliveries(8, 1000);
    await store.claimWebhooks({ limit: 8, leaseMs: 1000, perAccountMax: 2, exceptAccountIds: [] });
    await store.addUpCounts();
    expect([transactions, reads.length > 0]).toEqual([[], true]);
  });

  test("statements of a transaction are not prepared, because it could not continue after a migration", async () => {
    const store = await database.open("command");
    const names = recordNames('insert into "accounts"');
    for (let use = 0; use < 6; use++) {
      await store.createAccount({ ...account, id: `a-${use}`, name: `acme-${use}`, email: null });
    }
    expect(names).toEqual(["", "", "", "", "", ""]);
  });
});
