// The second connection to the embedded database, in its own thread.
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, onTestFinished, test } from "vitest";
import { ReaderExited, SqliteReader } from "../../../src/store/sqlite/sqlite-reader.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";
import { temporaryDirectory } from "../../fixtures/temporary-directory.ts";

const REST_MS = 30_000;

function open(path = join(temporaryDirectory(), "test.db")) {
  const clock = createManualClock({ nowMs: 0 });
  const reader = new SqliteReader(path, clock);
  onTestFinished(() => reader.close());
  const query = (sql: string, ...parameters: readonly unknown[]) => reader.query({ sql, parameters });
  return { path, clock, reader, query };
}

function openWithDatabase() {
  const scene = open();
  const database = new DatabaseSync(scene.path);
  onTestFinished(() => database.close());
  database.exec("PRAGMA journal_mode = WAL; CREATE TABLE numbers (number INTEGER)");
  return { ...scene, database };
}

test("sees what was committed before its query, and cannot write", async () => {
  const { database, query } = openWithDatabase();
  expect(await query("SELECT number FROM numbers")).toEqual([]);
  database.exec("INSERT INTO numbers VALUES (1), (2), (3)");
  expect(await query("SELECT number FROM numbers WHERE number >= ? ORDER BY number", 2)).toEqual([{ number: 2 }, { number: 3 }]);
  await expect(query("INSERT INTO numbers VALUES (4)")).rejects.toMatchObject({
    errcode: 8,
    message: "attempt to write a readonly database",
  });
});

test("responds in the order of the queries, whatever their outcome", async () => {
  const { query } = openWithDatabase();
  const responses = await Promise.allSettled([query("SELECT 1 AS one"), query("SELECT"), query("SELECT ? AS two", 2)]);
  expect(responses).toEqual([
    { status: "fulfilled", value: [{ one: 1 }] },
    { status: "rejected", reason: expect.objectContaining({ message: "incomplete input", errcode: 1 }) },
    { status: "fulfilled", value: [{ two: 2 }] },
  ]);
});

test("the caller's thread is not blocked", async () => {
  const { query } = openWithDatabase();
  await query("SELECT 1");
  let turns = 0;
  let isRequesting = true;
  const count = (): void => {
    if (isRequesting) {
      turns++;
      setImmediate(count);
    }
  };
  count();
  const numbers = "WITH RECURSIVE up(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM up WHERE n < 300000) SELECT sum(n) AS sum FROM up";
  expect(await query(numbers)).toEqual([{ sum: 45_000_150_000 }]);
  isRequesting = false;
  expect(turns).toBeGreaterThan(100);
});

test("closes its connection after being idle for a while, and reopens it", async () => {
  const { clock, query } = openWithDatabase();
  // A temporary table, gone with the connection.
  await query("CREATE TEMP TABLE notes (note)");
  clock.advance(REST_MS - 1);
  expect(await query("SELECT note FROM notes")).toEqual([]);
  clock.advance(REST_MS);
  await expect(query("SELECT note FROM notes")).rejects.toThrow("no such table: notes");
  expect(await query("SELECT 2 AS two")).toEqual([{ two: 2 }]);
});

test("queries without a result are rejected when it closes", async () => {
  const { reader, query } = openWithDatabase();
  const requested = expect(query("SELECT 1")).rejects.toThrow(ReaderExited);
  await reader.close();
  await requested;
});

test("without a database a query fails, and the next one tries again", async () => {
  const { path, query } = open();
  await expect(query("SELECT 1")).rejects.toMatchObject({
    name: "ReaderExited",
    cause: { message: "unable to open database file" },
  });
  new DatabaseSync(path).close();
  expect(await query("SELECT 1 AS one")).toEqual([{ one: 1 }]);
});
