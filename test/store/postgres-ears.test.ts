// How a server hears of changes through PostgreSQL when the connection on which it listens comes to grief.
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { NodeStatus } from "../../src/store/node-status.ts";
import { migrateStore } from "../../src/store/open.ts";
import { changesChannel, PostgresEars } from "../../src/store/postgres-ears.ts";
import { connectionOptions } from "../../src/store/postgres-pool.ts";
import { createMemoryLog } from "../guard/scene.ts";
import { createManualClock, type ManualClock } from "../manual-clock.ts";
import { inDatabase, type PostgresServer, postgres, startPostgres } from "../servers/postgres.ts";
import { describeWith } from "../servers/server-process.ts";

interface Heard {
  readonly clock: ManualClock;
  readonly log: ReturnType<typeof createMemoryLog>;
  readonly changes: () => number;
}

const deaf = "Changes of accounts and keys cannot be heard; trying again";
const back = "Changes of accounts and keys are heard again";
const becomes = <Value>(value: () => Value) => expect.poll(value, { timeout: 10_000, interval: 10 });

describeWith(postgres, "A server that listens to PostgreSQL", () => {
  let server: PostgresServer;
  let url: string;
  beforeAll(async () => {
    server = await startPostgres();
    url = await server.createDatabase();
    const database = { url, connectionsMax: 1 };
    await migrateStore({ dataDir: "/nonexistent", database, clock: createManualClock({ nowMs: 0 }) });
  });
  afterAll(() => server.close());

  async function listen(): Promise<Heard> {
    const clock = createManualClock({ nowMs: 0 });
    const log = createMemoryLog();
    let changes = 0;
    const connection = connectionOptions(url, { connectMs: 2000, statementMs: 500, lockMs: 500, answerMs: 500 });
    const ears = new PostgresEars({
      connection,
      clock,
      log,
      node: "n-1",
      status: new NodeStatus(),
      isOwn: (payload) => payload === "me",
      onForeignChange: () => changes++,
    });
    await ears.open();
    onTestFinished(async () => {
      const closing = ears.close();
      clock.advance(1000);
      await closing;
    });
    return { clock, log, changes: () => changes };
  }

  const notify = (payload: string): Promise<unknown> =>
    inDatabase(url, (client) => client.query("SELECT pg_notify($1, $2)", [changesChannel, payload]));
  const cutOff = (): Promise<unknown> =>
    inDatabase(url, (client) =>
      client.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%insert into nodes%' AND pid <> pg_backend_pid()",
      ),
    );

  test("hears what others tell, and not itself", async () => {
    const { changes } = await listen();
    await notify("me");
    await notify("another");
    await becomes(changes).toBe(1);
  });

  test("listens again after its connection was cut, and counts what it may have missed as a change", async () => {
    const { clock, log, changes } = await listen();
    await cutOff();
    await becomes(() => log.lines).toEqual([deaf]);
    await notify("another");
    expect(changes()).toBe(0);
    clock.advance(50);
    await becomes(() => log.lines).toEqual([deaf, back]);
    expect(changes()).toBe(1);
    await notify("another");
    await becomes(changes).toBe(2);
  });

  test("finds out by its heartbeat that the other end is silent", async () => {
    const { clock, log } = await listen();
    server.pause();
    clock.advance(250);
    await becomes(() => log.lines).toEqual([deaf]);
    server.resume();
    clock.advance(50);
    await becomes(() => log.lines).toEqual([deaf, back]);
  });

  test("trusts what is remembered for a minute while it is deaf, and no longer", async () => {
    const { clock, log, changes } = await listen();
    await server.stop();
    await becomes(() => log.lines).toEqual([deaf]);
    clock.advance(59_999);
    expect(changes()).toBe(0);
    clock.advance(1);
    expect(changes()).toBe(1);
    clock.advance(60_000);
    expect(changes()).toBe(2);
    await server.start();
  });
});
