// How a server receives changes through PostgreSQL, even if the connection on which it listens fails.
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

interface Scene {
  readonly clock: ManualClock;
  readonly log: ReturnType<typeof createMemoryLog>;
  readonly status: NodeStatus;
  readonly listener: PostgresChangeListener;
  /** The accounts for which a change was received; "any" if it may have been any. */
  readonly accounts: readonly string[];
}

const STALE_AFTER_MS = 10_000;
const AGE_MS = 300_000;
const lost = "Changes to accounts and keys cannot be received; trying again";
const back = "Changes to accounts and keys are received again";
const stale = "The database has not responded for too long; calls are refused until it does";
const eventually = <Value>(value: () => Value | Promise<Value>) => expect.poll(value);

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

  async function listen(): Promise<Scene> {
    const clock = createManualClock({ nowMs: 0 });
    const log = createMemoryLog();
    const status = new NodeStatus();
    const accounts: string[] = [];
    const connection = connectionOptions(url, { connectMs: 2000, statementMs: 500, lockMs: 500, responseMs: 500, ageMs: AGE_MS });
    const onChange = (accountId = "any"): void => void accounts.push(accountId);
    const listener = new PostgresChangeListener({
      connection,
      clock,
      log,
      node: "n-1",
      status,
      staleAfterMs: STALE_AFTER_MS,
      onChange,
      onForgotten: () => {},
      ageMs: AGE_MS,
      probePool: async () => {},
    });
    await listener.open();
    // Its first heartbeats have been sent.
    await eventually(() => clock.hasAlarmIn(250)).toBe(true);
    onTestFinished(async () => {
      const closing = listener.close();
      clock.advance(1000);
      await closing;
    });
    return { clock, log, status, listener, accounts };
  }

  const run = (statement: string, values: readonly unknown[] = []): Promise<unknown> =>
    inDatabase(url, (client) => client.query(statement, [...values]));
  // Like a real change, without its notification.
  const write = (numbers: number, ...accountIds: readonly string[]): Promise<unknown> =>
    run(
      `with next as (
         update change_counter set number = number + $1, previous_id = change_id, change_id = 'c-' || number + $1 returning *
       )
       insert into changes (number, change_id, previous_id, account_ids) select number, change_id, previous_id, $2 from next`,
      [numbers, accountIds],
    );
  const notify = (payload: string): Promise<unknown> => run("SELECT pg_notify($1, $2)", [CHANGES_CHANNEL, payload]);
  const noticeOf = (number: number, accountId: string): string =>
    `${number} c-${number} ${number > 1 ? `c-${number - 1}` : "-"} ${accountId}`;
  const acknowledged = (number: number): Promise<unknown> =>
    eventually(async () => {
      const rows = await inDatabase(url, (client) => client.query("SELECT change_number FROM nodes WHERE id = 'n-1'"));
      return Number(rows.rows[0]?.change_number);
    }).toBe(number);
  const cutConnection = (): Promise<unknown> =>
    run("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%alive_nodes%' AND pid <> pg_backend_pid()");

  test("receives the account of a change once, and confirms it immediately", async () => {
    const { accounts } = await listen();
    await write(1, "a-1");
    await notify(noticeOf(1, "a-1"));
    await acknowledged(1);
    await write(1, "a-2");
    await notify(noticeOf(2, "a-2"));
    await notify(noticeOf(2, "a-2"));
    await acknowledged(2);
    await notify("what is this");
    expect(accounts).toEqual(["a-1", "a-2"]);
  });

  test("receives all accounts of a batch, and reads them from the log if a notice is too short for them", async () => {
    const { accounts } = await listen();
    await write(1, "a-1", "a-2");
    await notify(noticeOf(1, "a-1 a-2"));
    await acknowledged(1);
    await write(1, "a-3", "a-4");
    await notify(noticeOf(2, "*"));
    await acknowledged(2);
    expect(accounts).toEqual(["a-1", "a-2", "a-3", "a-4"]);
  });

  test("reads from the log changes that it was not notified of", async () => {
    const { clock, accounts } = await listen();
    await acknowledged(0);
    await write(1, "a-1");
    await write(1, "a-2");
    await eventually(() => {
      clock.advance(250);
      return accounts;
    }).toEqual(["a-1", "a-2"]);
    await acknowledged(2);
  });

  test("treats a gap in the log as a change of any account", async () => {
    const { clock, accounts } = await listen();
    await write(1200, "a-1");
    await eventually(() => {
      clock.advance(250);
      return accounts;
    }).toEqual(["any"]);
    await acknowledged(1200);
  });

  test("treats a database that was reset to an earlier state as a change of any account, and receives the next ones", async () => {
    const { clock, accounts } = await listen();
    await write(5, "a-1");
    await notify(noticeOf(5, "a-1"));
    await acknowledged(5);
    await run("UPDATE change_counter SET number = 2, change_id = 'c-2', previous_id = 'c-1'");
    await run("DELETE FROM changes");
    await eventually(() => {
      clock.advance(250);
      return accounts.slice(1);
    }).toEqual(["any"]);
    await write(1, "a-3");
    await notify(noticeOf(3, "a-3"));
    await eventually(() => accounts.slice(2)).toEqual(["a-3"]);
  });

  test("listens again after its connection was cut, and reads what it missed", async () => {
    const { clock, log, accounts } = await listen();
    await acknowledged(0);
    await cutConnection();
    await eventually(() => log.lines).toEqual([lost]);
    await write(1, "a-1");
    await notify(noticeOf(1, "a-1"));
    expect(accounts).toEqual([]);
    clock.advance(50);
    await eventually(() => log.lines).toEqual([lost, back]);
    await eventually(() => accounts).toEqual(["a-1"]);
    await write(1, "a-2");
    await notify(noticeOf(2, "a-2"));
    await eventually(() => accounts).toEqual(["a-1", "a-2"]);
  });

  test("replaces a connection that is old, without a word, and misses nothing meanwhile", async () => {
    const { clock, log, accounts } = await listen();
    const pid = async () =>
      (
        await inDatabase(url, (client) =>
          client.query("SELECT pid FROM pg_stat_activity WHERE query LIKE '%alive_nodes%' AND pid <> pg_backend_pid()"),
        )
      ).rows[0]?.pid;
    const first = await pid();
    await write(1, "a-1");
    await eventually(async () => {
      clock.advance(AGE_MS / 4);
      return (await pid()) ?? first;
    }).not.toBe(first);
    await eventually(() => accounts).toEqual(["a-1"]);
    expect(log.lines.filter((line) => line !== stale)).toEqual([]);
  });

  test("detects by its heartbeat that the other end does not respond", async () => {
    const { clock, log } = await listen();
    server.pause();
    clock.advance(250);
    await eventually(() => log.lines).toEqual([lost]);
    server.resume();
    clock.advance(50);
    await eventually(() => log.lines).toEqual([lost, back]);
  });

  test("relies on its cache for a bounded time without a connection, and again once it is connected", async () => {
    const { clock, log, status } = await listen();
    await server.stop();
    await eventually(() => log.lines).toEqual([lost]);
    clock.advance(STALE_AFTER_MS - 1);
    expect(status.isStale(clock.monotonicMs())).toBe(false);
    clock.advance(1);
    expect(status.isStale(clock.monotonicMs())).toBe(true);
    expect(log.lines).toEqual([lost, stale]);
    await server.start();
    await eventually(() => {
      clock.advance(1000);
      return log.lines.at(-1);
    }).toEqual(back);
    expect(status.isStale(clock.monotonicMs())).toBe(false);
  });
});
