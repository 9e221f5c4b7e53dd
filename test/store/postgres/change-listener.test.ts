// How a server hears of changes through PostgreSQL, also when the connection on which it listens comes to grief.
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from "vitest";
import { NodeStatus } from "../../../src/store/node-status.ts";
import { migrateStore } from "../../../src/store/open.ts";
import { PostgresChangeListener } from "../../../src/store/postgres/change-listener.ts";
import { connectionOptions } from "../../../src/store/postgres/postgres-pool.ts";
import { CHANGES_CHANNEL } from "../../../src/store/repositories/change-log.ts";
import { createManualClock, type ManualClock } from "../../fixtures/manual-clock.ts";
import { inDatabase, type PostgresServer, postgres, startPostgres } from "../../fixtures/servers/postgres.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { createMemoryLog } from "../../guard/scene.ts";

interface Heard {
  readonly clock: ManualClock;
  readonly log: ReturnType<typeof createMemoryLog>;
  readonly status: NodeStatus;
  readonly listener: PostgresChangeListener;
  /** The accounts of which a change was heard; "any" where it may have been any. */
  readonly accounts: readonly string[];
}

const STALE_AFTER_MS = 10_000;
const deaf = "Changes of accounts and keys cannot be heard; trying again";
const back = "Changes of accounts and keys are heard again";
const stale = "Nothing was heard of the database for too long; calls are refused until it is back";
const becomes = <Value>(value: () => Value | Promise<Value>) => expect.poll(value, { timeout: 10_000, interval: 10 });

describeWith(postgres, "A server that listens to PostgreSQL", () => {
  let server: PostgresServer;
  let template: string;
  let url: string;
  beforeAll(async () => {
    server = await startPostgres();
    template = await server.createDatabase();
    const database = { url: template, connectionsMax: 1, staleAfterMs: STALE_AFTER_MS };
    await migrateStore({ dataDir: "/nonexistent", database, clock: createManualClock({ nowMs: 0 }) });
  });
  beforeEach(async () => {
    url = await server.createDatabase(server.nameOf(template));
  });
  afterAll(() => server.close());

  async function listen(): Promise<Heard> {
    const clock = createManualClock({ nowMs: 0 });
    const log = createMemoryLog();
    const status = new NodeStatus();
    const accounts: string[] = [];
    const connection = connectionOptions(url, { connectMs: 2000, statementMs: 500, lockMs: 500, answerMs: 500 });
    const onChange = (accountId = "any"): void => void accounts.push(accountId);
    const listener = new PostgresChangeListener({
      connection,
      clock,
      log,
      node: "n-1",
      status,
      staleAfterMs: STALE_AFTER_MS,
      onChange,
    });
    await listener.open();
    // Its first heartbeats are over.
    await becomes(() => clock.hasAlarmIn(250)).toBe(true);
    onTestFinished(async () => {
      const closing = listener.close();
      clock.advance(1000);
      await closing;
    });
    return { clock, log, status, listener, accounts };
  }

  const run = (statement: string, values: readonly unknown[] = []): Promise<unknown> =>
    inDatabase(url, (client) => client.query(statement, [...values]));
  // As a change does, told or not.
  const write = (numbers: number, accountId: string): Promise<unknown> =>
    run(
      `with next as (update change_counter set number = number + $1 returning number)
       insert into changes select number, $2 from next`,
      [numbers, accountId],
    );
  const tell = (payload: string): Promise<unknown> => run("SELECT pg_notify($1, $2)", [CHANGES_CHANNEL, payload]);
  const acknowledged = (number: number): Promise<unknown> =>
    becomes(async () => {
      const rows = await inDatabase(url, (client) => client.query("SELECT change_number FROM nodes WHERE id = 'n-1'"));
      return Number(rows.rows[0]?.change_number);
    }).toBe(number);
  const cutOff = (): Promise<unknown> =>
    run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%insert into nodes%' AND pid <> pg_backend_pid()",
    );

  test("hears whom a change is about, once, and says at once that it has", async () => {
    const { accounts } = await listen();
    await write(1, "a-1");
    await tell("1 a-1");
    await acknowledged(1);
    await write(1, "a-2");
    await tell("2 a-2");
    await tell("2 a-2");
    await acknowledged(2);
    await tell("what is this");
    expect(accounts).toEqual(["a-1", "a-2"]);
  });

  test("hears of its own changes once, and of one that another's went before at once", async () => {
    const { accounts, listener } = await listen();
    await write(1, "a-1");
    listener.made({ number: 1, accountId: "a-1" });
    await tell("1 a-1");
    await acknowledged(1);
    expect(accounts).toEqual(["a-1"]);
    await write(1, "a-2");
    await write(1, "a-3");
    listener.made({ number: 3, accountId: "a-3" });
    expect(accounts).toEqual(["a-1", "a-3"]);
    await tell("2 a-2");
    await tell("3 a-3");
    await acknowledged(3);
    expect(accounts).toEqual(["a-1", "a-3", "a-2", "a-3"]);
  });

  test("reads from the log what it was not told of", async () => {
    const { clock, accounts } = await listen();
    await acknowledged(0);
    await write(1, "a-1");
    await write(1, "a-2");
    await becomes(() => {
      clock.advance(250);
      return accounts;
    }).toEqual(["a-1", "a-2"]);
    await acknowledged(2);
  });

  test("takes a gap in the log for a change of any account", async () => {
    const { clock, accounts } = await listen();
    await write(1200, "a-1");
    await becomes(() => {
      clock.advance(250);
      return accounts;
    }).toEqual(["any"]);
    await acknowledged(1200);
  });

  test("takes a database that went back for a change of any account, and hears of the next ones", async () => {
    const { clock, accounts } = await listen();
    await write(5, "a-1");
    await tell("5 a-1");
    await acknowledged(5);
    await run("UPDATE change_counter SET number = 2");
    await becomes(() => {
      clock.advance(250);
      return accounts.slice(1);
    }).toEqual(["any"]);
    await write(1, "a-3");
    await tell("3 a-3");
    await becomes(() => accounts.slice(2)).toEqual(["a-3"]);
  });

  test("listens again after its connection was cut, and reads what it missed", async () => {
    const { clock, log, accounts } = await listen();
    await acknowledged(0);
    await cutOff();
    await becomes(() => log.lines).toEqual([deaf]);
    await write(1, "a-1");
    await tell("1 a-1");
    expect(accounts).toEqual([]);
    clock.advance(50);
    await becomes(() => log.lines).toEqual([deaf, back]);
    await becomes(() => accounts).toEqual(["a-1"]);
    await write(1, "a-2");
    await tell("2 a-2");
    await becomes(() => accounts).toEqual(["a-1", "a-2"]);
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

  test("trusts what is remembered for so long while it is deaf, and no longer, and again when it hears", async () => {
    const { clock, log, status } = await listen();
    await server.stop();
    await becomes(() => log.lines).toEqual([deaf]);
    clock.advance(STALE_AFTER_MS - 1);
    expect(status.isStale(clock.monotonicMs())).toBe(false);
    clock.advance(1);
    expect(status.isStale(clock.monotonicMs())).toBe(true);
    expect(log.lines).toEqual([deaf, stale]);
    await server.start();
    await becomes(() => {
      clock.advance(1000);
      return log.lines.at(-1);
    }).toEqual(back);
    expect(status.isStale(clock.monotonicMs())).toBe(false);
  });
});
