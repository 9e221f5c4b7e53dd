// The deletion of an account with many counts and logged calls: no statement deletes more than a few of them, so none runs into the timeout
// of a server's statements.
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { migrateStore, openStore } from "../../../src/store/open.ts";
import { createManualClock } from "../../fixtures/manual-clock.ts";
import { inDatabase, type PostgresServer, postgres, startPostgres } from "../../fixtures/servers/postgres.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";

const NOW_MS = Date.UTC(2026, 10, 28);
const ROWS = 2500;
const DELETED_MAX = 1000;
const TABLES: Readonly<Record<string, string>> = {
  usage_counts: `(account_id, key_id, service, method, day, outcome, calls) select 'a-1', n, 'radio', 'm', '2026-11-28', 'OK', 1`,
  usage_hours: `(account_id, key_id, service, method, hour, outcome, calls) select 'a-1', n, 'radio', 'm', '2026-11-28T11', 'OK', 1`,
  refusal_counts: `(account_id, key_id, service, day, reason, calls, rate_needed)
    select 'a-1', n, 'radio', '2026-11-28', 'RATE_LIMITED', 1, 0`,
  refusal_hours: `(account_id, key_id, service, hour, reason, calls) select 'a-1', n, 'radio', '2026-11-28T11', 'RATE_LIMITED', 1`,
  logged_calls: `(account_id, started_at_ms, id, service, method, protocol, http_status, outcome, refused, dry_run, duration_us, request_bytes,
    response_bytes, request_id, key_id, key_last_four, left_out)
    select 'a-1', n, n, 'radio', 'm', 'rest', 200, 'OK', 0, 0, 1000, 0, 1, n, 'k', 'wxyz', 0`,
};

// Records how many rows each statement deletes from these tables.
const RECORDED = `
  create table deletions (rows bigint);
  create function record_deletion() returns trigger language plpgsql as
    'begin insert into deletions select count(*) from deleted; return null; end';
  ${Object.keys(TABLES)
    .map(
      (table) => `create trigger recorded after delete on ${table} referencing old table as deleted
        for each statement execute function record_deletion();`,
    )
    .join("\n")}
`;

describeWith(postgres, "An account with many counts and logged calls", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(() => server.close());

  async function openFilled() {
    const url = await server.createDatabase();
    const clock = createManualClock({ nowMs: NOW_MS });
    const options = { dataDir: "/nonexistent", database: { url, connectionsMax: 2, staleAfterMs: 10_000 }, clock };
    await migrateStore(options);
    const store = await openStore({ ...options, role: "command" });
    onTestFinished(() => store.close());
    await store.createAccount({ id: "a-1", name: "acme", email: null });
    const query = async (text: string) => (await inDatabase(url, (client) => client.query(text))).rows;
    await query(RECORDED);
    for (const [table, rows] of Object.entries(TABLES)) {
      await query(`insert into ${table} ${rows} from generate_series(1, ${ROWS}) as n`);
    }
    return {
      ...{ store, clock },
      left: async () => {
        const counts = Object.keys(TABLES).map((table) => `(select count(*) from ${table})`);
        return Number((await query(`select ${counts.join(" + ")} as left`))[0].left);
      },
      deletedAtOnce: async () => Number((await query("select max(rows) as most from deletions"))[0].most),
    };
  }

  test("is deleted in small steps", async () => {
    const { store, left, deletedAtOnce } = await openFilled();
    await store.deleteAccount("a-1");
    expect(await left()).toBe(0);
    expect(await deletedAtOnce()).toBe(DELETED_MAX);
  });

  test("is deleted in the background if that takes long", async () => {
    const { store, clock, left, deletedAtOnce } = await openFilled();
    const { monotonicMs } = clock;
    // Each step seems to take six seconds.
    let passedMs = 0;
    clock.monotonicMs = () => {
      passedMs += 6000;
      return monotonicMs() + passedMs;
    };
    await store.deleteAccount("a-1");
    expect(await left()).toBeGreaterThan(0);
    expect(await store.findAccount("a-1")).toBeUndefined();
    clock.monotonicMs = monotonicMs;
    clock.advance(61_000);
    while (await store.addUpCounts()) {}
    expect(await left()).toBe(0);
    expect(await deletedAtOnce()).toBe(DELETED_MAX);
  });
});
