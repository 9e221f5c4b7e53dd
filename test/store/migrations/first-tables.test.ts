// The second migration, applied to rows of the first tables.
import { DatabaseSync } from "node:sqlite";
import { Kysely, sql } from "kysely";
import { expect, onTestFinished, test } from "vitest";
import { up as firstTables } from "../../../src/store/migrations/0001-first-tables.ts";
import { up as owners } from "../../../src/store/migrations/0002-owners.ts";
import { NodeSqliteDialect } from "../../../src/store/sqlite/sqlite-dialect.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";

test("an existing key gets its full lifetime, and one that does not expire gets none", async () => {
  const database = new DatabaseSync(":memory:");
  const db = new Kysely<never>({
    dialect: new NodeSqliteDialect({ database, clock: createManualClock({ nowMs: 0 }), lockTimeoutMs: 0 }),
  });
  onTestFinished(() => db.destroy());
  await firstTables(db);
  await sql`insert into accounts values ('a-1', 'acme', null, 0, 1000)`.execute(db);
  await sql`insert into api_keys values
    ('k-1', 'a-1', 'first', 'h1', 'qk_live_', 'wxyz', null, 1000, 3500, 0, null),
    ('k-2', 'a-1', 'second', 'h2', 'qk_live_', 'wxyz', null, 1000, null, 0, null)`.execute(db);
  await owners(db);
  const { rows } = await sql`select id, lifetime_ms from api_keys order by id`.execute(db);
  expect(rows).toEqual([
    { id: "k-1", lifetime_ms: 2500 },
    { id: "k-2", lifetime_ms: null },
  ]);
});
