import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, onTestFinished, test } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { postgres, startPostgres } from "../fixtures/servers/postgres.ts";
import { describeWith } from "../fixtures/servers/server-process.ts";
import { type CommandLine, createCommandLine, printed, refused } from "./command-line.ts";

// Calls a month in the free plans of the two services.
const radio = 20_000;
const farkle = 7460;

async function withSubscriptions(): Promise<CommandLine> {
  const commandLine = createCommandLine();
  await commandLine.run("account create acme");
  await commandLine.run("subscription create acme radio");
  await commandLine.run("subscription create acme farkle");
  await commandLine.run("subscription create acme bitcoin --plan pro");
  return commandLine;
}

async function counted({ run }: CommandLine, service: string): Promise<number> {
  const { services } = JSON.parse((await run("usage acme --json")).out);
  return services.find((one: { service: string }) => one.service === service).standing.leased;
}

describe("quintet quota raise", () => {
  test("--percent charges a share of each active subscription's plan, but never more than is left", async () => {
    const commandLine = await withSubscriptions();
    const { run } = commandLine;
    expect(await run("quota raise --percent 10")).toEqual(
      printed("2 811 calls for 2026-11 now count as used, across 3 active subscriptions.\n"),
    );
    expect(await counted(commandLine, "farkle")).toBe(farkle / 10);
    expect(JSON.parse((await run("quota raise --percent 95 --json")).out)).toEqual({
      month: "2026-11",
      subscriptions: 3,
      calls: 0.9 * (radio + farkle + 650),
      key_caps: 0,
    });
    expect(await counted(commandLine, "radio")).toBe(radio);
  });

  test("--since charges as many calls as the plan's rate allowed since then, plus a second's burst and a tenth", async () => {
    const commandLine = await withSubscriptions();
    const { run } = commandLine;
    expect((await run("quota raise --since 2026-11-21T11:58:00Z")).code).toBe(0);
    expect(await counted(commandLine, "farkle")).toBe(Math.ceil(1.1 * 2 * 121));
    expect((await run("quota raise --since 30d")).code).toBe(0);
    expect(await counted(commandLine, "farkle")).toBe(farkle);
  });

  test("after a restore, calls made since the backup cannot be made again", async () => {
    const commandLine = await withSubscriptions();
    const { run, dataDir, clock } = commandLine;
    const file = join(dataDir, "quintet.db");
    const database = new DatabaseSync(file);
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    database.close();
    copyFileSync(file, `${file}.backup`);
    clock.advance(600_000);
    // As many calls as the plan's rate allows in ten minutes; then the disk is lost.
    await run("quota raise --percent 5");
    const created = await counted(commandLine, "radio");
    copyFileSync(`${file}.backup`, file);
    expect(await counted(commandLine, "radio")).toBe(0);
    await run("quota raise --since 10m");
    expect(await counted(commandLine, "radio")).toBeGreaterThanOrEqual(created);
  });

  test("is refused while a server runs, because it would continue with calls that the database has lost", async () => {
    const { run, dataDir, clock } = await withSubscriptions();
    const server = await openStore({ dataDir, clock, role: "server" });
    expect(await run("quota raise --percent 10")).toEqual(
      refused(
        "store",
        `A server is running on the data directory ${dataDir}. Stop it first, or name another directory with QUINTET_DATA_DIR.`,
      ),
    );
    await server.close();
    expect((await run("quota raise --percent 10")).code).toBe(0);
  });

  test.each([
    ["quota raise", "one of --since and --percent is required"],
    ["quota raise --since 1h --percent 5", "cannot be used with"],
    ["quota raise --since 2026-11-22", "not in the future"],
    ["quota raise --percent 101", "It must be a whole number from 1 to 100."],
  ])("%s is a usage error", async (line, message) => {
    const ran = await createCommandLine().run(line);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain(message);
  });

  test("reports a database that cannot be opened", async () => {
    const { run } = createCommandLine();
    expect(await run("quota raise --percent 5", { QUINTET_DATABASE_URL: "mysql://x" })).toEqual(
      refused(
        "settings",
        "The environment has a fault:\n  QUINTET_DATABASE_URL must be a connection string such as postgres://user:password@host:5432/name, in which the password is percent-encoded; or leave the password out, and set PGPASSWORD",
      ),
    );
  });
});

describeWith(postgres, "quintet quota raise on PostgreSQL", () => {
  test("is refused while servers run, and names them", async () => {
    const server = await startPostgres();
    onTestFinished(() => server.close());
    const url = await server.createDatabase();
    const { run, clock } = createCommandLine();
    const variables = { QUINTET_DATABASE_URL: url };
    expect((await run("migrate", variables)).code).toBe(0);
    const database = { url, connectionsMax: 5, staleAfterMs: 10_000 };
    const store = await openStore({ dataDir: "/nonexistent", database, clock, role: "server" });
    const [node] = (await store.nodes()).nodes;
    const ran = await run("quota raise --percent 10", variables);
    await store.close();
    expect(ran).toEqual(
      refused(
        "store",
        `Servers are using the database: ${node?.id}. Stop them first: they may be spending calls that the database no longer knows about. ` +
          "One that was killed counts as running for 10 seconds.",
      ),
    );
    expect((await run("quota raise --percent 10", variables)).code).toBe(0);
  });
});
