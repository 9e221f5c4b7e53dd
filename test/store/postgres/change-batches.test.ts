// Changes that many servers make at once, over a real PostgreSQL: every server applies each of them before it is confirmed.
import { expect, test } from "vitest";
import { ACKNOWLEDGED } from "../../../src/store/repositories/acknowledgements.ts";
import type { Store } from "../../../src/store/store.ts";
import { postgres } from "../../fixtures/servers/postgres.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { migratedDatabases } from "./migrated-databases.ts";

const SERVERS = 6;
const CHANGES = 98;

describeWith(postgres, "Changes at once", () => {
  const database = migratedDatabases(
    `insert into accounts (id, name, suspended, created_at_ms)
     select 'a-' || n, 'a-' || n, 0, 0 from generate_series(0, ${CHANGES - 1}) as n`,
  );

  // A server, and the accounts whose changes it has applied.
  async function open(): Promise<{ readonly store: Store; readonly applied: Set<string> }> {
    const store = await database.open("server");
    const applied = new Set<string>();
    store.onChange((accountId = "any") => applied.add(accountId));
    return { store, applied };
  }

  test("are each applied by every server before they are confirmed, in batches without a gap", async () => {
    const servers = await Promise.all(Array.from({ length: SERVERS }, open));
    const stores = [...servers.map(({ store }) => store), await database.open("command")];
    const change = async (index: number, store: Store): Promise<void> => {
      await store.setSuspended(`a-${index}`, true);
      // On a busy machine a confirmation may take longer than a caller waits.
      await expect.poll(() => store.acknowledged()).toEqual(ACKNOWLEDGED);
      expect(servers.map(({ applied }) => applied.has(`a-${index}`))).toEqual(servers.map(() => true));
    };
    // Each makes two at a time, as many as it has connections.
    await Promise.all(
      [...stores, ...stores].map(async (store, first, lanes) => {
        for (let index = first; index < CHANGES; index += lanes.length) {
          await change(index, store);
        }
      }),
    );
    const batches = await database.query("select number, change_id, previous_id from changes order by number");
    expect(batches.map(({ number }) => Number(number))).toEqual(batches.map((_, index) => index + 1));
    expect(batches.slice(1).map(({ previous_id }) => previous_id)).toEqual(batches.slice(0, -1).map(({ change_id }) => change_id));
    expect(await database.query("select * from pending_changes")).toEqual([]);
    expect(servers.filter(({ applied }) => applied.has("any"))).toEqual([]);
  });

  test("are announced by another server if the process that made them stopped right after its commit", async () => {
    const { applied } = await open();
    await database.query("insert into pending_changes (account_id) values ('a-1'), ('a-2')");
    await expect.poll(() => [...applied]).toEqual(["a-1", "a-2"]);
    expect(await database.query("select account_ids from changes order by number desc limit 1")).toEqual([
      { account_ids: ["a-1", "a-2"] },
    ]);
  });

  test("reach every server even if too many accounts were changed for one notice", async () => {
    const { applied } = await open();
    const ids = Array.from({ length: 400 }, (_, index) => `an account with quite a long id, ${index}`.replaceAll(" ", "-"));
    await database.query("insert into pending_changes (account_id) select unnest($1::text[])", [ids]);
    await expect.poll(() => applied.size).toBe(ids.length);
    expect(applied).toEqual(new Set(ids));
  });
});
