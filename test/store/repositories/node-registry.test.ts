// How servers on one database count each other.
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { migrateStore, openStore } from "../../../src/store/open.ts";
import type { Store } from "../../../src/store/store.ts";
import { createManualClock, type ManualClock } from "../../fixtures/manual-clock.ts";
import { inDatabase, type PostgresServer, postgres, startPostgres } from "../../fixtures/servers/postgres.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";

const BEAT_MS = 250;

describeWith(postgres, "Servers on one database", () => {
  let server: PostgresServer;
  let url: string;
  let clock: ManualClock;
  beforeAll(async () => {
    server = await startPostgres();
    url = await server.createDatabase();
    clock = createManualClock({ nowMs: 0 });
    await migrateStore({ dataDir: "/nonexistent", database: { url, connectionsMax: 2, staleAfterMs: 10_000 }, clock });
  });
  afterAll(() => server.close());

  async function open(role: "server" | "command"): Promise<Store> {
    const store = await openStore({
      dataDir: "/nonexistent",
      database: { url, connectionsMax: 2, staleAfterMs: 10_000 },
      clock,
      role,
    });
    onTestFinished(() => store.close());
    return store;
  }
  const counts = (stores: readonly Store[]): readonly number[] => stores.map(({ nodeStatus }) => nodeStatus.aliveNodes);
  const expectCounts = async (stores: readonly Store[], expected: readonly number[]): Promise<void> => {
    await expect
      .poll(
        () => {
          clock.advance(BEAT_MS);
          return counts(stores);
        },
        { interval: 20 },
      )
      .toEqual(expected);
  };

  test("count serving servers, but not commands, until they are closed", async () => {
    const first = await open("server");
    await open("command");
    expect(counts([first])).toEqual([1]);
    const second = await open("server");
    expect(counts([second])).toEqual([2]);
    await expectCounts([first, second], [2, 2]);
    await second.close();
    await expectCounts([first], [1]);
  });

  test("are listed with their last applied change, as long as they are remembered", async () => {
    const command = await open("command");
    const before = await command.nodes();
    expect(before.self).toBeUndefined();
    const first = await open("server");
    const { self } = await first.nodes();
    expect(self).toMatch(/^[0-9a-f-]{36}$/);
    const dead = (ms: number, id: string) =>
      inDatabase(url, (client) =>
        client.query("insert into nodes values ($2, 0, extract(epoch from now()) * 1000 + $1, 3)", [ms, id]),
      );
    await dead(60_000, "silent");
    await dead(-60_000, "gone");
    await command.createAccount({ id: "listed", name: "listed", email: null });
    const { changeNumber, nodes } = await command.nodes();
    expect(changeNumber).toBe(before.changeNumber + 1);
    expect(nodes.filter(({ id }) => ["silent", "gone"].includes(id))).toEqual([
      { id: "gone", changeNumber: 0, isAlive: false },
      { id: "silent", changeNumber: 0, isAlive: true },
    ]);
    expect(nodes.find(({ id }) => id === self)?.isAlive).toBe(true);
    await inDatabase(url, (client) => client.query("delete from nodes where id in ('silent', 'gone')"));
    await first.close();
    expect((await command.nodes()).nodes.map(({ id }) => id)).not.toContain(self);
  });

  test("count a crashed server as long as it might be serving", async () => {
    const alive = (ms: number): Promise<unknown> =>
      inDatabase(url, (client) =>
        client.query("insert into nodes values ('dead', 0, extract(epoch from now()) * 1000 + $1, 3)", [ms]),
      );
    const store = await open("server");
    await alive(60_000);
    await expectCounts([store], [2]);
    await inDatabase(url, (client) => client.query("delete from nodes where id = 'dead'"));
    await alive(-1);
    await expectCounts([store], [1]);
  });
});
