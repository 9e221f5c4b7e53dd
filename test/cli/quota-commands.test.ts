import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, test } from "vitest";
import { type CommandLine, createCommandLine, nthId, printed, refused } from "./command-line.ts";

// The free plans of the two services, calls per month.
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
  test("--percent counts a share of each active subscription's plan, never more than is left", async () => {
    const commandLine = await withSubscriptions();
    const { run } = commandLine;
    expect(await run("quota raise --percent 10")).toEqual(
      printed("2 746 calls of 2026-11 now count as used, of 2 active subscriptions.\n"),
    );
    expect(await counted(commandLine, "farkle")).toBe(farkle / 10);
    expect(JSON.parse((await run("quota raise --percent 95 --json")).out)).toEqual({
      month: "2026-11",
      subscriptions: 2,
      calls: 0.9 * (radio + farkle),
      without_plan: 0,
    });
    expect(await counted(commandLine, "radio")).toBe(radio);
  });

  test("--since counts what can have been called since then at the plan's rate, with a second's burst and a tenth", async () => {
    const commandLine = await withSubscriptions();
    const { run } = commandLine;
    expect((await run("quota raise --since 2026-11-21T11:58:00Z")).code).toBe(0);
    expect(await counted(commandLine, "farkle")).toBe(Math.ceil(1.1 * 2 * 121));
    expect((await run("quota raise --since 30d")).code).toBe(0);
    expect(await counted(commandLine, "farkle")).toBe(farkle);
  });

  test("after a restored backup no call can be had again that was made since", async () => {
    const commandLine = await withSubscriptions();
    const { run, dataDir, clock } = commandLine;
    const file = join(dataDir, "quintet.db");
    const database = new DatabaseSync(file);
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    database.close();
    copyFileSync(file, `${file}.backup`);
    clock.advance(600_000);
    // All that the plan's rate lets through in ten minutes, and then the disk is lost.
    await run("quota raise --percent 5");
    const made = await counted(commandLine, "radio");
    copyFileSync(`${file}.backup`, file);
    expect(await counted(commandLine, "radio")).toBe(0);
    await run("quota raise --since 10m");
    expect(await counted(commandLine, "radio")).toBeGreaterThanOrEqual(made);
  });

  test("leaves alone what is on a plan that the plan file has not, and says so", async () => {
    const { run, dataDir } = await withSubscriptions();
    const database = new DatabaseSync(join(dataDir, "quintet.db"));
    database.exec("UPDATE subscriptions SET plan = 'gone' WHERE service = 'radio'");
    database.close();
    expect((await run("quota raise --percent 10")).out).toBe(
      "746 calls of 2026-11 now count as used, of 1 active subscriptions.\n1 were left as they are: their plan is not in the plan file.\n",
    );
  });

  test.each([
    ["quota raise", "one of --since and --percent is required"],
    ["quota raise --since 1h --percent 5", "cannot be used with"],
    ["quota raise --since 2026-11-22", "not in the future"],
    ["quota raise --percent 101", "It must be a whole number from 1 to 100."],
  ])("%s is used wrongly", async (line, message) => {
    const ran = await createCommandLine().run(line);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain(message);
  });

  test("a database that cannot be opened is said", async () => {
    const { run } = createCommandLine();
    expect(await run("quota raise --percent 5", { QUINTET_DATABASE_URL: "mysql://x" })).toEqual(
      refused(
        "The environment has a fault:\n  QUINTET_DATABASE_URL must be a connection string such as postgres://user:password@host:5432/name",
      ),
    );
  });
});

describe("quintet quota credit", () => {
  test("gives an account more calls of a service, on top of the plan's", async () => {
    const { run } = await withSubscriptions();
    await run("quota raise --percent 100");
    expect(await run("quota credit acme farkle 500")).toEqual(
      printed("acme has 500 calls of farkle more in 2026-11, 500 on top of the plan's in all.\n"),
    );
    expect((await run("usage acme --service farkle")).out).toMatch(/farkle +0 +0 +free +0 +7 460 +500\n/);
    expect(JSON.parse((await run("quota credit acme farkle 700 --json")).out)).toEqual({
      account_id: nthId(1),
      account: "acme",
      service: "farkle",
      month: "2026-11",
      calls: 700,
      credited: 1200,
    });
  });

  test.for([
    { line: "quota credit nobody farkle 1", message: "There is no account called nobody; `quintet account list` shows them." },
    {
      line: "quota credit acme token-list 1",
      message: "acme has no subscription to token-list; `quintet subscription create acme token-list` makes one.",
    },
  ])("$line is refused", async ({ line, message }) => {
    expect(await (await withSubscriptions()).run(line)).toEqual(refused(message));
  });

  test.for([
    { line: "quota credit acme farkle", message: "missing required argument 'calls'" },
    { line: "quota credit acme farkle -5", message: "It must be a whole number from 1 to 1000000000." },
    { line: "quota credit acme farkle 0", message: "It must be a whole number from 1 to 1000000000." },
    { line: "quota credit acme chess 5", message: "The services are radio, token-price, token-list, bitcoin, farkle." },
  ])("$line is used wrongly", async ({ line, message }) => {
    const ran = await createCommandLine().run(line);
    expect([ran.code, ran.err]).toEqual([2, expect.stringContaining(message)]);
  });
});
