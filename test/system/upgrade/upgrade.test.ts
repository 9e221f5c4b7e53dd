// An upgrade as docs/operate/backup.md describes it, and the way back: servers of this version and of a later one, over one PostgreSQL.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { run, type ServerProcess, START, serve, type Variables } from "../../fixtures/program.ts";
import { type PostgresServer, postgres, startPostgres } from "../../fixtures/servers/postgres.ts";
import { describeWith } from "../../fixtures/servers/server-process.ts";
import { makeTemporaryDirectory } from "../../fixtures/temporary-directory.ts";
import { nextVersion } from "./next-version.ts";

describeWith(postgres, "an upgrade", () => {
  const { path: folder, remove } = makeTemporaryDirectory();
  let server: PostgresServer;
  let variables: Variables;
  let key: string;

  beforeAll(async () => {
    server = await startPostgres();
  });
  afterAll(async () => {
    await server.close();
    remove();
  });

  // A database of this version with a customer.
  async function begin(name: string): Promise<void> {
    const dataDir = join(folder, name);
    mkdirSync(dataDir, { recursive: true });
    variables = { QUINTET_DATABASE_URL: await server.createDatabase(), QUINTET_DATA_DIR: dataDir, QUINTET_WORKERS: "1" };
    await printed(START, "migrate");
    await printed(START, "account create acme");
    await printed(START, "subscription create acme farkle --plan mega");
    await printed(START, "subscription activate acme farkle");
    key = await newKey(START);
  }
  const version = (name: string, additive: boolean, sql: string): string => {
    const path = join(folder, name);
    mkdirSync(path);
    return nextVersion(path, { name: `0999-${name}`, additive, sql });
  };
  async function printed(entry: string, line: string): Promise<string> {
    const { code, out, err } = await run(line, variables, entry);
    expect({ line, code, err }).toEqual({ line, code: 0, err: "" });
    return out;
  }
  const newKey = async (entry: string): Promise<string> =>
    /qk_live_\w+/.exec(await printed(entry, "key create acme --name ci"))?.[0] ?? "";
  async function started(entry: string): Promise<ServerProcess> {
    // Each server has its own data directory, as if on separate machines.
    const own = await serve({ ...variables, QUINTET_DATA_DIR: `${variables.QUINTET_DATA_DIR}/${crypto.randomUUID()}` }, entry);
    onTestFinished(() => own.signal("SIGKILL"));
    return own;
  }
  async function stopped(...servers: readonly ServerProcess[]): Promise<void> {
    for (const each of servers) {
      each.signal("SIGTERM");
    }
    expect(await Promise.all(servers.map(async ({ ended }) => (await ended).code))).toEqual(servers.map(() => 0));
  }
  let admitted = 0;
  // A server that has just started may refuse a call for a moment, because its buckets begin empty: docs/operate/limits.md.
  async function call({ origin }: ServerProcess, by = key): Promise<number> {
    for (;;) {
      const { status, headers } = await fetch(`${origin}/farkle/v1/score?dice=1,1`, { headers: { "x-gateway-key": by } });
      if (status !== 429) {
        admitted += status === 200 ? 1 : 0;
        return status;
      }
      await setTimeout(Number(headers.get("retry-after")) * 1000);
    }
  }

  test("to a version that adds to the schema needs no downtime, and can be undone; keys and counts are the same on both", async () => {
    await begin("additive");
    const next = version("added", true, "create table added (id text primary key)");
    const old = [await started(START), await started(START)] as const;
    expect(await Promise.all([...old, ...old].map((each) => call(each)))).toEqual([200, 200, 200, 200]);

    expect(await printed(next, "migrate")).toBe("Applied 0999-added.\n");
    expect(await call(old[0])).toBe(200);
    const first = await started(next);
    await stopped(old[0]);

    // Side by side.
    const [created, revoked] = [await newKey(next), await newKey(START)];
    expect([await call(old[1], created), await call(first, revoked)]).toEqual([200, 200]);
    const id = JSON.parse(await printed(START, "key list acme --json")).keys.find(
      ({ last_four }: { last_four: string }) => last_four === revoked.slice(-4),
    ).id;
    await printed(START, `key revoke ${id}`);
    expect([await call(first, revoked), await call(old[1], revoked)]).toEqual([401, 401]);
    const second = await started(next);
    await stopped(old[1]);
    expect([await call(first), await call(second)]).toEqual([200, 200]);

    // And back.
    expect(await printed(START, "migrate")).toBe("The database is up to date.\n");
    const back = await started(START);
    await stopped(first, second);
    expect([await call(back), await call(back, created), await call(back, revoked)]).toEqual([200, 200, 401]);
    await stopped(back);
    const { services } = JSON.parse(await printed(START, "usage acme --json"));
    expect(services.find(({ service }: { service: string }) => service === "farkle")).toMatchObject({
      calls: admitted,
      counted: admitted,
    });
  });

  test("to a version that changes the schema is refused while servers run, and the earlier version is refused afterwards", async () => {
    await begin("breaking");
    const next = version("changed", false, "alter table accounts add column changed text");
    const old = await started(START);
    expect(await run("migrate", variables, next)).toMatchObject({
      code: 5,
      err: expect.stringMatching(
        /cannot work with the migration 0999-changed\. Stop all servers, then run `quintet migrate` again/,
      ),
    });
    expect(await call(old)).toBe(200);
    await stopped(old);
    expect(await printed(next, "migrate")).toBe("Applied 0999-changed.\n");
    const after = await started(next);
    expect(await call(after)).toBe(200);
    await stopped(after);
    expect(await run("serve", { ...variables, QUINTET_PORT: "0" }, START)).toMatchObject({
      code: 5,
      err: expect.stringContaining("it has the migration 0999-changed, which this version cannot work with"),
    });
  });
});
